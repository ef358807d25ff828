// SPDX-License-Identifier: Apache-2.0

import PageExplorer
import PageJournalFaults

/// One sequence or one plan of faults again, with all that there is to look at.
enum ReplayCommand {
  static func run(_ arguments: [String]) throws(UsageError) -> Int32 {
    let options = try Options(arguments, known: ["--profile", "--workload", "--plan"], words: 1)
    if let token = options.words.first {
      guard options.text("--plan") == nil, options.text("--workload") == nil else {
        throw UsageError("a token, or a workload with a plan, but not both")
      }
      return replay(try Self.token(token), try options.profile())
    }
    guard let plan = options.text("--plan"), let name = options.text("--workload") else {
      throw UsageError("replay takes a token, or --workload and --plan")
    }
    guard let workload = FaultWorkload.all.first(where: { $0.name == name }) else {
      throw UsageError(
        "there is no workload \"\(name)\"; known are \(FaultWorkload.all.map(\.name).joined(separator: ", "))"
      )
    }
    return replay(workload, try Self.plan(plan))
  }

  private static func token(_ text: String) throws(UsageError) -> ReplayToken {
    do throws(ReplayToken.Fault) { return try ReplayToken(parsing: text) } catch {
      throw UsageError(error.description)
    }
  }

  private static func plan(_ text: String) throws(UsageError) -> FaultPlan {
    do { return try FaultPlan(parsing: text) } catch { throw UsageError("the plan makes no sense: \(error)") }
  }

  private static func replay(_ token: ReplayToken, _ profile: CrashProfile) -> Int32 {
    guard let start = CrashStart.named(token.start) else { return 64 }
    let checker = CrashChecker(KnownStates(), profile: profile, limits: [nil])
    do {
      // The first part that fails, from the beginning on.
      for length in 0...token.steps.count {
        try CrashWalk.look(start, Array(token.steps.prefix(length)), checker, depth: 1)
      }
    } catch {
      Tool.tell("violation of \(violation(error))")
      return 1
    }
    Tool.tell("no violation: \(checker.counts.summary)")
    return 0
  }

  private static func replay(_ workload: FaultWorkload, _ plan: FaultPlan) -> Int32 {
    do {
      let checker = CrashChecker(KnownStates(), limits: [nil])
      let attempt = try FaultSweep(workload, KnownStates(), limit: nil).attempt(plan, checker)
      if let found = attempt.found { throw found }
      let run = attempt.run
      let fired = run.firstFired.map { "first at \($0.operation.rawValue) of \($0.path)" } ?? "never fired"
      Tool.tell("no violation: \(run.errors.count) errors met, \(fired); \(checker.counts.summary)")
      return 0
    } catch {
      Tool.tell("violation of \(violation(error))")
      return 1
    }
  }
}
