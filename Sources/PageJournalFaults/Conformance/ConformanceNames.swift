// SPDX-License-Identifier: Apache-2.0

internal import PageJournal

/// Checks of renaming, removing, identity and listing.
extension FileSystemConformance {
  static var nameChecks: [ConformanceCheck] {
    [
      ConformanceCheck("rename moves a file") { (bench) throws(StorageError) in
        try bench.make("a", [1, 2])
        try bench.system.rename(bench.path("a"), to: bench.path("b"))
        try bench.expectEqual(try bench.names(), ["b"], "the list of names")
        try bench.expectEqual(try bench.content("b"), [1, 2], "the moved file")
      },
      ConformanceCheck("rename replaces, and keeps the replaced file for its descriptors") {
        (bench) throws(StorageError) in
        try bench.make("a", [1, 2])
        try bench.make("b", [3, 4, 5])
        let former = try bench.system.open(bench.path("b"), .readWrite)
        defer { former.close() }
        let inode = try bench.system.status(of: bench.path("a")).inode
        try bench.system.rename(bench.path("a"), to: bench.path("b"))
        try bench.expectEqual(try bench.names(), ["b"], "the list of names")
        try bench.expectEqual(try bench.content("b"), [1, 2], "the file under the new name")
        try bench.expectEqual(try bench.system.status(of: bench.path("b")).inode, inode, "its inode")
        try bench.expectEqual(try former.read(at: 0, count: 9), [3, 4, 5], "the replaced file")
        try bench.expectEqual(try former.status().links, 0, "the link count of the replaced file")
      },
      ConformanceCheck("rename works between directories") { (bench) throws(StorageError) in
        try bench.system.createDirectory(bench.path("d"))
        try bench.make("a", [1])
        try bench.system.rename(bench.path("a"), to: bench.path("d/b"))
        try bench.expectEqual(try bench.names(), ["d"], "the list of names")
        try bench.expectEqual(try bench.content("d/b"), [1], "the moved file")
      },
      ConformanceCheck("rename moves a directory with all that is in it") { (bench) throws(StorageError) in
        try bench.system.createDirectory(bench.path("d"))
        try bench.make("d/a", [1])
        try bench.system.rename(bench.path("d"), to: bench.path("e"))
        try bench.expectEqual(try bench.content("e/a"), [1], "the file in the moved directory")
      },
      ConformanceCheck("rename of nothing, or over another kind, throws") { (bench) throws(StorageError) in
        try bench.expectError(.notFound, when: "rename of nothing") { () throws(StorageError) in
          try bench.system.rename(bench.path("a"), to: bench.path("b"))
        }
        try bench.make("a")
        try bench.system.createDirectory(bench.path("d"))
        try bench.expectError(.wrongKind, when: "a file over a directory") { () throws(StorageError) in
          try bench.system.rename(bench.path("a"), to: bench.path("d"))
        }
        try bench.expectError(.wrongKind, when: "a directory over a file") { () throws(StorageError) in
          try bench.system.rename(bench.path("d"), to: bench.path("a"))
        }
        try bench.expectEqual(try bench.names(), ["a", "d"], "the list of names after that")
      },
      ConformanceCheck("remove keeps the file for its descriptors") { (bench) throws(StorageError) in
        try bench.make("a", [1, 2, 3])
        let file = try bench.system.open(bench.path("a"), .readWrite)
        defer { file.close() }
        try bench.system.remove(bench.path("a"))
        try bench.expectEqual(try bench.names(), [], "the list of names")
        try bench.write([4], to: file, at: 3)
        try bench.expectEqual(try file.read(at: 0, count: 9), [1, 2, 3, 4], "the removed file")
        try bench.expectEqual(try file.status().links, 0, "its link count")
        try bench.make("a", [9])
        try bench.expectEqual(
          try file.read(at: 0, count: 9), [1, 2, 3, 4], "the removed file beside a new one")
      },
      ConformanceCheck("remove needs a file") { (bench) throws(StorageError) in
        try bench.expectError(.notFound, when: "remove of nothing") { () throws(StorageError) in
          try bench.system.remove(bench.path("a"))
        }
        try bench.system.createDirectory(bench.path("d"))
        try bench.expectError(.wrongKind, .accessDenied, when: "remove of a directory") {
          () throws(StorageError) in
          try bench.system.remove(bench.path("d"))
        }
        try bench.expectEqual(try bench.names(), ["d"], "the list of names after that")
      },
      ConformanceCheck("device and inode tell files apart") { (bench) throws(StorageError) in
        try bench.make("a", [1, 2, 3])
        try bench.make("b")
        let file = try bench.system.open(bench.path("a"), .read)
        defer { file.close() }
        let (open, named) = (try file.status(), try bench.system.status(of: bench.path("a")))
        try bench.expectEqual(open, named, "the status of the open file")
        try bench.expectEqual(open.size, 3, "the size")
        try bench.expectEqual(open.links, 1, "the link count")
        let other = try bench.system.status(of: bench.path("b"))
        try bench.expect(
          other.inode != open.inode || other.device != open.device, "two files have the same device and inode"
        )
        try bench.system.rename(bench.path("a"), to: bench.path("c"))
        try bench.expectEqual(
          try bench.system.status(of: bench.path("c")).inode, open.inode, "the inode after a rename")
      },
      ConformanceCheck("status of nothing is notFound") { (bench) throws(StorageError) in
        try bench.make("b")
        try bench.expectError(.notFound, when: "status of nothing") { () throws(StorageError) in
          _ = try bench.system.status(of: bench.path("a"))
        }
      },
      ConformanceCheck("doubled and trailing separators do not matter") { (bench) throws(StorageError) in
        try bench.system.createDirectory(bench.path("d"))
        try bench.make("d/a", [1])
        try bench.expectEqual(try bench.content("d//a"), [1], "the file behind a doubled separator")
        try bench.expectEqual(try bench.system.names(in: bench.path("d/")), ["a"], "the list of names")
      },
    ]
  }

  static var directoryChecks: [ConformanceCheck] {
    [
      ConformanceCheck("names lists files and directories, and nothing else") {
        (bench) throws(StorageError) in
        try bench.expectEqual(try bench.names(), [], "the list of names of an empty directory")
        try bench.make("a")
        try bench.system.createDirectory(bench.path("d"))
        try bench.make("d/inside")
        try bench.expectEqual(try bench.names(), ["a", "d"], "the list of names")
        try bench.expectError(.notFound, when: "names of nothing") { () throws(StorageError) in
          _ = try bench.system.names(in: bench.path("x"))
        }
        try bench.expectError(.wrongKind, when: "names of a file") { () throws(StorageError) in
          _ = try bench.system.names(in: bench.path("a"))
        }
      },
      ConformanceCheck("createDirectory needs a free name and a parent") { (bench) throws(StorageError) in
        try bench.system.createDirectory(bench.path("d"))
        try bench.expectEqual(try bench.system.status(of: bench.path("d")).kind, .directory, "its kind")
        try bench.expectError(.alreadyExists, when: "createDirectory twice") { () throws(StorageError) in
          try bench.system.createDirectory(bench.path("d"))
        }
        try bench.expectError(.notFound, when: "createDirectory in nothing") { () throws(StorageError) in
          try bench.system.createDirectory(bench.path("x/y"))
        }
      },
      ConformanceCheck("removeDirectory needs an empty directory") { (bench) throws(StorageError) in
        try bench.system.createDirectory(bench.path("d"))
        try bench.make("d/a")
        try bench.expectError(when: "removeDirectory of a full one") { () throws(StorageError) in
          try bench.system.removeDirectory(bench.path("d"))
        }
        try bench.system.remove(bench.path("d/a"))
        try bench.system.removeDirectory(bench.path("d"))
        try bench.expectEqual(try bench.names(), [], "the list of names")
        try bench.expectError(.notFound, when: "removeDirectory of nothing") { () throws(StorageError) in
          try bench.system.removeDirectory(bench.path("d"))
        }
        try bench.make("a")
        try bench.expectError(.wrongKind, when: "removeDirectory of a file") { () throws(StorageError) in
          try bench.system.removeDirectory(bench.path("a"))
        }
      },
      ConformanceCheck("openDirectory needs a directory, which can be synchronised") {
        (bench) throws(StorageError) in
        try bench.make("a")
        try bench.expectError(.wrongKind, when: "openDirectory of a file") { () throws(StorageError) in
          _ = try bench.system.openDirectory(bench.path("a"))
        }
        try bench.expectError(.notFound, when: "openDirectory of nothing") { () throws(StorageError) in
          _ = try bench.system.openDirectory(bench.path("x"))
        }
        let directory = try bench.system.openDirectory(bench.directory)
        _ = try directory.synchronize()
        directory.close()
        directory.close()
        try bench.expectError(.closed, when: "a sync of a closed one") { () throws(StorageError) in
          _ = try directory.synchronize()
        }
      },
      ConformanceCheck("a directory's lock has one holder, until it is closed") {
        (bench) throws(StorageError) in
        let first = try bench.system.openDirectory(bench.directory)
        let second = try bench.system.openDirectory(bench.directory)
        defer { second.close() }
        try bench.expect(try first.tryLock(), "a free lock is refused")
        try bench.expect(try !second.tryLock(), "a second holder gets the lock")
        try bench.system.createDirectory(bench.path("d"))
        let other = try bench.system.openDirectory(bench.path("d"))
        try bench.expect(try other.tryLock(), "another directory's lock is refused")
        other.close()
        first.close()
        try bench.expect(try second.tryLock(), "the lock is not given back by closing")
      },
    ]
  }
}
