// SPDX-License-Identifier: Apache-2.0

import Foundation
import PageExplorer
import Synchronization

/// How far a run is and how fast, on a terminal twice a second, else nowhere.
final class Progress: Sendable {
  private struct State: Sendable {
    var phase = ""
    var shown = ContinuousClock.now
    var states = 0
  }

  let begin = ContinuousClock.now
  private let isTerminal = isatty(2) == 1
  private let state = Mutex(State())
  private let known: KnownStates

  init(_ known: KnownStates) { self.known = known }

  var seconds: Double { Self.seconds(ContinuousClock.now - begin) }

  static func seconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
  }

  func enter(_ phase: String) {
    state.withLock { $0.phase = phase }
    tick()
  }

  /// Called often, from any thread.
  func tick() {
    guard isTerminal else { return }
    let phase = state.withLock { state -> String? in
      let now = ContinuousClock.now
      guard now - state.shown > .milliseconds(500) else { return nil }
      state.shown = now
      return state.phase
    }
    guard let phase else { return }
    let count = known.count
    let rate = Int(Double(count) / max(seconds, 0.001))
    Tool.say(
      "\r\u{1B}[K\(phase): \(count) states, \(rate) a second, \(Int(seconds)) s", terminator: "")
  }

  func leave() { if isTerminal { Tool.say("\r\u{1B}[K", terminator: "") } }
}
