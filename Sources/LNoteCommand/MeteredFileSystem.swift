// SPDX-License-Identifier: Apache-2.0

import PageJournal
import Synchronization

/// The operating system's files, with the written bytes of pages counted.
final class MeteredFileSystem: FileSystem {
  struct Count: Sendable {
    var journal = 0
    var snapshot = 0
  }

  private let base = PosixFileSystem()
  private let counts = Mutex(Count())

  var count: Count { counts.withLock { $0 } }

  func open(_ path: String, _ mode: FileMode) throws(StorageError) -> any File {
    let file = try base.open(path, mode)
    guard mode != .read else { return file }
    let isJournal = path.hasSuffix(".journal")
    guard isJournal || path.hasSuffix(".content") || path.hasSuffix(".content.tmp") else { return file }
    return MeteredFile(file) { [self] bytes in
      counts.withLock { count in
        if isJournal { count.journal += bytes } else { count.snapshot += bytes }
      }
    }
  }

  func openDirectory(_ path: String) throws(StorageError) -> any Directory { try base.openDirectory(path) }
  func names(in path: String) throws(StorageError) -> [String] { try base.names(in: path) }
  func status(of path: String) throws(StorageError) -> FileStatus { try base.status(of: path) }
  func rename(_ path: String, to target: String) throws(StorageError) { try base.rename(path, to: target) }
  func remove(_ path: String) throws(StorageError) { try base.remove(path) }
  func createDirectory(_ path: String) throws(StorageError) { try base.createDirectory(path) }
  func removeDirectory(_ path: String) throws(StorageError) { try base.removeDirectory(path) }
}

private final class MeteredFile: File {
  private let base: any File
  private let wrote: @Sendable (Int) -> Void

  init(_ base: any File, wrote: @escaping @Sendable (Int) -> Void) {
    self.base = base
    self.wrote = wrote
  }

  func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
    try base.read(at: offset, count: count)
  }

  func write(_ bytes: Span<UInt8>, at offset: UInt64) throws(StorageError) -> Int {
    let taken = try base.write(bytes, at: offset)
    wrote(taken)
    return taken
  }

  func truncate(to size: UInt64) throws(StorageError) { try base.truncate(to: size) }
  func synchronize() throws(StorageError) -> Durability { try base.synchronize() }
  func status() throws(StorageError) -> FileStatus { try base.status() }
  func close() { base.close() }
}
