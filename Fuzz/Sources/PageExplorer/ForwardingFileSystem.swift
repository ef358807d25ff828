// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults

/// A file system that hands every call on to another one. Who conforms writes only the calls that it changes.
package protocol ForwardingFileSystem: FileSystem {
  var base: any FileSystem { get }

  /// Before every call that is handed on; what it throws the call throws.
  func before(_ operation: FileOperation, _ path: String) throws(StorageError)
}

extension ForwardingFileSystem {
  package func before(_ operation: FileOperation, _ path: String) throws(StorageError) {}

  package func open(_ path: String, _ mode: FileMode) throws(StorageError) -> any File {
    try before(mode == .createNew ? .create : .open, path)
    return try base.open(path, mode)
  }

  package func openDirectory(_ path: String) throws(StorageError) -> any Directory {
    try before(.openDirectory, path)
    return try base.openDirectory(path)
  }

  package func names(in path: String) throws(StorageError) -> [String] {
    try before(.names, path)
    return try base.names(in: path)
  }

  package func status(of path: String) throws(StorageError) -> FileStatus {
    try before(.status, path)
    return try base.status(of: path)
  }

  package func rename(_ path: String, to target: String) throws(StorageError) {
    try before(.rename, path)
    try base.rename(path, to: target)
  }

  package func remove(_ path: String) throws(StorageError) {
    try before(.remove, path)
    try base.remove(path)
  }

  package func createDirectory(_ path: String) throws(StorageError) {
    try before(.createDirectory, path)
    try base.createDirectory(path)
  }

  package func removeDirectory(_ path: String) throws(StorageError) {
    try before(.removeDirectory, path)
    try base.removeDirectory(path)
  }
}

/// The same for an open file.
package protocol ForwardingFile: File, SynchronizationFailing {
  var base: any File { get }

  /// Before every call that is handed on, but not before `close`.
  func before(_ operation: FileOperation) throws(StorageError)
}

extension ForwardingFile {
  package func before(_ operation: FileOperation) throws(StorageError) {}

  package func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
    try before(.read)
    return try base.read(at: offset, count: count)
  }

  package func write(_ bytes: Span<UInt8>, at offset: UInt64) throws(StorageError) -> Int {
    try before(.write)
    return try base.write(bytes, at: offset)
  }

  package func truncate(to size: UInt64) throws(StorageError) {
    try before(.truncate)
    try base.truncate(to: size)
  }

  package func synchronize() throws(StorageError) -> Durability {
    try before(.synchronizeFile)
    return try base.synchronize()
  }

  package func failSynchronization(_ failure: SynchronizationFailure) -> Bool {
    (base as? any SynchronizationFailing)?.failSynchronization(failure) ?? false
  }

  package func status() throws(StorageError) -> FileStatus {
    try before(.status)
    return try base.status()
  }

  package func close() { base.close() }
}

/// The same for an open directory.
package protocol ForwardingDirectory: Directory {
  var base: any Directory { get }

  /// Before every call that is handed on, but not before `close`.
  func before(_ operation: FileOperation) throws(StorageError)
}

extension ForwardingDirectory {
  package func before(_ operation: FileOperation) throws(StorageError) {}

  package func synchronize() throws(StorageError) -> Durability {
    try before(.synchronizeDirectory)
    return try base.synchronize()
  }

  package func tryLock() throws(StorageError) -> Bool {
    try before(.lock)
    return try base.tryLock()
  }

  package func close() { base.close() }
}
