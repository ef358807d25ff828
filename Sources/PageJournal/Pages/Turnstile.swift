// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Lets callers through one at a time, in the order in which they came.
///
/// A plain lock lets the thread that has just given it back take it again before those that wait have woken up: each
/// commit of a busy thread would then get a synchronisation of its own, and the others none.
final class Turnstile: Sendable {
  private final class Turn: Sendable {
    /// Held until its owner is through; only the next in line waits for it.
    let lock = Mutex(())
  }

  private let last = Mutex<Turn?>(nil)

  func pass(_ body: () throws(StorageError) -> Bool) throws(StorageError) -> Bool {
    let mine = Turn()
    return try mine.lock.withLock { (_) throws(StorageError) in
      let before = last.withLock { last in
        let before = last
        last = mine
        return before
      }
      before?.lock.withLock { _ in }
      return try body()
    }
  }
}
