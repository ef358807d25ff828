// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import PageExplorer
import Synchronization

/// The parts of the gate that are no walks: damage to the golden files, and what has a check of its own.
enum GateChecks {
  /// Where the golden files stand, seen from this file.
  private static let goldens = URL(fileURLWithPath: #filePath).appendingPathComponent(
    "../../../../Tests/PageJournalTests/Goldens/Files"
  ).standardizedFileURL

  private static let batteries: [Battery] = [
    .documents(length: 2), .kills(starts: CrashStart.all.map(\.name), length: 1), .setAside, .resurrection,
    .newer, .hostile, .writers, .medium, .repetition, .documentKills, .unlisted, .damage,
  ]

  static func goldenFiles(_ threads: Int, _ progress: Progress, _ summary: inout Summary) -> Int {
    var total = GoldenSweep.Report()
    do {
      let names = try FileManager.default.contentsOfDirectory(atPath: goldens.path).sorted()
      for name in names {
        progress.enter("damage to golden \(name)")
        let folder = goldens.appendingPathComponent(name)
        var files: [String: [UInt8]] = [:]
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where file.hasSuffix(".content") || file.hasSuffix(".journal") {
          files[file] = [UInt8](try Data(contentsOf: folder.appendingPathComponent(file)))
        }
        let report = try GoldenSweep(name, files).run(threads: threads) { progress.tick() }
        total.flips += report.flips
        total.cuts += report.cuts
        total.silent += report.silent
        total.verdicts.merge(report.verdicts, uniquingKeysWith: +)
        for finding in report.findings { summary.report(finding, again: "gate --only damage") }
      }
    } catch {
      summary.report(violation(error, 14), again: "gate --only damage")
    }
    progress.leave()
    let kinds = total.verdicts.sorted { $0.key < $1.key }.map { "\($0.key.rawValue) \($0.value)" }
    Tool.tell(
      "golden files: \(total.flips) flipped bits, \(total.cuts) truncations, \(total.silent) of them what a crash leaves; "
        + kinds.joined(separator: ", "))
    summary.set(
      "damage",
      [
        "flippedBits": total.flips, "truncations": total.cuts, "whatACrashLeaves": total.silent,
        "verdicts": Dictionary(uniqueKeysWithValues: total.verdicts.map { ($0.key.rawValue, $0.value) }),
      ] as [String: Any])
    return total.flips + total.cuts
  }

  static func others(_ threads: Int, _ progress: Progress, _ summary: inout Summary) -> Int {
    progress.enter("single checks, documents")
    let next = Mutex(0)
    let outcomes = Mutex<[(Battery, Outcome)]>([])
    DispatchQueue.concurrentPerform(iterations: threads) { _ in
      while true {
        let number = next.withLock { next in
          next += 1
          return next - 1
        }
        guard number < batteries.count else { return }
        let outcome = batteries[number].run()
        outcomes.withLock { $0.append((batteries[number], outcome)) }
        progress.tick()
      }
    }
    progress.leave()
    var states = 0
    var counts: [String: Int] = [:]
    for (battery, outcome) in outcomes.withLock({ $0 }) {
      states += outcome.states
      counts[battery.name] = outcome.states
      if let found = outcome.violation {
        summary.report(found.adding(outcome.sequence), again: "gate --only checks")
      }
    }
    Tool.tell(
      "single checks: "
        + counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
    summary.set("checks", counts)
    return states
  }
}
