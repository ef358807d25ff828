// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// What the work of a crash test has done so far: the states it went through, and which of them must not be lost.
///
/// A crash may leave the last acknowledged state or any one begun since, nothing else. Calls may come from any thread.
public final class CrashLedger<State: Sendable>: Sendable {
  private struct Book: Sendable {
    var states: [State]
    var acknowledged = 0
  }

  private let book: Mutex<Book>

  init(_ initial: State) { book = Mutex(Book(states: [initial])) }

  /// Before or just after a change is handed over: from now on a crash may leave this state.
  public func begin(_ state: State) { book.withLock { $0.states.append(state) } }

  /// The latest state is durable, as your code was told: from now on no crash may leave an earlier one.
  public func acknowledge() { book.withLock { $0.acknowledged = $0.states.count - 1 } }

  /// The states a crash may leave now, the earliest first.
  public var possible: [State] { book.withLock { Array($0.states[$0.acknowledged...]) } }
}
