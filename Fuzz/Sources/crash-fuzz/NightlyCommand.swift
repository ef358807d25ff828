// SPDX-License-Identifier: Apache-2.0

import Foundation
import PageExplorer
import PageJournalFaults

/// Sequences longer than the gate's, drawn by chance.
enum NightlyCommand {
  static func run(_ arguments: [String], isEndless: Bool) throws(UsageError) -> Int32 {
    var names: Set<String> = ["--seed", "--profile", "--threads"]
    if !isEndless { names.formUnion(["--minutes", "--json"]) }
    let options = try Options(arguments, known: names)
    let profile = try options.profile()
    let threads = try options.number("--threads", ProcessInfo.processInfo.activeProcessorCount)
    let minutes = try options.number("--minutes", 60)
    let seed = try options.number("--seed", UInt64(Date().timeIntervalSince1970), from: 0)
    let known = KnownStates()
    let progress = Progress(known)
    progress.enter("seed \(seed)")
    Tool.say("crash-fuzz: seed \(seed)")
    let walk = RandomWalk(seed: seed, profile: profile, known: known)
    let deadline = isEndless ? nil : progress.begin + .seconds(minutes * 60)
    let report = walk.run(threads: threads) {
      progress.tick()
      return deadline.map { ContinuousClock.now < $0 } ?? true
    }
    progress.leave()
    var summary = Summary(isEndless ? "endless" : "nightly")
    for finding in report.findings {
      summary.report(finding.violation, again: "replay \(finding.token) --profile \(profile.name)")
    }
    summary.set("seed", seed)
    summary.set("profile", profile.name)
    summary.set("sequences", report.sequences)
    summary.set("crashes", report.counts)
    summary.set("states", known.count)
    summary.set("statesPerSecond", Int(Double(known.count) / max(progress.seconds, 0.001)))
    Tool.tell(
      "\(report.sequences) sequences, \(known.count) distinct states in \(Int(progress.seconds)) s; "
        + "\(summary.violations) violations; seed \(seed)")
    return summary.finish(to: options.text("--json"))
  }
}
