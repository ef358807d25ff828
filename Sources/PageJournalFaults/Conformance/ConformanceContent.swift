// SPDX-License-Identifier: Apache-2.0

internal import PageJournal

/// Checks of open modes and of bytes in files.
extension FileSystemConformance {
  static var contentChecks: [ConformanceCheck] {
    [
      ConformanceCheck("createNew makes an empty file") { (bench) throws(StorageError) in
        let file = try bench.system.open(bench.path("a"), .createNew)
        defer { file.close() }
        try bench.expectEqual(try file.status().size, 0, "the size of a new file")
        try bench.expectEqual(try file.status().kind, .file, "the kind of a new file")
        try bench.expectEqual(try file.read(at: 0, count: 10), [], "what a new file reads as")
        try bench.expectEqual(try bench.names(), ["a"], "the list of names")
      },
      ConformanceCheck("createNew refuses a name that is taken") { (bench) throws(StorageError) in
        try bench.make("a", [1, 2, 3])
        try bench.system.createDirectory(bench.path("d"))
        try bench.expectError(.alreadyExists, when: "createNew over a file") { () throws(StorageError) in
          _ = try bench.system.open(bench.path("a"), .createNew)
        }
        try bench.expectError(.alreadyExists, when: "createNew over a directory") { () throws(StorageError) in
          _ = try bench.system.open(bench.path("d"), .createNew)
        }
        try bench.expectEqual(try bench.content("a"), [1, 2, 3], "the file after that")
      },
      ConformanceCheck("open needs a file that exists") { (bench) throws(StorageError) in
        for mode in [FileMode.read, .readWrite] {
          try bench.expectError(.notFound, when: "open of nothing") { () throws(StorageError) in
            _ = try bench.system.open(bench.path("a"), mode)
          }
        }
        try bench.expectError(.notFound, when: "createNew in no directory") { () throws(StorageError) in
          _ = try bench.system.open(bench.path("d/a"), .createNew)
        }
        try bench.expectEqual(try bench.names(), [], "the list of names after that")
      },
      ConformanceCheck("open refuses a directory") { (bench) throws(StorageError) in
        try bench.system.createDirectory(bench.path("d"))
        for mode in [FileMode.read, .readWrite] {
          try bench.expectError(.wrongKind, when: "open of a directory") { () throws(StorageError) in
            _ = try bench.system.open(bench.path("d"), mode)
          }
        }
      },
      ConformanceCheck("a file below a file is the wrong kind") { (bench) throws(StorageError) in
        try bench.make("a")
        try bench.expectError(.wrongKind, when: "open below a file") { () throws(StorageError) in
          _ = try bench.system.open(bench.path("a/b"), .read)
        }
      },
      ConformanceCheck("a file opened for reading cannot be changed") { (bench) throws(StorageError) in
        try bench.make("a", [1, 2, 3])
        let file = try bench.system.open(bench.path("a"), .read)
        defer { file.close() }
        let bytes: [UInt8] = [9]
        try bench.expectError(when: "a write to it") { () throws(StorageError) in
          _ = try file.write(bytes.span, at: 0)
        }
        try bench.expectError(when: "a truncation of it") { () throws(StorageError) in
          try file.truncate(to: 0)
        }
        try bench.expectEqual(try bench.content("a"), [1, 2, 3], "the file after that")
      },
      ConformanceCheck("readWrite keeps what is there") { (bench) throws(StorageError) in
        try bench.make("a", [1, 2, 3, 4])
        let file = try bench.system.open(bench.path("a"), .readWrite)
        defer { file.close() }
        try bench.write([9, 8], to: file, at: 1)
        try bench.expectEqual(try file.read(at: 0, count: 4), [1, 9, 8, 4], "the file")
      },
      ConformanceCheck("reads are short only at the end") { (bench) throws(StorageError) in
        let bytes = ConformanceBench.pattern(70_000)
        try bench.make("a", bytes)
        let file = try bench.system.open(bench.path("a"), .read)
        defer { file.close() }
        try bench.expect(try file.read(at: 0, count: 70_000) == bytes, "a read of all does not give all")
        try bench.expect(
          try file.read(at: 4_090, count: 9_000) == Array(bytes[4_090..<13_090]),
          "a read inside gives other bytes")
        try bench.expect(
          try file.read(at: 69_990, count: 100) == Array(bytes[69_990...]),
          "a read over the end is not cut at it")
        try bench.expectEqual(try file.read(at: 5, count: 0), [], "a read of no bytes")
      },
      ConformanceCheck("reads behind the end give nothing") { (bench) throws(StorageError) in
        try bench.make("a", [1, 2, 3])
        let file = try bench.system.open(bench.path("a"), .read)
        defer { file.close() }
        try bench.expectEqual(try file.read(at: 3, count: 4), [], "a read at the end")
        try bench.expectEqual(try file.read(at: 1 << 40, count: 4), [], "a read far behind the end")
      },
      ConformanceCheck("a write behind the end leaves zeros") { (bench) throws(StorageError) in
        try bench.make("a", [1, 2, 3])
        let file = try bench.system.open(bench.path("a"), .readWrite)
        defer { file.close() }
        try bench.write([7, 8], to: file, at: 6_000)
        try bench.expectEqual(try file.status().size, 6_002, "the size")
        let wanted = [1, 2, 3] + [UInt8](repeating: 0, count: 5_997) + [7, 8]
        try bench.expect(try file.read(at: 0, count: 7_000) == wanted, "the gap is not zeros")
      },
      ConformanceCheck("truncate cuts, and extends with zeros") { (bench) throws(StorageError) in
        try bench.make("a", ConformanceBench.pattern(5_000))
        let file = try bench.system.open(bench.path("a"), .readWrite)
        defer { file.close() }
        try file.truncate(to: 10)
        try bench.expectEqual(try file.status().size, 10, "the size after the cut")
        try file.truncate(to: 4_000)
        let wanted = ConformanceBench.pattern(10) + [UInt8](repeating: 0, count: 3_990)
        try bench.expect(try file.read(at: 0, count: 5_000) == wanted, "what was cut off comes back")
        try bench.write([5], to: file, at: 4_000)
        try bench.expectEqual(try file.status().size, 4_001, "the size after a write at the end")
      },
      ConformanceCheck("two descriptors see each other's writes") { (bench) throws(StorageError) in
        try bench.make("a", [1, 2, 3])
        let first = try bench.system.open(bench.path("a"), .readWrite)
        let second = try bench.system.open(bench.path("a"), .read)
        defer {
          first.close()
          second.close()
        }
        try bench.write([4, 5], to: first, at: 3)
        try bench.expectEqual(
          try second.read(at: 0, count: 9), [1, 2, 3, 4, 5], "the other descriptor's view")
        try bench.expectEqual(try second.status().size, 5, "the other descriptor's size")
      },
      ConformanceCheck("synchronising a file keeps its bytes") { (bench) throws(StorageError) in
        let file = try bench.system.open(bench.path("a"), .createNew)
        defer { file.close() }
        try bench.write([1, 2, 3], to: file)
        _ = try file.synchronize()
        _ = try file.synchronize()
        try bench.expectEqual(try file.read(at: 0, count: 9), [1, 2, 3], "the file")
      },
      ConformanceCheck("a closed file throws, closing twice does nothing") { (bench) throws(StorageError) in
        let file = try bench.system.open(bench.path("a"), .createNew)
        file.close()
        file.close()
        let bytes: [UInt8] = [1]
        try bench.expectError(.closed, when: "a read") { () throws(StorageError) in
          _ = try file.read(at: 0, count: 1)
        }
        try bench.expectError(.closed, when: "a write") { () throws(StorageError) in
          _ = try file.write(bytes.span, at: 0)
        }
        try bench.expectError(.closed, when: "a sync") { () throws(StorageError) in _ = try file.synchronize()
        }
        try bench.expectError(.closed, when: "a status") { () throws(StorageError) in _ = try file.status() }
        try bench.expectError(.closed, when: "a truncation") { () throws(StorageError) in
          try file.truncate(to: 0)
        }
      },
    ]
  }
}
