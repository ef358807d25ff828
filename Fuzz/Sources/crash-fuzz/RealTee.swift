// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults
import Synchronization

/// Does each call on the real file system and, when that went well, on the model of it.
final class RealTee: FileSystem {
  private struct State: Sendable {
    var before: SimulatedFileSystem?
    var handles: [any RealHandle] = []
    var divergence: String?
  }

  /// What was called so far.
  let model: SimulatedFileSystem
  /// The moment at which it ends.
  let cut: RealCut
  private let real = PosixFileSystem()
  /// The real folder that is the model's root.
  private let root: String
  /// Whether files are said to be synchronised and are not.
  let forgetsSyncs: Bool
  /// Called before each call.
  private let prelude: @Sendable () -> Void
  private let state: Mutex<State>

  init(
    _ root: String, _ model: SimulatedFileSystem, _ cut: RealCut, forgetsSyncs: Bool,
    prelude: @escaping @Sendable () -> Void
  ) {
    self.forgetsSyncs = forgetsSyncs
    self.root = root
    self.model = model
    self.cut = cut
    self.prelude = prelude
    state = Mutex(State())
  }

  /// When a call was under way as the power went: the model without it. `model` has it.
  var modelBefore: SimulatedFileSystem? { state.withLock { $0.before } }

  /// A call that the real file system did and the model refused.
  var divergence: String? { state.withLock { $0.divergence } }

  /// Gives all descriptors back, so that the volume can be unmounted.
  func closeAll() {
    for handle in state.withLock({ $0.handles }) { handle.closeReal() }
    state.withLock { $0.handles = [] }
  }

  func keep(_ handle: any RealHandle) { state.withLock { $0.handles.append(handle) } }

  // MARK: One call

  /// A call that changes something.
  func call<Result>(
    _ path: String, _ onReal: () throws(StorageError) -> Result,
    onModel: (Result?) throws(StorageError) -> Void
  ) throws(StorageError) -> Result {
    prelude()
    try cut.begin(path)
    let result: Result
    do throws(StorageError) {
      result = try onReal()
    } catch {
      if cut.hasCome { uncertain { () throws(StorageError) in try onModel(nil) } }
      throw error
    }
    if cut.hasCome {
      uncertain { () throws(StorageError) in try onModel(result) }
      return result
    }
    do throws(StorageError) {
      try onModel(result)
    } catch {
      state.withLock { $0.divergence = $0.divergence ?? "the real volume does it, the model: \(error)" }
    }
    return result
  }

  /// The call that was under way: it happened, or it did not.
  private func uncertain(_ onModel: () throws(StorageError) -> Void) {
    let before = model.afterKill()
    state.withLock { $0.before = $0.before ?? before }
    // What it refuses did not happen there either.
    try? onModel()
  }

  /// A call that only looks.
  func look<Result>(
    _ path: String, _ onReal: () throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    try cut.begin(path)
    return try onReal()
  }

  private func inner(_ path: String) -> String {
    path.hasPrefix(root) ? String(path.dropFirst(root.count)) : path
  }

  // MARK: FileSystem

  func open(_ path: String, _ mode: FileMode) throws(StorageError) -> any File {
    let (real, model, inside) = (real, model, inner(path))
    guard mode == .createNew else {
      let file = try look(path) { () throws(StorageError) in try real.open(path, mode) }
      return RealFile(self, path, file, try? model.open(inside, mode))
    }
    let found = Mutex<(any File)?>(nil)
    let file = try call(path) { () throws(StorageError) in
      try real.open(path, mode)
    } onModel: { _ throws(StorageError) in
      let copy = try model.open(inside, mode)
      found.withLock { $0 = copy }
    }
    return RealFile(self, path, file, found.withLock { $0 })
  }

  func openDirectory(_ path: String) throws(StorageError) -> any Directory {
    let real = real
    let directory = try look(path) { () throws(StorageError) in try real.openDirectory(path) }
    return RealDirectory(self, path, directory, try? model.openDirectory(inner(path)))
  }

  func names(in path: String) throws(StorageError) -> [String] {
    try look(path) { () throws(StorageError) in try real.names(in: path) }
  }

  func status(of path: String) throws(StorageError) -> FileStatus {
    try look(path) { () throws(StorageError) in try real.status(of: path) }
  }

  func rename(_ path: String, to target: String) throws(StorageError) {
    try call(path) { () throws(StorageError) in
      try real.rename(path, to: target)
    } onModel: { _ throws(StorageError) in
      try model.rename(inner(path), to: inner(target))
    }
  }

  func remove(_ path: String) throws(StorageError) {
    try call(path) { () throws(StorageError) in
      try real.remove(path)
    } onModel: { _ throws(StorageError) in
      try model.remove(inner(path))
    }
  }

  func createDirectory(_ path: String) throws(StorageError) {
    try call(path) { () throws(StorageError) in
      try real.createDirectory(path)
    } onModel: { _ throws(StorageError) in
      try model.createDirectory(inner(path))
    }
  }

  func removeDirectory(_ path: String) throws(StorageError) {
    try call(path) { () throws(StorageError) in
      try real.removeDirectory(path)
    } onModel: { _ throws(StorageError) in
      try model.removeDirectory(inner(path))
    }
  }
}

/// What holds a descriptor of the real volume.
protocol RealHandle: Sendable {
  func closeReal()
}

private final class RealFile: File, RealHandle {
  private let tee: RealTee
  private let path: String
  private let real: any File
  private let model: (any File)?

  init(_ tee: RealTee, _ path: String, _ real: any File, _ model: (any File)?) {
    self.tee = tee
    self.path = path
    self.real = real
    self.model = model
    tee.keep(self)
  }

  func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
    try tee.look(path) { () throws(StorageError) in try real.read(at: offset, count: count) }
  }

  func write(_ bytes: Span<UInt8>, at offset: UInt64) throws(StorageError) -> Int {
    let copy = [UInt8](copying: bytes)
    return try tee.call(path) { () throws(StorageError) in
      try real.write(copy.span, at: offset)
    } onModel: { taken throws(StorageError) in
      _ = try model?.write(copy.span.extracting(0..<(taken ?? copy.count)), at: offset)
    }
  }

  func truncate(to size: UInt64) throws(StorageError) {
    try tee.call(path) { () throws(StorageError) in
      try real.truncate(to: size)
    } onModel: { _ throws(StorageError) in
      try model?.truncate(to: size)
    }
  }

  func synchronize() throws(StorageError) -> Durability {
    try tee.call(path) { () throws(StorageError) in
      tee.forgetsSyncs ? .medium : try real.synchronize()
    } onModel: { _ throws(StorageError) in
      _ = try model?.synchronize()
    }
  }

  func status() throws(StorageError) -> FileStatus {
    try tee.look(path) { () throws(StorageError) in try real.status() }
  }

  func close() {
    real.close()
    model?.close()
  }

  func closeReal() { real.close() }
}

private final class RealDirectory: Directory, RealHandle {
  private let tee: RealTee
  private let path: String
  private let real: any Directory
  private let model: (any Directory)?

  init(_ tee: RealTee, _ path: String, _ real: any Directory, _ model: (any Directory)?) {
    self.tee = tee
    self.path = path
    self.real = real
    self.model = model
    tee.keep(self)
  }

  func synchronize() throws(StorageError) -> Durability {
    try tee.call(path) { () throws(StorageError) in
      try real.synchronize()
    } onModel: { _ throws(StorageError) in
      _ = try model?.synchronize()
    }
  }

  func tryLock() throws(StorageError) -> Bool {
    try tee.look(path) { () throws(StorageError) in try real.tryLock() }
  }

  func close() {
    real.close()
    model?.close()
  }

  func closeReal() { real.close() }
}
