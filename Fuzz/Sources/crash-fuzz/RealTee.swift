// SPDX-License-Identifier: Apache-2.0

import PageExplorer
import PageJournal
import PageJournalFaults
import Synchronization

/// Does each call on the real file system and, when that went well, on the model of it.
final class RealTee: ForwardingFileSystem {
  private struct State: Sendable {
    var before: SimulatedFileSystem?
    var handles: [any RealHandle] = []
    var divergence: String?
  }

  /// What was called so far.
  let model: SimulatedFileSystem
  /// The moment at which it ends.
  let cut: RealCut
  let base: any FileSystem = PosixFileSystem()
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

  /// A call that only looks, and is handed on.
  func before(_ operation: FileOperation, _ path: String) throws(StorageError) { try cut.begin(path) }

  private func inner(_ path: String) -> String {
    path.hasPrefix(root) ? String(path.dropFirst(root.count)) : path
  }

  // MARK: FileSystem

  func open(_ path: String, _ mode: FileMode) throws(StorageError) -> any File {
    let (base, model, inside) = (base, model, inner(path))
    guard mode == .createNew else {
      try cut.begin(path)
      let file = try base.open(path, mode)
      return RealFile(self, path, file, try? model.open(inside, mode))
    }
    let found = Mutex<(any File)?>(nil)
    let file = try call(path) { () throws(StorageError) in
      try base.open(path, mode)
    } onModel: { _ throws(StorageError) in
      let copy = try model.open(inside, mode)
      found.withLock { $0 = copy }
    }
    return RealFile(self, path, file, found.withLock { $0 })
  }

  func openDirectory(_ path: String) throws(StorageError) -> any Directory {
    try cut.begin(path)
    let directory = try base.openDirectory(path)
    return RealDirectory(self, path, directory, try? model.openDirectory(inner(path)))
  }

  func rename(_ path: String, to target: String) throws(StorageError) {
    try call(path) { () throws(StorageError) in
      try base.rename(path, to: target)
    } onModel: { _ throws(StorageError) in
      try model.rename(inner(path), to: inner(target))
    }
  }

  func remove(_ path: String) throws(StorageError) {
    try call(path) { () throws(StorageError) in
      try base.remove(path)
    } onModel: { _ throws(StorageError) in
      try model.remove(inner(path))
    }
  }

  func createDirectory(_ path: String) throws(StorageError) {
    try call(path) { () throws(StorageError) in
      try base.createDirectory(path)
    } onModel: { _ throws(StorageError) in
      try model.createDirectory(inner(path))
    }
  }

  func removeDirectory(_ path: String) throws(StorageError) {
    try call(path) { () throws(StorageError) in
      try base.removeDirectory(path)
    } onModel: { _ throws(StorageError) in
      try model.removeDirectory(inner(path))
    }
  }
}

/// What holds a descriptor of the real volume.
protocol RealHandle: Sendable {
  func closeReal()
}

private final class RealFile: ForwardingFile, RealHandle {
  private let tee: RealTee
  private let path: String
  let base: any File
  private let model: (any File)?

  init(_ tee: RealTee, _ path: String, _ base: any File, _ model: (any File)?) {
    self.tee = tee
    self.path = path
    self.base = base
    self.model = model
    tee.keep(self)
  }

  func before(_ operation: FileOperation) throws(StorageError) { try tee.cut.begin(path) }

  func write(_ bytes: Span<UInt8>, at offset: UInt64) throws(StorageError) -> Int {
    let copy = [UInt8](copying: bytes)
    return try tee.call(path) { () throws(StorageError) in
      try base.write(copy.span, at: offset)
    } onModel: { taken throws(StorageError) in
      _ = try model?.write(copy.span.extracting(0..<(taken ?? copy.count)), at: offset)
    }
  }

  func truncate(to size: UInt64) throws(StorageError) {
    try tee.call(path) { () throws(StorageError) in
      try base.truncate(to: size)
    } onModel: { _ throws(StorageError) in
      try model?.truncate(to: size)
    }
  }

  func synchronize() throws(StorageError) -> Durability {
    try tee.call(path) { () throws(StorageError) in
      tee.forgetsSyncs ? .medium : try base.synchronize()
    } onModel: { _ throws(StorageError) in
      _ = try model?.synchronize()
    }
  }

  func close() {
    base.close()
    model?.close()
  }

  func closeReal() { base.close() }
}

private final class RealDirectory: ForwardingDirectory, RealHandle {
  private let tee: RealTee
  private let path: String
  let base: any Directory
  private let model: (any Directory)?

  init(_ tee: RealTee, _ path: String, _ base: any Directory, _ model: (any Directory)?) {
    self.tee = tee
    self.path = path
    self.base = base
    self.model = model
    tee.keep(self)
  }

  func synchronize() throws(StorageError) -> Durability {
    try tee.call(path) { () throws(StorageError) in
      try base.synchronize()
    } onModel: { _ throws(StorageError) in
      _ = try model?.synchronize()
    }
  }

  func before(_ operation: FileOperation) throws(StorageError) { try tee.cut.begin(path) }

  func close() {
    base.close()
    model?.close()
  }

  func closeReal() { base.close() }
}
