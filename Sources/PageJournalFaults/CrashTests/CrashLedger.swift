// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// What the work of a crash test has done so far: the states it went through, and which of them must not be lost.
///
/// A crash may leave the last acknowledged state or any one begun since, nothing else. Calls may come from any thread.
/// States are told apart by their value: where the work comes back to one that it had before, a crash that shows the
/// former passes for the latter, so let each state have something of its own, a number for instance.
public final class CrashLedger<State: Sendable>: Sendable {
  private struct Book: Sendable {
    var states: [State]
    var acknowledged = 0
    var acknowledgements = 0
  }

  private let book: Mutex<Book>

  init(_ initial: State) { book = Mutex(Book(states: [initial])) }

  /// Just before a change is handed over: from now on a crash may leave this state.
  ///
  /// With several threads, call it under the lock that also orders the changes, so that states begin in the order in
  /// which the changes happen.
  /// - Returns: The number of this state, for `acknowledge(_:)`; the initial one has 0.
  @discardableResult
  public func begin(_ state: State) -> Int {
    book.withLock { book in
      book.states.append(state)
      return book.states.count - 1
    }
  }

  /// The latest state is durable, as your code was told: from now on no crash may leave an earlier one.
  ///
  /// With several threads the latest may be another thread's: use `acknowledge(_:)`.
  public func acknowledge() { acknowledge(.max) }

  /// The state with this number is durable, as your code was told: from now on no crash may leave an earlier one.
  /// - Parameter number: What `begin(_:)` has returned. A smaller one than before changes nothing; one that is above the
  ///   latest state's counts as that.
  public func acknowledge(_ number: Int) {
    book.withLock { book in
      book.acknowledged = max(book.acknowledged, min(number, book.states.count - 1))
      book.acknowledgements += 1
    }
  }

  /// The states a crash may leave now, the earliest first.
  public var possible: [State] { possible(since: floor) }

  /// The number of the latest state that is acknowledged.
  var floor: Int { book.withLock { $0.acknowledged } }

  /// The states begun since the one with that number, and that one.
  func possible(since floor: Int) -> [State] { book.withLock { Array($0.states[floor...]) } }

  /// How often something was acknowledged.
  var acknowledgements: Int { book.withLock { $0.acknowledgements } }
}
