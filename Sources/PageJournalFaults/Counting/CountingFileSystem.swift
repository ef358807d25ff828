// SPDX-License-Identifier: Apache-2.0

public import PageJournal
internal import Synchronization

/// How often a file system was called, and with how many bytes.
public struct CallCounts: Sendable, Equatable, CustomStringConvertible {
  /// Calls of each kind, failed ones included; kinds without calls are absent.
  public private(set) var calls: [FileOperation: Int] = [:]
  /// Bytes that reads gave.
  public private(set) var bytesRead: UInt64 = 0
  /// Bytes that writes took.
  public private(set) var bytesWritten: UInt64 = 0

  /// No calls.
  public init() {}

  /// The calls of one kind.
  public subscript(operation: FileOperation) -> Int { calls[operation] ?? 0 }

  /// Calls of the kinds that can change something on the medium or make it durable.
  public var mutatingCalls: Int {
    let kinds: [FileOperation] = [
      .create, .write, .truncate, .synchronizeFile, .synchronizeDirectory, .rename, .remove, .createDirectory,
      .removeDirectory,
    ]
    return kinds.reduce(0) { $0 + self[$1] }
  }

  mutating func count(_ operation: FileOperation) { calls[operation, default: 0] += 1 }

  mutating func add(read: Int = 0, written: Int = 0) {
    bytesRead &+= UInt64(clamping: read)
    bytesWritten &+= UInt64(clamping: written)
  }

  mutating func add(_ other: CallCounts) {
    for (operation, count) in other.calls { calls[operation, default: 0] += count }
    bytesRead &+= other.bytesRead
    bytesWritten &+= other.bytesWritten
  }

  /// One line: the kinds that were called, then the bytes.
  public var description: String {
    let kinds = FileOperation.allCases.filter { self[$0] > 0 }.map { "\($0.rawValue) \(self[$0])" }
    return (kinds + ["\(bytesRead) bytes read", "\(bytesWritten) bytes written"]).joined(separator: ", ")
  }
}

/// Wraps a file system and counts its calls and bytes, by kind of call and by the suffix of the path. Calls may come
/// from any thread.
public final class CountingFileSystem: FileSystem {
  private let base: any FileSystem
  private let bySuffix = Mutex<[String: CallCounts]>([:])

  /// Wraps a file system.
  public init(_ base: any FileSystem) { self.base = base }

  /// All calls since the start or the last `reset`.
  public var counts: CallCounts {
    bySuffix.withLock { counts in counts.values.reduce(into: CallCounts()) { $0.add($1) } }
  }

  /// The calls on paths that end in "." and this suffix; "" for names without one. A rename counts for its target.
  public func counts(suffix: String) -> CallCounts { bySuffix.withLock { $0[suffix] ?? CallCounts() } }

  /// The suffixes that were seen, sorted.
  public var suffixes: [String] { bySuffix.withLock { $0.keys.sorted() } }

  /// Starts again at zero.
  public func reset() { bySuffix.withLock { $0 = [:] } }

  /// Counts as `create` for `.createNew`, else as `open`.
  public func open(_ path: String, _ mode: FileMode) throws(StorageError) -> any File {
    let suffix = count(mode == .createNew ? .create : .open, path)
    return CountingFile(self, try base.open(path, mode), suffix)
  }

  /// Opens a directory.
  public func openDirectory(_ path: String) throws(StorageError) -> any Directory {
    let suffix = count(.openDirectory, path)
    return CountingDirectory(self, try base.openDirectory(path), suffix)
  }

  /// The names in a directory.
  public func names(in path: String) throws(StorageError) -> [String] {
    count(.names, path)
    return try base.names(in: path)
  }

  /// What a path leads to.
  public func status(of path: String) throws(StorageError) -> FileStatus {
    count(.status, path)
    return try base.status(of: path)
  }

  /// Renames.
  public func rename(_ path: String, to target: String) throws(StorageError) {
    count(.rename, target)
    try base.rename(path, to: target)
  }

  /// Removes a file's name.
  public func remove(_ path: String) throws(StorageError) {
    count(.remove, path)
    try base.remove(path)
  }

  /// Makes a directory.
  public func createDirectory(_ path: String) throws(StorageError) {
    count(.createDirectory, path)
    try base.createDirectory(path)
  }

  /// Removes an empty directory.
  public func removeDirectory(_ path: String) throws(StorageError) {
    count(.removeDirectory, path)
    try base.removeDirectory(path)
  }

  // MARK: Inside

  @discardableResult
  private func count(_ operation: FileOperation, _ path: String) -> String {
    let suffix = Self.suffix(of: path)
    count(operation, suffix: suffix)
    return suffix
  }

  func count(_ operation: FileOperation, suffix: String) {
    bySuffix.withLock { $0[suffix, default: CallCounts()].count(operation) }
  }

  func add(suffix: String, read: Int = 0, written: Int = 0) {
    bySuffix.withLock { $0[suffix, default: CallCounts()].add(read: read, written: written) }
  }

  private static func suffix(of path: String) -> String {
    let bytes = path.utf8
    guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")) else { return "" }
    let suffix = path[bytes.index(after: dot)...]
    return suffix.utf8.contains(UInt8(ascii: "/")) ? "" : String(suffix)
  }
}

/// An open file that counts.
private final class CountingFile: File, SynchronizationFailing {
  private let system: CountingFileSystem
  private let base: any File
  private let suffix: String

  init(_ system: CountingFileSystem, _ base: any File, _ suffix: String) {
    self.system = system
    self.base = base
    self.suffix = suffix
  }

  func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
    system.count(.read, suffix: suffix)
    let bytes = try base.read(at: offset, count: count)
    system.add(suffix: suffix, read: bytes.count)
    return bytes
  }

  func write(_ bytes: Span<UInt8>, at offset: UInt64) throws(StorageError) -> Int {
    system.count(.write, suffix: suffix)
    let taken = try base.write(bytes, at: offset)
    system.add(suffix: suffix, written: taken)
    return taken
  }

  func truncate(to size: UInt64) throws(StorageError) {
    system.count(.truncate, suffix: suffix)
    try base.truncate(to: size)
  }

  func synchronize() throws(StorageError) -> Durability {
    system.count(.synchronizeFile, suffix: suffix)
    return try base.synchronize()
  }

  func failSynchronization(_ failure: SynchronizationFailure) -> Bool {
    (base as? any SynchronizationFailing)?.failSynchronization(failure) ?? false
  }

  func status() throws(StorageError) -> FileStatus {
    system.count(.status, suffix: suffix)
    return try base.status()
  }

  func close() { base.close() }
}

/// An open directory that counts.
private final class CountingDirectory: Directory {
  private let system: CountingFileSystem
  private let base: any Directory
  private let suffix: String

  init(_ system: CountingFileSystem, _ base: any Directory, _ suffix: String) {
    self.system = system
    self.base = base
    self.suffix = suffix
  }

  func synchronize() throws(StorageError) -> Durability {
    system.count(.synchronizeDirectory, suffix: suffix)
    return try base.synchronize()
  }

  func tryLock() throws(StorageError) -> Bool {
    system.count(.lock, suffix: suffix)
    return try base.tryLock()
  }

  func close() { base.close() }
}
