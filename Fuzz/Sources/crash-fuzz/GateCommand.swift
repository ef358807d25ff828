// SPDX-License-Identifier: Apache-2.0

import Foundation
import PageExplorer
import PageJournalFaults

/// Everything that short workloads can run into, enumerated.
enum GateCommand {
  /// Images of one moment inside a recovery, for sequences of three steps.
  private static let nested = 60
  /// Crashes in recoveries of sequences of three steps: in each, but from starts with very many in one of so many.
  private static let nestsOneIn = ["wide-after-sync": 8, "wide-merge-pending": 32, "long-journal": 8]

  private static let parts = ["crashes", "faults", "damage", "checks"]

  static func run(_ arguments: [String]) throws(UsageError) -> Int32 {
    let options = try Options(
      arguments, known: ["--profile", "--threads", "--nested", "--only", "--start", "--json"])
    let profile = try options.profile()
    let threads = try options.number("--threads", ProcessInfo.processInfo.activeProcessorCount)
    let nested = options.text("--nested") == nil ? nil : try options.number("--nested", 0, from: 0)
    let only = options.text("--only")
    if let only, !parts.contains(only) {
      throw UsageError("--only takes one of \(parts.joined(separator: ", ")), not \"\(only)\"")
    }
    let start = options.text("--start")
    if let start, CrashStart.named(start) == nil {
      throw UsageError(
        "there is no start \"\(start)\"; known are \(CrashStart.all.map(\.name).joined(separator: ", "))")
    }
    let starts = CrashStart.all.filter { start == nil || start == $0.name }
    func isWanted(_ part: String) -> Bool { only.map { $0 == part } ?? true }
    let known = KnownStates()
    let progress = Progress(known)
    var summary = Summary("gate")
    var (damages, checks) = (0, 0)
    summary.set("profile", profile.name)
    summary.set("threads", threads)
    if isWanted("crashes") { walk(starts, profile, threads, nested, known, progress, &summary) }
    if isWanted("faults") { sweepFaults(threads, known, progress, &summary) }
    if isWanted("damage") { damages = GateChecks.goldenFiles(threads, progress, &summary) }
    if isWanted("checks") { checks = GateChecks.others(threads, progress, &summary) }
    progress.leave()
    let seconds = progress.seconds
    // The single checks do not remember what they saw: theirs are counted, and not called distinct.
    let states = known.count + damages
    summary.set("states", states)
    summary.set("statesOfSingleChecks", checks)
    summary.set("seconds", (seconds * 10).rounded() / 10)
    summary.set("statesPerSecond", Int(Double(states) / seconds))
    Tool.tell(
      "gate: \(states) distinct states in \(Int(seconds)) s on \(threads) threads, "
        + "\(Int(Double(states) / seconds)) a second; \(checks) states more in single checks; "
        + "\(summary.violations) violations")
    return summary.finish(to: options.text("--json"))
  }

  private static func walk(
    _ starts: [CrashStart], _ profile: CrashProfile, _ threads: Int, _ nested: Int?, _ known: KnownStates,
    _ progress: Progress, _ summary: inout Summary
  ) {
    let walks = starts.map { start in
      let nested = nested ?? Self.nested
      var scope = CrashScope(
        length: 3, depths: [1, 1, 1, nested > 0 ? 1 : 0],
        limits: [[nil, nil], [nil, nil], [nil, nil], [nil, nested]])
      scope.profile = profile
      scope.nestsOneIn[3] = nestsOneIn[start.name]
      return CrashWalk(start, scope, known)
    }
    // What is complete comes before what is a sample.
    for lengths in [0...2, 3...3] {
      for walk in walks {
        progress.enter("\(walk.start), \(lengths.upperBound) steps")
        let before = (
          states: known.count, seconds: progress.seconds, counts: walk.report.counts,
          sequences: walk.report.sequences
        )
        let report = walk.run(lengths: lengths, threads: threads) { _ in progress.tick() }
        progress.leave()
        let states = known.count - before.states
        Tool.tell(
          "\(walk.start), \(lengths == 3...3 ? "three steps" : "up to two"): "
            + "\(report.sequences - before.sequences) sequences, \(states) new states, "
            + "\(Int(Double(states) / (progress.seconds - before.seconds))) a second; "
            + (report.counts - before.counts).summary)
      }
    }
    var total = CrashChecker.Counts()
    var (sequences, futile) = (0, 0)
    for report in walks.map(\.report) {
      total += report.counts
      sequences += report.sequences
      futile += report.futile
      for finding in report.findings {
        summary.report(finding.violation, again: "replay \(finding.token) --profile \(profile.name)")
      }
    }
    if futile > 0 { Tool.tell("not gone through, because their beginning fails: \(futile) sequences") }
    summary.set("sequencesNotGoneThrough", futile)
    summary.set("sequences", sequences)
    summary.set("crashes", total)
  }

  private static func sweepFaults(
    _ threads: Int, _ known: KnownStates, _ progress: Progress, _ summary: inout Summary
  ) {
    var total = FaultSweep.Report()
    for workload in FaultWorkload.all {
      progress.enter("faults, \(workload)")
      do {
        let report = try FaultSweep(workload, known, limit: nil).run(threads: threads)
        total += report
        for finding in report.findings {
          summary.report(
            finding.violation, again: "replay --workload \(workload) --plan '\(finding.plan)'")
        }
      } catch {
        summary.report(violation(error), again: "gate")
      }
    }
    progress.leave()
    Tool.tell(
      "faults: \(total.runs) runs of \(FaultWorkload.all.count) workloads, \(total.errors) errors met; "
        + "\(total.counts.summary)\n\(total.remark)")
    summary.set("faultRuns", total.runsByKind)
    summary.set("crashesAfterFaults", total.counts)
  }
}
