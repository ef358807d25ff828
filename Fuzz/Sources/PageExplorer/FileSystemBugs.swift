// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults

/// Files whose path ends like this are never synchronised, and say that they were.
package final class SkippedFileSync: FileSystemBug, @unchecked Sendable {
  private let suffix: String

  package init(_ suffix: String) { self.suffix = suffix }

  package override func synchronize(_ file: BuggyFile) throws(StorageError) -> Durability {
    file.path.hasSuffix(suffix) ? .medium : try file.base.synchronize()
  }
}

/// Directories are not synchronised where `condition` says so, and say that they were.
package final class SkippedDirectorySync: FileSystemBug, @unchecked Sendable {
  /// What is known of the call: the path, the how-manieth it is of its open directory, the latest change of a name.
  package typealias Condition = @Sendable (_ path: String, _ number: Int, _ latest: NameChange?) -> Bool

  private let condition: Condition

  package init(where condition: @escaping Condition) { self.condition = condition }

  package override func synchronize(
    _ directory: any Directory, at path: String, number: Int, latest: NameChange?
  ) throws(StorageError) -> Durability {
    condition(path, number, latest) ? .medium : try directory.synchronize()
  }
}

/// A synchronisation of a journal returns at once and happens with the next call.
package final class LateSync: FileSystemBug, @unchecked Sendable {
  package override func synchronize(_ file: BuggyFile) throws(StorageError) -> Durability {
    guard file.path.hasSuffix(".journal") else { return try file.base.synchronize() }
    file.system.late.file.withLock { $0 = file.base }
    return .medium
  }

  package override func beforeCall(_ system: BuggyFileSystem) {
    let file = system.late.file.withLock { waiting in
      let file = waiting
      waiting = nil
      return file
    }
    _ = try? file?.synchronize()
  }
}

/// A temporary file gets its last name before it is synchronised.
package final class EarlyRename: FileSystemBug, @unchecked Sendable {
  private let suffix: String

  /// - Parameter suffix: the end of the temporary names that this happens to.
  package init(_ suffix: String) { self.suffix = suffix }

  private func isConcerned(_ path: String) -> Bool { path.hasSuffix(suffix) }

  package override func synchronize(_ file: BuggyFile) throws(StorageError) -> Durability {
    if isConcerned(file.path) { try file.system.base.rename(file.path, to: String(file.path.dropLast(4))) }
    return try file.base.synchronize()
  }

  package override func rename(_ path: String, to target: String, _ system: any FileSystem)
    throws(StorageError)
  {
    if isConcerned(path) { return }
    try system.rename(path, to: target)
  }
}

/// The old journals of a page go as soon as its snapshot has its name, before that name is durable.
package final class EarlyUnlink: FileSystemBug, @unchecked Sendable {
  package override func rename(_ path: String, to target: String, _ system: any FileSystem)
    throws(StorageError)
  {
    try system.rename(path, to: target)
    guard target.hasSuffix(".content"), let slash = target.lastIndex(of: "/") else { return }
    let (folder, page) = (target[..<slash], target[target.index(after: slash)...].dropLast(8))
    for name in try system.names(in: String(folder)) where name.hasPrefix(page) && name.hasSuffix(".journal")
    {
      try system.remove("\(folder)/\(name)")
    }
  }
}

/// A synchronisation that failed is tried once more, and what that says is believed.
package final class RepeatedSync: FileSystemBug, @unchecked Sendable {
  package override func synchronize(_ file: BuggyFile) throws(StorageError) -> Durability {
    do throws(StorageError) { return try file.base.synchronize() } catch {
      return try file.base.synchronize()
    }
  }
}

/// A synchronisation that failed is called a success.
package final class BelievedSync: FileSystemBug, @unchecked Sendable {
  package override func synchronize(_ file: BuggyFile) throws(StorageError) -> Durability {
    (try? file.base.synchronize()) ?? .medium
  }
}

/// A write for which there is no space is called a success.
package final class SwallowedNoSpace: FileSystemBug, @unchecked Sendable {
  package override func write(_ bytes: Span<UInt8>, _ file: BuggyFile, at offset: UInt64) throws(StorageError)
    -> Int
  {
    do throws(StorageError) {
      return try file.base.write(bytes, at: offset)
    } catch  where error.code == .noSpace {
      return bytes.count
    }
  }
}

/// A write that took a part is reported as one that took all.
package final class IgnoredShortWrite: FileSystemBug, @unchecked Sendable {
  package override func write(_ bytes: Span<UInt8>, _ file: BuggyFile, at offset: UInt64) throws(StorageError)
    -> Int
  {
    _ = try file.base.write(bytes, at: offset)
    return bytes.count
  }
}

/// The lock is given to everybody.
package final class NoLock: FileSystemBug, @unchecked Sendable {
  package override func tryLock(_ directory: any Directory) throws(StorageError) -> Bool { true }
}
