// SPDX-License-Identifier: Apache-2.0

import Foundation
import PageExplorer
import PageJournal
import PageJournalFaults

/// The real thing beside the model: ext4 and xfs on a loop device, cut off by the file system's own shutdown.
enum RealCommand {
  static func run(_ arguments: [String]) throws(UsageError) -> Int32 {
    let options = try Options(
      arguments,
      known: ["--filesystem", "--cycles", "--seed", "--first", "--mkfs", "--keep", "--canary", "--json"])
    let name = options.text("--filesystem") ?? ""
    guard let kind = RealVolume.Kind(rawValue: name) else {
      throw UsageError("real takes --filesystem ext4 or xfs\(name.isEmpty ? "" : ", not \"\(name)\"")")
    }
    let cycles = try options.number("--cycles", 2000)
    let seed = try options.number("--seed", UInt64(1), from: 0)
    let first = try options.number("--first", 0, from: 0)
    let isCanary = try options.isCanary("unsynced")
    var summary = Summary("real")
    summary.set("filesystem", kind.rawValue)
    summary.set("seed", seed)
    let keep = options.text("--keep") ?? NSTemporaryDirectory() + "crash-fuzz-\(getpid())"
    let volume: RealVolume
    do throws(NoVolume) {
      volume = try RealVolume(kind, maker: options.text("--mkfs"), scratch: scratchFolder)
    } catch {
      Tool.tell("real: \(error.reason)\nskipped: \(cycles) cycles")
      rmdir(scratchFolder)
      summary.set("skipped", cycles)
      summary.set("reason", error.reason)
      return summary.finish(to: options.text("--json"))
    }
    let run = RealCycles(volume, kind, seed: seed, isCanary: isCanary)
    let progress = CycleProgress("real \(kind.rawValue)")
    var done = 0
    var isBroken = true
    var misses = 0
    for cycle in first..<(first + cycles) where !progress.mustEnd {
      do {
        // What a violation leaves is not gone on with.
        try run.run(cycle, isFirst: isBroken)
        isBroken = false
        if run.narrowMisses.count > misses, let reason = run.narrowMisses.last, options.text("--keep") != nil
        {
          Tool.say("kept: \(kept(run, reason, "", in: "\(keep)/profile-\(cycle)"))")
        }
        misses = run.narrowMisses.count
      } catch let error as NoVolume {
        progress.leave()
        Tool.say("crash-fuzz: \(error.reason)")
        return 70
      } catch {
        progress.leave()
        isBroken = true
        let start = max(first, cycle - cycle % RealCycles.chain)
        let again =
          "real --filesystem \(kind.rawValue) --seed \(seed) --first \(start) --cycles \(cycle - start + 1)"
        summary.report(violation(error), again: again)
        Tool.say("kept: \(kept(run, violation(error).description, again, in: "\(keep)/cycle-\(cycle)"))")
      }
      done += 1
      progress.tick(done, of: cycles, violations: summary.violations)
    }
    progress.leave()
    summary.set("interrupted", progress.mustEnd)
    tell(run, kind, done, progress.seconds, &summary)
    let code = summary.finish(to: options.text("--json"))
    return progress.mustEnd && code == 0 ? 130 : code
  }

  private static func tell(
    _ run: RealCycles, _ kind: RealVolume.Kind, _ done: Int, _ seconds: Double, _ summary: inout Summary
  ) {
    let milliseconds = (seconds * 10_000 / Double(max(done, 1))).rounded() / 10
    Tool.tell(
      "real \(kind.rawValue): \(done) cycles in \(Int(seconds)) s, \(milliseconds) ms each; \(run.images) images, "
        + "\(run.narrow) of them also in the set of the profile \(kind.rawValue); \(summary.violations) violations"
    )
    Tool.tell("seen: \(run.histogram.description)")
    for miss in run.narrowMisses.prefix(3) { Tool.tell("outside of the profile \(kind.rawValue): \(miss)") }
    summary.set("cycles", done)
    summary.set("images", run.images)
    summary.set("imagesOfTheProfile", run.narrow)
    summary.set("seen", run.histogram.counts)
    summary.set("seconds", (seconds * 10).rounded() / 10)
    summary.set("millisecondsPerCycle", milliseconds)
  }

  private static let scratchFolder = "\(Tool.fastFolder)/crash-fuzz-\(getpid())"

  /// Puts what was found into a folder, with the log.
  private static func kept(_ run: RealCycles, _ reason: String, _ again: String, in folder: String)
    -> String
  {
    do {
      try FileManager.default.createDirectory(atPath: folder + "/image", withIntermediateDirectories: true)
      let log =
        run.log + ["", reason, "", run.image.description, "", "crash-fuzz \(again)", ""]
      try Data(log.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: folder + "/log.txt"))
      try run.image.export(to: PosixFileSystem(), at: folder + "/image")
      return folder
    } catch {
      return "not everything, \(folder): \(error)"
    }
  }
}
