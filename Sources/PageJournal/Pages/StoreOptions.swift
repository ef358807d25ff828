// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What a writable open does with bytes that it cannot show.
public enum RecoveryPolicy: Sendable, Equatable {
  /// The table of SPEC.md §7: a crash is mended, damage opens read-only.
  case standard
  /// Throws for everything but `clean` and `leftOpen`, and changes nothing.
  case strict
  /// Damage is set aside and the readable rest becomes writable. Never for a newer version or an unreadable file.
  case drop
}

/// How a store keeps its pages. A plain value.
public struct StoreOptions: Sendable {
  /// What to do about damage.
  public var policy = RecoveryPolicy.standard
  /// Journal bytes at which a merge begins in the background.
  public var compactionThreshold = 256 << 10 {
    didSet { compactionThreshold = min(max(compactionThreshold, 1), 1 << 60) }
  }
  /// Level 0: every `sync` rewrites the snapshot; no journal is ever made.
  public var rewritesAtEverySave = false
  /// Whether snapshot blocks are deflated where that makes them smaller.
  public var deflates = true
  /// Bytes of unwritten commits at which `commit` hands them to the kernel itself.
  public var pendingLimit = 1 << 20
  /// Whether a volume that cannot lock is an error. With false, the caller warrants a single writer.
  public var requiresLock = true
  /// Called after a merge is durable and the journals are gone, on the thread that merged, without locks held.
  public var merged: (@Sendable (PageID, PageFloor) -> Void)?

  /// The defaults.
  public init() {}
}

/// What the pages of one open directory share.
final class StoreContext: Sendable {
  let environment: Environment
  let options: StoreOptions
  let path: String
  private let directory: Mutex<(any Directory)?>
  private let failure = Mutex<StorageError?>(nil)

  init(environment: Environment, options: StoreOptions, path: String, directory: (any Directory)?) {
    self.environment = environment
    self.options = options
    self.path = path
    self.directory = Mutex(directory)
  }

  var fileSystem: any FileSystem { environment.fileSystem }

  func path(of name: PageFileName) -> String { "\(path)/\(name.text)" }

  func random32() -> UInt32 { UInt32(truncatingIfNeeded: environment.random()) }

  /// The lock was taken anew after a suspension.
  func replaceDirectory(_ new: any Directory) { directory.withLock { $0 = new } }

  /// The failed directory synchronisation that has made every page of this directory read-only, if any.
  var directoryFailure: StorageError? { failure.withLock { $0 } }

  /// Makes all names durable. A failure is final for this store: nobody knows which names are.
  /// - Parameter isForReading: nothing was changed for this yet; on a volume that cannot be written nothing can be
  ///   pending, so that its refusal is none.
  @discardableResult
  func synchronizeNames(isForReading: Bool = false) throws(StorageError) -> Durability {
    if let failed = directoryFailure { throw failed }
    do throws(StorageError) {
      guard let directory = directory.withLock({ $0 }) else {
        throw StorageError(
          .readOnly, "synchronise the directory", cause: "it was opened read-only", file: path)
      }
      return try directory.synchronize()
    } catch {
      if isForReading, error.code == .readOnlyVolume { return .medium }
      let final = StorageError(
        .readOnly, error.operation, cause: error.cause,
        advice:
          "all pages of this directory are read-only until it is opened again; their elements can be saved elsewhere",
        file: error.file ?? path, systemError: error.systemError)
      failure.withLock { $0 = $0 ?? final }
      throw final
    }
  }
}
