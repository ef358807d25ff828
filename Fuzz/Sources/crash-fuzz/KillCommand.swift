// SPDX-License-Identifier: Apache-2.0

import Foundation
import PageExplorer

/// SIGKILL at random instants of `lnote apply`: what was acknowledged is there, and nothing by half.
enum KillCommand {
  static func run(_ arguments: [String]) throws(UsageError) -> Int32 {
    let options = try Options(
      arguments,
      known: ["--cycles", "--seed", "--first", "--lnote", "--folder", "--keep", "--canary", "--json"])
    let cycles = try options.number("--cycles", 2000)
    let seed = try options.number("--seed", UInt64(1), from: 0)
    let first = try options.number("--first", 0, from: 0)
    if let path = options.text("--lnote"), !FileManager.default.isExecutableFile(atPath: path) {
      throw UsageError("--lnote takes the program lnote, not \"\(path)\"")
    }
    let isCanary = try options.isCanary("buffered")
    let scratch = (options.text("--folder") ?? Tool.fastFolder) + "/crash-fuzz-kill-\(getpid())"
    let keep = options.text("--keep") ?? NSTemporaryDirectory() + "/crash-fuzz-\(getpid())"
    var summary = Summary("kill")
    summary.set("seed", seed)
    defer { try? FileManager.default.removeItem(atPath: scratch) }
    let run: KillCycles
    do {
      try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
      run = try KillCycles(
        lnote: try options.text("--lnote") ?? built(), seed: seed, scratch: scratch,
        isCanary: isCanary)
    } catch {
      Tool.say("crash-fuzz: \(error)")
      return 70
    }
    let progress = CycleProgress("kill")
    var done = 0
    var isBroken = true
    for cycle in first..<(first + cycles) where !progress.mustEnd {
      do {
        try run.run(cycle, isFirst: isBroken)
        isBroken = false
      } catch {
        progress.leave()
        isBroken = true
        let start = max(first, cycle - cycle % KillCycles.chain)
        let again = "kill --seed \(seed) --first \(start) --cycles \(cycle - start + 1)"
        summary.report(violation(error), again: again)
        Tool.say("kept: \(kept(run, violation(error), again, in: "\(keep)/cycle-\(cycle)"))")
      }
      done += 1
      progress.tick(done, of: cycles, violations: summary.violations)
    }
    progress.leave()
    summary.set("interrupted", progress.mustEnd)
    tell(run, done, progress.seconds, &summary)
    let code = summary.finish(to: options.text("--json"))
    return progress.mustEnd && code == 0 ? 130 : code
  }

  private static func tell(_ run: KillCycles, _ done: Int, _ seconds: Double, _ summary: inout Summary) {
    let milliseconds = (seconds * 10_000 / Double(max(done, 1))).rounded() / 10
    Tool.tell(
      "kill: \(done) cycles in \(Int(seconds)) s, \(milliseconds) ms each; \(run.acknowledged) acknowledged of "
        + "\(run.sent) sent, \(run.ahead) more found; \(summary.violations) violations")
    let seen = run.counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    Tool.tell("seen: \(seen.map { "\($0.key) \($0.value)" }.joined(separator: ", "))")
    summary.set("cycles", done)
    summary.set("sent", run.sent)
    summary.set("acknowledged", run.acknowledged)
    summary.set("foundMore", run.ahead)
    summary.set("seen", run.counts)
    summary.set("seconds", (seconds * 10).rounded() / 10)
    summary.set("millisecondsPerCycle", milliseconds)
  }

  /// The program of the package that this one stands in, built with the flags of its scripts.
  private static func built() throws -> String {
    let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
      .path
    Tool.say("crash-fuzz: building lnote in \(root)")
    let build = Process()
    build.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    build.arguments = [
      "swift", "build", "-c", "release", "-Xswiftc", "-enable-testing", "--package-path", root, "--product",
      "lnote",
    ]
    build.standardOutput = FileHandle.standardError
    try build.run()
    build.waitUntilExit()
    guard build.terminationStatus == 0 else {
      throw KillProcess.Failure(description: "lnote could not be built; --lnote names one that is")
    }
    return root + "/.build/release/lnote"
  }

  /// Puts the document into a folder, with the log.
  private static func kept(
    _ run: KillCycles, _ violation: Violation, _ again: String, in folder: String
  ) -> String {
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let log = run.log + ["", violation.description, "", "crash-fuzz \(again)", ""]
      try Data(log.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: folder + "/log.txt"))
      if FileManager.default.fileExists(atPath: run.document) {
        try FileManager.default.copyItem(atPath: run.document, toPath: folder + "/k.lnote")
      }
      return folder
    } catch {
      return "not everything, \(folder): \(error)"
    }
  }
}
