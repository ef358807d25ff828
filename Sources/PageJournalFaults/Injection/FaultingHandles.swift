// SPDX-License-Identifier: Apache-2.0

internal import PageJournal
internal import Synchronization

/// A file whose calls fail as the plan of its file system says.
final class FaultingFile: File, SynchronizationFailing {
  private let system: FaultingFileSystem
  private let base: any File
  private let path: String
  private let isErrorDue = Mutex(false)

  init(_ system: FaultingFileSystem, _ base: any File, _ path: String) {
    self.system = system
    self.base = base
    self.path = path
  }

  func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
    var bytes = try base.read(at: offset, count: count)
    let (end, overflow) = offset.addingReportingOverflow(UInt64(bytes.count))
    let range = offset..<(overflow ? UInt64.max : end)
    let path = path
    let (error, damages) = system.withState { state in
      let outcome = state.outcome(.read, path, range: range)
      let damages = outcome.damages.map { damage -> (FaultRule.Effect, [UInt8]) in
        if case .stale(let sector) = damage { return (damage, state.former(sector, of: path)) }
        return (damage, [])
      }
      return (outcome.error, damages)
    }
    if let error { throw error }
    for (damage, former) in damages {
      var other = former
      if case .misdirect(_, let sector) = damage {
        // A sector behind every offset there is reads as one behind the end of the file: zeros.
        let (start, overflow) = sector.multipliedReportingOverflow(by: 512)
        other = overflow || start > UInt64(Int64.max) - 512 ? [] : try base.read(at: start, count: 512)
      }
      Self.damage(&bytes, from: offset, damage, other)
    }
    return bytes
  }

  private static func damage(
    _ bytes: inout [UInt8], from offset: UInt64, _ damage: FaultRule.Effect, _ former: [UInt8]
  ) {
    switch damage {
    case .flip(let bit):
      guard bit / 8 >= offset, bit / 8 - offset < UInt64(bytes.count) else { return }
      bytes[Int(bit / 8 - offset)] ^= 1 << UInt8(bit % 8)
    case .zero(let sector), .stale(let sector), .misdirect(let sector, _):
      let (first, isTooFar) = sector.multipliedReportingOverflow(by: 512)
      guard !isTooFar else { return }
      var block = former
      block.append(contentsOf: repeatElement(0, count: max(0, 512 - block.count)))
      for (place, byte) in block.prefix(512).enumerated() {
        let (position, overflow) = first.addingReportingOverflow(UInt64(place))
        guard !overflow, position >= offset, position - offset < UInt64(bytes.count) else { continue }
        bytes[Int(position - offset)] = byte
      }
    case .error, .short, .space, .sync: return
    }
  }

  func write(_ bytes: Span<UInt8>, at offset: UInt64) throws(StorageError) -> Int {
    guard !bytes.isEmpty else { return try base.write(bytes, at: offset) }
    let (path, count) = (path, bytes.count)
    let (error, allowed, keepsFormer) = system.withState { state in
      let outcome = state.outcome(.write, path, count: count)
      return (outcome.error, outcome.allowed, state.keepsFormer)
    }
    if let error { throw error }
    let taken = min(allowed, count)
    if keepsFormer { try keepFormer(offset, taken) }
    return try base.write(taken == count ? bytes : bytes.extracting(0..<taken), at: offset)
  }

  private func keepFormer(_ offset: UInt64, _ count: Int) throws(StorageError) {
    let end = offset.addingReportingOverflow(UInt64(count))
    guard !end.overflow, end.partialValue < UInt64.max - 512 else { return }
    for sector in (offset / 512)...((end.partialValue - 1) / 512) {
      let former = try base.read(at: sector * 512, count: 512)
      let path = path
      system.withState { $0.keep(sector, of: path, former) }
    }
  }

  func truncate(to size: UInt64) throws(StorageError) {
    try system.check(.truncate, path)
    try base.truncate(to: size)
  }

  func synchronize() throws(StorageError) -> Durability {
    let path = path
    let outcome = system.withState { state in
      let outcome = state.outcome(.synchronizeFile, path)
      return (error: outcome.error, failure: outcome.failure)
    }
    if isErrorDue.exchangeFalse() { throw failedSync(path) }
    if let error = outcome.error { throw error }
    guard let failure = outcome.failure else { return try base.synchronize() }
    _ = failSynchronization(failure)
    guard failure == .late else { throw failedSync(path) }
    isErrorDue.withLock { $0 = true }
    return .medium
  }

  func failSynchronization(_ failure: SynchronizationFailure) -> Bool {
    (base as? any SynchronizationFailing)?.failSynchronization(failure) ?? false
  }

  func status() throws(StorageError) -> FileStatus {
    try system.check(.status, path)
    return try base.status()
  }

  func close() { base.close() }
}

/// A directory whose calls fail as the plan of its file system says. A failed sync settles no name.
final class FaultingDirectory: Directory {
  private let system: FaultingFileSystem
  private let base: any Directory
  private let path: String
  private let isErrorDue = Mutex(false)

  init(_ system: FaultingFileSystem, _ base: any Directory, _ path: String) {
    self.system = system
    self.base = base
    self.path = path
  }

  func synchronize() throws(StorageError) -> Durability {
    let path = path
    let outcome = system.withState { state in
      let outcome = state.outcome(.synchronizeDirectory, path)
      return (error: outcome.error, failure: outcome.failure)
    }
    if isErrorDue.exchangeFalse() { throw failedSync(path) }
    if let error = outcome.error { throw error }
    guard let failure = outcome.failure else { return try base.synchronize() }
    guard failure == .late else { throw failedSync(path) }
    isErrorDue.withLock { $0 = true }
    return .medium
  }

  func tryLock() throws(StorageError) -> Bool {
    try system.check(.lock, path)
    return try base.tryLock()
  }

  func close() { base.close() }
}

private func failedSync(_ path: String) -> StorageError {
  StorageError(.io, "synchronise", cause: "a fault was injected: the sync failed", file: path)
}

extension Mutex where Value == Bool {
  /// Sets false and says what it was.
  fileprivate borrowing func exchangeFalse() -> Bool {
    withLock { value in
      defer { value = false }
      return value
    }
  }
}
