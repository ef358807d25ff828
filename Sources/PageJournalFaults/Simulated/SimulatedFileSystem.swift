// SPDX-License-Identifier: Apache-2.0

public import PageJournal
internal import Synchronization

/// A file system in memory that knows what a power cut would leave of it.
///
/// For each file it keeps the bytes that are certain to survive and the writes and size changes since; for each
/// directory the names that are certain and the name operations since. Synchronising a file settles its bytes
/// and size, not its name; synchronising a directory settles its names, not its children's bytes; a rename
/// between two directories needs both. `crashImages` goes through what a power cut at this moment may leave.
///
/// It uses no clock and no chance: the same calls give the same state. Calls may come from any thread. "/" is
/// the root and the working directory; there are no links. A file may have at most 1 GiB.
public final class SimulatedFileSystem: FileSystem {
  private let disk: Mutex<SimulatedDisk>
  private let syncObservers: Mutex<SyncObservers>

  private struct SyncObservers: Sendable {
    /// The one that whoever has this object may set.
    var open: (@Sendable (SimulatedFileSystem, SimulatedEvent) -> Void)?
    /// The one of a crash test, which the code under test cannot take away.
    var inner: (@Sendable (SimulatedFileSystem, SimulatedEvent) -> Void)?
  }

  init(disk: SimulatedDisk) {
    self.disk = Mutex(disk)
    syncObservers = Mutex(SyncObservers())
  }

  /// An empty file system that has only its root directory.
  /// - Parameters:
  ///   - device: The device number its files report.
  ///   - recordsEvents: Whether `events` is kept; without it the log stays empty and events are only counted.
  public convenience init(device: UInt64 = 1, recordsEvents: Bool = true) {
    self.init(disk: SimulatedDisk(device: device, recordsEvents: recordsEvents))
  }

  /// The file system that the next process finds after this one was killed: everything written is there to be
  /// read, and what was pending is still pending. Locks and descriptors are gone. This object is not changed.
  public func afterKill() -> SimulatedFileSystem {
    var copy = withDisk { $0 }
    copy.closeAll()
    return SimulatedFileSystem(disk: copy)
  }

  /// Calls `body` at each sync of a file or directory, just before it settles anything: the moment at which most
  /// is pending. The body may ask for crash images, and may begin the same on a restarted file system. It is
  /// called on the thread that synchronises, on several at once where several synchronise; nil ends it. What is
  /// changed while it runs, by it or by another thread, is not settled by that sync.
  public func observeSyncs(_ body: (@Sendable (SimulatedFileSystem, SimulatedEvent) -> Void)?) {
    syncObservers.withLock { $0.open = body }
  }

  /// The same beside `observeSyncs`, for a crash test. It is called first.
  func watchSyncs(_ body: (@Sendable (SimulatedFileSystem, SimulatedEvent) -> Void)?) {
    syncObservers.withLock { $0.inner = body }
  }

  /// This moment, descriptors included, without observers.
  func copy() -> SimulatedFileSystem { SimulatedFileSystem(disk: withDisk { $0 }) }

  /// All calls so far that changed something, in order. Empty when they are not recorded.
  public var events: [SimulatedEvent] { withDisk { $0.events } }

  /// How many such calls there were, recorded or not.
  public var eventCount: UInt64 { withDisk { $0.eventCount } }

  /// Whether a power cut now could change what is read: a write, a size or a name is not settled.
  public var hasPending: Bool {
    withDisk { disk in
      !disk.pendingNames.isEmpty || disk.files.contains { $0.links > 0 && !$0.changes.isEmpty }
    }
  }

  // MARK: FileSystem

  /// Opens a file; see `FileSystem`. Errors: `notFound`, `alreadyExists`, `wrongKind`.
  public func open(_ path: String, _ mode: FileMode) throws(StorageError) -> any File {
    let number = try withDisk { (disk) throws(StorageError) in try disk.open(path, mode) }
    return SimulatedFile(self, number)
  }

  /// Opens a directory. Errors: `notFound`, `wrongKind`.
  public func openDirectory(_ path: String) throws(StorageError) -> any Directory {
    let number = try withDisk { (disk) throws(StorageError) in
      let inode = try disk.directory(path, "open the directory")
      return disk.openDescriptor(inode, path, writable: false)
    }
    return SimulatedDirectory(self, number)
  }

  /// The names in a directory, sorted. Errors: `notFound`, `wrongKind`.
  public func names(in path: String) throws(StorageError) -> [String] {
    try withDisk { (disk) throws(StorageError) in
      let inode = try disk.directory(path, "list the directory")
      return disk.directories[inode]?.current.names ?? []
    }
  }

  /// What a path leads to. Errors: `notFound`; `wrongKind` when a file stands where a directory should.
  public func status(of path: String) throws(StorageError) -> FileStatus {
    try withDisk { (disk) throws(StorageError) in
      disk.status(of: try disk.lookUp(path, "ask for the status"))
    }
  }

  /// Renames. Errors: `notFound`; `wrongKind` for a file over a directory or the reverse; `alreadyExists` over a
  /// directory that is not empty; `usage` for a directory into itself.
  public func rename(_ path: String, to target: String) throws(StorageError) {
    try withDisk { (disk) throws(StorageError) in try disk.rename(path, to: target) }
  }

  /// Removes a file's name; open descriptors go on working. Errors: `notFound`, `wrongKind`.
  public func remove(_ path: String) throws(StorageError) {
    try withDisk { (disk) throws(StorageError) in try disk.remove(path) }
  }

  /// Makes a directory. Errors: `notFound`, `alreadyExists`, `wrongKind`.
  public func createDirectory(_ path: String) throws(StorageError) {
    try withDisk { (disk) throws(StorageError) in try disk.createDirectory(path) }
  }

  /// Removes an empty directory. Errors: `notFound`, `wrongKind`; `alreadyExists` when it is not empty.
  public func removeDirectory(_ path: String) throws(StorageError) {
    try withDisk { (disk) throws(StorageError) in try disk.removeDirectory(path) }
  }

  // MARK: Inside

  func withDisk<Result: Sendable>(
    _ body: (inout SimulatedDisk) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    try disk.withLock { (disk) throws(StorageError) in try body(&disk) }
  }

  func withDisk<Result: Sendable>(_ body: (inout SimulatedDisk) -> Result) -> Result {
    disk.withLock { body(&$0) }
  }

  /// Calls the observers of a sync.
  /// - Returns: The number of the latest event before it. What comes later it does not settle: nobody would have looked
  ///   at the moment in which that was pending.
  func announceSync(_ operation: FileOperation, of number: UInt64) -> UInt64 {
    let observers = syncObservers.withLock { $0 }
    guard observers.open != nil || observers.inner != nil else { return .max }
    let event = withDisk { disk -> SimulatedEvent? in
      guard let path = disk.descriptors[number]?.path else { return nil }
      return SimulatedEvent(
        number: disk.eventCount + 1, operation: operation, path: path, target: nil, offset: 0, count: 0)
    }
    guard let event else { return .max }
    observers.inner?(self, event)
    observers.open?(self, event)
    return event.number - 1
  }
}
