// SPDX-License-Identifier: Apache-2.0

import PageJournal

/// A file system that does not synchronise what has a certain name, and says that it did. Whoever looks for lost
/// data has to find some on it.
struct ForgetfulFileSystem: FileSystem {
  let base: any FileSystem
  /// The end of the paths that are forgotten.
  let forgotten: String

  func open(_ path: String, _ mode: FileMode) throws(StorageError) -> any File {
    let file = try base.open(path, mode)
    return path.hasSuffix(forgotten) ? ForgetfulFile(base: file) : file
  }
  func openDirectory(_ path: String) throws(StorageError) -> any Directory {
    let directory = try base.openDirectory(path)
    return path.hasSuffix(forgotten) ? ForgetfulDirectory(base: directory) : directory
  }
  func names(in path: String) throws(StorageError) -> [String] { try base.names(in: path) }
  func status(of path: String) throws(StorageError) -> FileStatus { try base.status(of: path) }
  func rename(_ path: String, to target: String) throws(StorageError) { try base.rename(path, to: target) }
  func remove(_ path: String) throws(StorageError) { try base.remove(path) }
  func createDirectory(_ path: String) throws(StorageError) { try base.createDirectory(path) }
  func removeDirectory(_ path: String) throws(StorageError) { try base.removeDirectory(path) }
}

private final class ForgetfulFile: File {
  let base: any File
  init(base: any File) { self.base = base }
  func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
    try base.read(at: offset, count: count)
  }
  func write(_ bytes: Span<UInt8>, at offset: UInt64) throws(StorageError) -> Int {
    try base.write(bytes, at: offset)
  }
  func truncate(to size: UInt64) throws(StorageError) { try base.truncate(to: size) }
  func synchronize() throws(StorageError) -> Durability { .medium }
  func status() throws(StorageError) -> FileStatus { try base.status() }
  func close() { base.close() }
}

private final class ForgetfulDirectory: Directory {
  let base: any Directory
  init(base: any Directory) { self.base = base }
  func synchronize() throws(StorageError) -> Durability { .medium }
  func tryLock() throws(StorageError) -> Bool { try base.tryLock() }
  func close() { base.close() }
}
