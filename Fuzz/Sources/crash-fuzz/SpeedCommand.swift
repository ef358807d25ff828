// SPDX-License-Identifier: Apache-2.0

import Foundation
import PageExplorer

/// How fast states are looked at: opening, replay and comparison of a page with a journal of 7 KB.
enum SpeedCommand {
  static func run(_ arguments: [String]) throws(UsageError) -> Int32 {
    _ = try Options(arguments, known: [])
    do {
      let speed = try ReplaySpeed()
      let count = 50_000
      let begin = ContinuousClock.now
      try speed.run(count)
      let seconds = Progress.seconds(ContinuousClock.now - begin)
      Tool.tell(
        "\(Int(Double(count) / seconds)) states a second on one core: opened for reading, \(speed.bytes) bytes of "
          + "journal replayed, \(speed.elements) elements compared")
      return 0
    } catch {
      Tool.tell("violation of \(violation(error))")
      return 1
    }
  }
}
