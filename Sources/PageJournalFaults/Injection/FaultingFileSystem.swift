// SPDX-License-Identifier: Apache-2.0

public import PageJournal
internal import Synchronization

/// A fault that happened.
public struct FiredFault: Sendable, Hashable, CustomStringConvertible {
  /// The place of its rule in the plan, from 0.
  public var rule: Int
  /// The call it happened to.
  public var operation: FileOperation
  /// The path of that call.
  public var path: String

  /// One line.
  public var description: String { "rule \(rule + 1) on \(operation.rawValue) \(path)" }
}

/// Wraps a file system and makes calls fail as a plan says; with an empty plan it changes nothing.
///
/// Failed syncs leave the state that real ones leave when the wrapped file system can do that
/// (`SynchronizationFailing`, as `SimulatedFileSystem` can); on others only the error is simulated, and the failed
/// sync is not carried out. Calls may come from any thread; rules count them in the order in which they arrive.
///
/// To sweep a fault over all calls, run the work with call 1, 2, 3 … until `fired` stays empty.
public final class FaultingFileSystem: FileSystem {
  private let base: any FileSystem
  private let state: Mutex<FaultState>

  /// Wraps a file system.
  public init(_ base: any FileSystem, plan: FaultPlan = []) {
    self.base = base
    state = Mutex(FaultState(plan))
  }

  /// The plan that is followed. Setting it starts all counts, budgets and `fired` anew.
  public var plan: FaultPlan {
    get { state.withLock { $0.plan } }
    set { state.withLock { $0 = FaultState(newValue) } }
  }

  /// The faults that happened, in order.
  public var fired: [FiredFault] { state.withLock { $0.fired } }

  /// How many calls matched each rule.
  public var matches: [Int] { state.withLock { $0.matches } }

  /// Gives every `space` rule that many bytes more.
  public func addSpace(_ bytes: UInt64) { state.withLock { $0.addSpace(bytes) } }

  /// Opens a file; a call of kind `create` for `.createNew`, else `open`.
  public func open(_ path: String, _ mode: FileMode) throws(StorageError) -> any File {
    try check(mode == .createNew ? .create : .open, path)
    return FaultingFile(self, try base.open(path, mode), path)
  }

  /// Opens a directory.
  public func openDirectory(_ path: String) throws(StorageError) -> any Directory {
    try check(.openDirectory, path)
    return FaultingDirectory(self, try base.openDirectory(path), path)
  }

  /// The names in a directory.
  public func names(in path: String) throws(StorageError) -> [String] {
    try check(.names, path)
    return try base.names(in: path)
  }

  /// What a path leads to.
  public func status(of path: String) throws(StorageError) -> FileStatus {
    try check(.status, path)
    return try base.status(of: path)
  }

  /// Renames.
  public func rename(_ path: String, to target: String) throws(StorageError) {
    try check(.rename, path, target: target)
    try base.rename(path, to: target)
  }

  /// Removes a file's name.
  public func remove(_ path: String) throws(StorageError) {
    try check(.remove, path)
    try base.remove(path)
  }

  /// Makes a directory.
  public func createDirectory(_ path: String) throws(StorageError) {
    try check(.createDirectory, path)
    try base.createDirectory(path)
  }

  /// Removes an empty directory.
  public func removeDirectory(_ path: String) throws(StorageError) {
    try check(.removeDirectory, path)
    try base.removeDirectory(path)
  }

  // MARK: Inside

  func check(_ operation: FileOperation, _ path: String, target: String? = nil) throws(StorageError) {
    if let error = withState({ $0.outcome(operation, path, target: target).error }) { throw error }
  }

  func withState<Result: Sendable>(_ body: (inout FaultState) -> Result) -> Result {
    state.withLock { body(&$0) }
  }
}
