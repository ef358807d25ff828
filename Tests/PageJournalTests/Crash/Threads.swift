// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Threads that are given some time, and are waited for at the end.
final class Threads: @unchecked Sendable {
  private let group = DispatchGroup()

  /// - Returns: whether `body` came to its end in that time.
  @discardableResult
  func run(waitingAtMost seconds: Double, _ body: @escaping @Sendable () -> Void) -> Bool {
    let done = DispatchSemaphore(value: 0)
    group.enter()
    Thread { [group] in
      body()
      done.signal()
      group.leave()
    }.start()
    return done.wait(timeout: .now() + seconds) == .success
  }

  func join() { group.wait() }
}
