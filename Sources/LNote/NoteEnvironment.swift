// SPDX-License-Identifier: Apache-2.0

internal import Foundation
public import PageJournal

/// What the document layer takes from outside.
public struct NoteEnvironment: Sendable {
  /// File system, randomness, compaction threads.
  public var storage: Environment
  /// How pages are kept.
  public var options: StoreOptions
  /// Milliseconds since 1970, for the times that a person sees. Order never depends on it.
  public var now: @Sendable () -> Int64
  /// How long an open for writing waits for the lock.
  public var lockWait: Duration
  /// Waits between two attempts at the lock.
  public var pause: @Sendable (Duration) -> Void

  /// The operating system's; each can be replaced.
  public init(
    storage: Environment = Environment(), options: StoreOptions = StoreOptions(),
    now: (@Sendable () -> Int64)? = nil, lockWait: Duration = .zero,
    pause: (@Sendable (Duration) -> Void)? = nil
  ) {
    self.storage = storage
    self.options = options
    self.now = now ?? { Int64(Date().timeIntervalSince1970 * 1000) }
    self.lockWait = lockWait
    self.pause =
      pause ?? { duration in
        let (seconds, attoseconds) = duration.components
        Thread.sleep(forTimeInterval: Double(seconds) + Double(attoseconds) * 1e-18)
      }
  }
}
