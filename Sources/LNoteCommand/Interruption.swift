// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Whether the user has asked the process to stop; long verbs look between two steps and undo what they began.
enum Interruption {
  private static let flag = Atomic<Bool>(false)
  private static let signals = [SIGINT, SIGTERM, SIGHUP]

  /// Begins to watch, until what it returns is let go.
  ///
  /// A program that starts this one from a worker thread hands down that thread's blocked signals, which then never
  /// reach a handler; the sources get those too.
  static func watch() -> [any DispatchSourceSignal] {
    signals.map { number in
      signal(number) { _ in Interruption.flag.store(true, ordering: .relaxed) }
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { Interruption.flag.store(true, ordering: .relaxed) }
      source.activate()
      return source
    }
  }

  static func check() throws(Failure) {
    if flag.load(ordering: .relaxed) { throw Failure(.io, "interrupted; nothing was left behind") }
  }
}
