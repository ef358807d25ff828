// SPDX-License-Identifier: Apache-2.0

import Foundation
import PageJournal
import Synchronization

/// The moment at which the power goes: before a certain call, or, from another thread, while it is going on.
final class RealCut: Sendable {
  enum Place: Sendable, Equatable {
    /// Before the call begins.
    case before
    /// So many nanoseconds after it has begun.
    case during(UInt64)
  }

  private let place: Place
  private let target: Int
  private let volume: @Sendable () -> Int32
  private let count = Atomic(0)
  private let isArmed = Atomic(false)
  private let outcome = Atomic<Int32>(-1)
  private let begun = DispatchSemaphore(value: 0)
  private let done = DispatchSemaphore(value: 0)

  /// - Parameters:
  ///   - target: the number of the call, from 1.
  ///   - volume: cuts it off and gives an error number.
  init(_ place: Place, call target: Int, volume: @escaping @Sendable () -> Int32) {
    self.place = place
    self.target = target
    self.volume = volume
    guard case .during(let delay) = place else { return }
    Thread.detachNewThread { [self] in
      begun.wait()
      // Not by sleeping: that takes longer than the call.
      let start = DispatchTime.now().uptimeNanoseconds
      while DispatchTime.now().uptimeNanoseconds - start < delay {}
      act()
      done.signal()
    }
  }

  /// Whether it has come, or is just coming: what is told from now on counts for nothing.
  var hasCome: Bool { isArmed.load(ordering: .sequentiallyConsistent) }

  /// How many calls there were.
  var calls: Int { count.load(ordering: .relaxed) }

  /// Called before each call. Throws when there is no file system any more.
  func begin(_ path: String) throws(StorageError) {
    if hasCome { throw Self.error(path) }
    guard count.add(1, ordering: .relaxed).newValue == target else { return }
    if place == .before {
      act()
      throw Self.error(path)
    }
    begun.signal()
  }

  /// The workload has ended; if the power did not go yet, it goes now.
  /// - Returns: the error number of the cut.
  func finish() -> Int32 {
    if case .during = place {
      if calls < target { begun.signal() }
      done.wait()
    } else if !hasCome {
      act()
    }
    return outcome.load(ordering: .acquiring)
  }

  private func act() {
    // First the flag, then the cut: whoever finds the flag down after a call knows that the call had ended before.
    isArmed.store(true, ordering: .sequentiallyConsistent)
    outcome.store(volume(), ordering: .releasing)
  }

  private static func error(_ path: String) -> StorageError {
    StorageError(.io, "go on", cause: "the power is gone", file: path)
  }
}
