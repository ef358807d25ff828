// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults
import Synchronization

/// What a bug of the file system does to the calls that pass through. Without any of its own, a rule hands all on.
///
/// One object serves a whole process; every file system that is wrapped gets a `BuggyFileSystem` of its own.
package class FileSystemBug: @unchecked Sendable {
  package init() {}

  /// Instead of the file's synchronisation.
  package func synchronize(_ file: BuggyFile) throws(StorageError) -> Durability {
    try file.base.synchronize()
  }

  /// Instead of the directory's. `latest` is what happened to names in it since the last one.
  package func synchronize(
    _ directory: any Directory, at path: String, number: Int, latest: NameChange?
  ) throws(StorageError) -> Durability { try directory.synchronize() }

  /// Instead of a write.
  package func write(_ bytes: Span<UInt8>, _ file: BuggyFile, at offset: UInt64) throws(StorageError) -> Int {
    try file.base.write(bytes, at: offset)
  }

  /// Instead of a renaming.
  package func rename(_ path: String, to target: String, _ system: any FileSystem) throws(StorageError) {
    try system.rename(path, to: target)
  }

  /// Instead of taking the lock.
  package func tryLock(_ directory: any Directory) throws(StorageError) -> Bool { try directory.tryLock() }

  /// Before any other call.
  package func beforeCall(_ system: BuggyFileSystem) {}
}

/// The latest operation on the names of a directory.
package enum NameChange: Sendable {
  case created(String)
  case renamed(String, to: String)
  case removed(String)
}

/// A file system with a bug.
package final class BuggyFileSystem: ForwardingFileSystem {
  package let base: any FileSystem
  let bug: FileSystemBug
  private let latest = Latest()
  let late = Late()

  /// What waits for the next call.
  final class Late: Sendable {
    let file = Mutex<(any File)?>(nil)
  }

  private final class Latest: Sendable {
    let change = Mutex<NameChange?>(nil)
  }

  package init(_ base: any FileSystem, _ bug: FileSystemBug) {
    self.base = base
    self.bug = bug
  }

  fileprivate func takeLatest() -> NameChange? {
    latest.change.withLock { change in
      defer { change = nil }
      return change
    }
  }

  private func note(_ change: NameChange) { latest.change.withLock { $0 = change } }

  package func before(_ operation: FileOperation, _ path: String) { bug.beforeCall(self) }

  package func open(_ path: String, _ mode: FileMode) throws(StorageError) -> any File {
    bug.beforeCall(self)
    let file = try base.open(path, mode)
    if mode == .createNew { note(.created(path)) }
    return BuggyFile(file, path, self)
  }

  package func openDirectory(_ path: String) throws(StorageError) -> any Directory {
    bug.beforeCall(self)
    return BuggyDirectory(try base.openDirectory(path), path, self)
  }

  package func rename(_ path: String, to target: String) throws(StorageError) {
    bug.beforeCall(self)
    try bug.rename(path, to: target, base)
    note(.renamed(path, to: target))
  }

  package func remove(_ path: String) throws(StorageError) {
    bug.beforeCall(self)
    try base.remove(path)
    note(.removed(path))
  }

  package func createDirectory(_ path: String) throws(StorageError) {
    bug.beforeCall(self)
    try base.createDirectory(path)
    note(.created(path))
  }

  package func removeDirectory(_ path: String) throws(StorageError) {
    bug.beforeCall(self)
    try base.removeDirectory(path)
    note(.removed(path))
  }
}

/// A file of a file system with a bug.
package final class BuggyFile: ForwardingFile {
  package let base: any File
  package let path: String
  package let system: BuggyFileSystem

  init(_ base: any File, _ path: String, _ system: BuggyFileSystem) {
    self.base = base
    self.path = path
    self.system = system
  }

  package func before(_ operation: FileOperation) { system.bug.beforeCall(system) }

  package func write(_ bytes: Span<UInt8>, at offset: UInt64) throws(StorageError) -> Int {
    system.bug.beforeCall(system)
    return try system.bug.write(bytes, self, at: offset)
  }

  package func synchronize() throws(StorageError) -> Durability {
    system.bug.beforeCall(system)
    return try system.bug.synchronize(self)
  }

  package func close() {
    system.bug.beforeCall(system)
    base.close()
  }
}

private final class BuggyDirectory: ForwardingDirectory {
  let base: any Directory
  private let path: String
  private let system: BuggyFileSystem
  private let calls = Calls()

  private final class Calls: Sendable {
    let count = Mutex(0)
  }

  init(_ base: any Directory, _ path: String, _ system: BuggyFileSystem) {
    self.base = base
    self.path = path
    self.system = system
  }

  func synchronize() throws(StorageError) -> Durability {
    system.bug.beforeCall(system)
    let number = calls.count.withLock { count in
      count += 1
      return count
    }
    return try system.bug.synchronize(base, at: path, number: number, latest: system.takeLatest())
  }

  func tryLock() throws(StorageError) -> Bool {
    system.bug.beforeCall(system)
    return try system.bug.tryLock(base)
  }
}
