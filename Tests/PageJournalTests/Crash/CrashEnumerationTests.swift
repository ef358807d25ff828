// SPDX-License-Identifier: Apache-2.0

import Foundation
import PageExplorer
import PageJournalFaults
import Testing

/// A small form of `crash-fuzz gate`: the same walk, with shorter sequences and fewer crashes in recoveries.
@Suite(.serialized) struct CrashEnumerationTests {
  private static let threads = min(4, ProcessInfo.processInfo.activeProcessorCount)

  @Test func everyCrashShowsOneStateBetweenAcknowledgedAndIssued() {
    #expect(CrashRun.base.states.count == 5)
    let known = KnownStates()
    var total = CrashChecker.Counts()
    let begin = ContinuousClock.now
    for start in CrashStart.all {
      // Payloads of several sectors have fifty times the images; the gate looks at all of theirs.
      let nested = start.payload == nil ? [nil, nil] : [nil, 2]
      let scope = CrashScope(length: 2, depths: [1, 1, 1], limits: [[nil], nested, nested])
      let before = known.count
      let report = CrashWalk(start, scope, known).run(threads: Self.threads)
      total += report.counts
      for finding in report.findings.prefix(3) { Issue.record("\(finding.token): \(finding.violation)") }
      #expect(report.findings.count == 0)
      #expect(known.count - before > 20)
    }
    #expect(known.count >= 100_000)
    print(
      "small gate: \(known.count) distinct states in \(ContinuousClock.now - begin): \(total.summary); seed \(CrashRun.seed)"
    )
  }

  @Test(arguments: FaultWorkload.all)
  func aFaultAtAnyCallLosesNothingAcknowledged(_ workload: FaultWorkload) throws {
    let known = KnownStates()
    let report = try FaultSweep(workload, known, limit: 6).run(threads: Self.threads)
    print(
      "\(workload): \(report.runs) runs, \(report.errors) errors met, \(known.count) distinct states; seed \(CrashRun.seed)"
    )
    for finding in report.findings.prefix(12) { Issue.record("\(finding.plan): \(finding.violation)") }
    #expect(report.findings.count == 0)
    #expect(report.errors > 100)
    for failure in SynchronizationFailure.allCases {
      for repetition in ["once", "sticky"] {
        #expect(report.runsByKind["sync \(failure.rawValue), \(repetition)"] ?? 0 > 5)
      }
    }
    #expect(Set(report.runsByKind.keys).isSubset(of: Set(FaultKind.all.map(\.description))))
    #expect(report.damageVerdicts[.damagedSnapshot] ?? 0 > 0)
    #expect(report.deceivedImages > 0)
  }

  @Test func whatNeverHappensIsNoRun() throws {
    let workload = try #require(FaultWorkload.all.first { $0.name == "commits" })
    let sweep = try FaultSweep(workload, KnownStates(), limit: 1)
    let checker = CrashChecker(KnownStates(), limits: [1])
    let kind = try #require(FaultKind.all.first { $0.description == "sync late, once" })
    let calls = (1...100).prefix { sweep.attempt(FaultPlan([kind.rule($0)]), checker).run.firstFired != nil }
    let report = try FaultSweep(workload, KnownStates(), limit: 1).run(threads: Self.threads)
    #expect(report.runsByKind[kind.description] == calls.count)
  }
}
