// SPDX-License-Identifier: Apache-2.0

import PageExplorer
import PageJournal
import PageJournalFaults

/// The batteries that explore a page.
enum PageBatteries {
  private static func starts(_ names: [String]) -> [CrashStart] {
    CrashStart.all.filter { names.contains($0.name) }
  }

  /// All sequences of so many steps.
  private static func sequences(_ length: Int) -> [[CrashStep]] {
    guard length > 0 else { return [[]] }
    return sequences(length - 1).flatMap { head in CrashStep.all.map { head + [$0] } }
  }

  private static func walk(
    _ names: [String], _ length: Int, _ outcome: inout Outcome,
    _ look: (CrashStart, [CrashStep], inout Outcome) throws -> Void
  ) {
    for length in 0...length {
      for start in starts(names) {
        for steps in sequences(length) {
          do {
            try look(start, steps, &outcome)
          } catch {
            outcome.violation = violation(error)
            outcome.sequence = ReplayToken(start: start.name, steps: steps).description
            return
          }
        }
      }
    }
  }

  static func crashes(_ names: [String], _ length: Int, _ depth: Int) -> Outcome {
    let known = KnownStates()
    let checker = CrashChecker(known, limits: [120, 24, 6])
    var outcome = Outcome()
    walk(names, length, &outcome) { start, steps, outcome in
      defer { outcome.states = known.count }
      try CrashWalk.look(start, steps, checker, depth: depth)
    }
    return outcome
  }

  static func kills(_ names: [String], _ length: Int) -> Outcome {
    var outcome = Outcome()
    walk(names, length, &outcome) { start, steps, outcome in
      outcome.states += try KillCheck.look(start, steps, limit: 60)
    }
    return outcome
  }

  static func setAside() -> Outcome {
    var outcome = Outcome()
    walk(["closed-page", "merge-pending"], 1, &outcome) { start, steps, outcome in
      outcome.states += try SetAsideCheck.look(start, steps, limit: 40)
    }
    return outcome
  }

  static func damage() -> Outcome {
    var outcome = Outcome()
    for page in DamageCheck.pages {
      do {
        let check = try DamageCheck(page.start, page.steps)
        defer { outcome.states += check.opened }
        try check.run()
      } catch {
        outcome.violation = violation(error)
        outcome.sequence = ReplayToken(start: page.start.name, steps: page.steps).description
        return outcome
      }
    }
    return outcome
  }

  static func faults(_ kind: Battery.FaultKind, _ names: [String]) -> Outcome {
    let known = KnownStates()
    var outcome = Outcome()
    for workload in FaultWorkload.all where names.contains(workload.name) {
      do {
        let sweep = try FaultSweep(workload, known, limit: 24)
        let checker = CrashChecker(known, limits: [24])
        for fault in FaultKind.all where concerns(fault, kind) {
          for call in 1...10_000 {
            let plan = FaultPlan([fault.rule(call)])
            let attempt = sweep.attempt(plan, checker)
            outcome.states = known.count
            if let found = attempt.found {
              outcome.violation = found
              outcome.sequence = "\(workload.name): \(plan)"
              return outcome
            }
            if attempt.run.firstFired == nil { break }
          }
        }
      } catch {
        outcome.violation = violation(error)
        outcome.sequence = workload.name
        return outcome
      }
    }
    return outcome
  }

  private static func concerns(_ fault: FaultKind, _ kind: Battery.FaultKind) -> Bool {
    switch (kind, fault.effect) {
    case (.any, _), (.synchronisation, .sync), (.noSpace, .error(.noSpace)), (.short, .short(_, .proceed)),
      (.noSpace, .short(_, .noSpace)), (.reading, .error(.io)):
      true
    default: false
    }
  }
}
