// SPDX-License-Identifier: Apache-2.0

import DocumentExplorer
import PageExplorer
import PageJournalFaults

/// The batteries that explore a document.
enum DocumentBatteries {
  private static func text(_ steps: [CrashWorkload.Step]) -> String {
    steps.map(\.rawValue).joined(separator: ",")
  }

  static func crashes(_ length: Int) -> Outcome {
    var outcome = Outcome()
    var seen: Set<DocumentState> = []
    for length in 1...length {
      for steps in DocumentWalk.sequences(length) {
        do {
          let workload = try CrashWorkload()
          for step in steps.dropLast() { try workload.run(step) }
          for moment in try DocumentWalk.moments(of: steps[length - 1], workload, limit: 40) {
            guard seen.insert(moment).inserted else { continue }
            outcome.states += 1
            var check = CrashCheck(moment.expected, workload)
            check.check(
              moment.image, spoilsCache: outcome.states % 3 == 0,
              innerImages: outcome.states % 20 == 0 ? 4 : 0)
            if let first = check.violations.first { throw first }
          }
        } catch {
          outcome.violation = violation(error, 8)
          outcome.sequence = text(steps)
          return outcome
        }
      }
    }
    return outcome
  }

  static func kills() -> Outcome {
    var outcome = Outcome()
    for length in 1...2 {
      for steps in DocumentWalk.sequences(length) {
        do {
          let (images, finding) = try DocumentWalk.kills(steps, limit: 6)
          outcome.states += images
          if let finding { throw finding.violation }
        } catch {
          outcome.violation = violation(error, 8)
          outcome.sequence = text(steps)
          return outcome
        }
      }
    }
    return outcome
  }
}
