// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// How many cycles are done and how fast, on a terminal twice a second, else nowhere; and whether somebody wants an end.
final class CycleProgress {
  let begin = ContinuousClock.now
  private let what: String
  private let isTerminal = isatty(2) == 1
  private var shown = ContinuousClock.now

  init(_ what: String) {
    self.what = what
    // An interruption ends the cycle that is going on, cleans up and prints what was found until then.
    for number in [SIGINT, SIGTERM, SIGHUP] {
      signal(number) { _ in isInterrupted.store(true, ordering: .relaxed) }
    }
  }

  var seconds: Double { Progress.seconds(ContinuousClock.now - begin) }

  /// Whether the run was asked to end.
  var mustEnd: Bool { isInterrupted.load(ordering: .relaxed) }

  /// Called after each cycle.
  func tick(_ done: Int, of all: Int, violations: Int) {
    guard isTerminal, ContinuousClock.now - shown > .milliseconds(500) else { return }
    shown = ContinuousClock.now
    let rate = Int(Double(done) / max(seconds, 0.001))
    Tool.say(
      "\r\u{1B}[K\(what): \(done) of \(all) cycles, \(rate) a second, \(violations) violations",
      terminator: "")
  }

  func leave() { if isTerminal { Tool.say("\r\u{1B}[K", terminator: "") } }
}

private let isInterrupted = Atomic(false)
