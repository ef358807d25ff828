// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Whether the user has asked the process to stop; long verbs look between two steps and undo what they began.
enum Interruption {
  private static let flag = Atomic<Bool>(false)

  static func watch() {
    for number in [SIGINT, SIGTERM, SIGHUP] {
      signal(number) { _ in Interruption.flag.store(true, ordering: .relaxed) }
    }
  }

  static func check() throws(Failure) {
    if flag.load(ordering: .relaxed) { throw Failure(.io, "interrupted; nothing was left behind") }
  }
}
