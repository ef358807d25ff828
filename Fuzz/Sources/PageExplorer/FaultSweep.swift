// SPDX-License-Identifier: Apache-2.0

import Dispatch
import PageJournal
import PageJournalFaults
import Synchronization

/// Every fault at every call of a workload, once and from then on; whatever fails, nothing that was acknowledged is
/// lost, and a power cut or a kill at any moment after it neither. What lies, a late synchronisation or a read of wrong
/// bytes, leaves less of that promise; see `FaultKind.Promise`.
package final class FaultSweep: Sendable {
  package struct Report: Sendable {
    /// Runs in which the fault happened.
    package var runs = 0
    package var errors = 0
    /// Those runs by what failed: the effect and whether it stayed.
    package var runsByKind: [String: Int] = [:]
    package var counts = CrashChecker.Counts()
    /// What opens that read wrong bytes were told, and how many showed less, where nothing tells that from a crash.
    package var damageVerdicts: [Verdict: Int] = [:]
    package var shorterOpens = 0
    /// Images after a synchronisation that lied.
    package var deceivedImages = 0
    /// Images inside of opens that read wrong bytes, or what a failed synchronisation left in the cache alone, and how
    /// many of them are called a damaged snapshot.
    package var doubtfulImages = 0
    package var unexplained = 0
    package var findings: [(plan: FaultPlan, violation: Violation)] = []

    /// One line on what keeps less of the promise.
    package var remark: String {
      let kinds = damageVerdicts.sorted { $0.key < $1.key }.map { "\($0.key.rawValue) \($0.value)" }
      return "opens that read wrong bytes: \(kinds.joined(separator: ", ")), "
        + "\(shorterOpens) of them shorter, as after a crash. Images with less to hold them to: \(deceivedImages) after a "
        + "sync that lied; \(doubtfulImages) inside of opens that read wrong bytes or what a failed sync left in the cache "
        + "alone, \(unexplained) of them called a damaged snapshot"
    }

    package static func += (sum: inout Report, other: Report) {
      sum.runs += other.runs
      sum.errors += other.errors
      sum.runsByKind.merge(other.runsByKind, uniquingKeysWith: +)
      sum.counts += other.counts
      sum.damageVerdicts.merge(other.damageVerdicts, uniquingKeysWith: +)
      sum.shorterOpens += other.shorterOpens
      sum.deceivedImages += other.deceivedImages
      sum.doubtfulImages += other.doubtfulImages
      sum.unexplained += other.unexplained
      sum.findings += other.findings
    }

    package init() {}
  }

  package let workload: FaultWorkload
  private let start: FaultWorkload.Start
  private let known: KnownStates
  /// The most images of one moment.
  private let limit: Int?
  private let report = Mutex(Report())
  private let next = Mutex(0)

  package init(_ workload: FaultWorkload, _ known: KnownStates, limit: Int?) throws {
    self.workload = workload
    self.known = known
    self.limit = [limit, workload.limit].compactMap { $0 }.min()
    start = try workload.start()
  }

  package func run(threads: Int) -> Report {
    DispatchQueue.concurrentPerform(iterations: threads) { _ in
      let checker = CrashChecker(known, limits: [limit])
      while let kind = take() { sweep(kind, checker) }
      report.withLock { $0.counts += checker.counts }
    }
    return report.withLock { $0 }
  }

  private func take() -> FaultKind? {
    next.withLock { next in
      guard next < FaultKind.all.count else { return nil }
      next += 1
      return FaultKind.all[next - 1]
    }
  }

  private func sweep(_ kind: FaultKind, _ checker: CrashChecker) {
    for call in 1...10_000 {
      let plan = FaultPlan([kind.rule(call)])
      let attempt = attempt(plan, checker)
      report.withLock { report in
        if let found = attempt.found { report.findings.append((plan, found)) }
        guard attempt.run.firstFired != nil else { return }
        report.runs += 1
        report.errors += attempt.run.errors.count
        report.runsByKind[kind.description, default: 0] += 1
        report.damageVerdicts.merge(attempt.run.damageVerdicts, uniquingKeysWith: +)
        report.shorterOpens += attempt.run.shorterOpens
        report.deceivedImages += attempt.deceivedImages
        report.doubtfulImages += attempt.doubtfulImages
        report.unexplained += attempt.unexplained
      }
      if attempt.run.firstFired == nil { return }
    }
  }

  /// What came of one run under a plan.
  package struct Attempt {
    package var run: FaultRun
    package var deceivedImages: Int
    package var doubtfulImages: Int
    package var unexplained: Int
    package var found: Violation?
  }

  /// One run under a plan.
  package func attempt(_ plan: FaultPlan, _ checker: CrashChecker) -> Attempt {
    let run = FaultRun(start, workload, plan: plan)
    let moments = FaultMoments(run, checker, limit: limit)
    var found: Violation?
    do {
      try look(run, moments, plan, checker)
    } catch {
      let fired = run.firstFired.map { "\($0.operation.rawValue) …\($0.path.suffix(12))" } ?? "nothing"
      found = Self.named(violation(error), run, plan).adding("fired on \(fired)")
    }
    return Attempt(
      run: run, deceivedImages: moments.deceivedImages, doubtfulImages: moments.doubtfulImages,
      unexplained: moments.unexplained, found: found)
  }

  /// A loss is of the invariant that speaks of what failed, where one does.
  private static func named(_ found: Violation, _ run: FaultRun, _ plan: FaultPlan) -> Violation {
    guard found.invariant == 1, plan.promise != .damage, let operation = run.firstFired?.operation else {
      return found
    }
    let isOfSpace = plan.rules.contains { rule in
      switch rule.effect {
      case .error(.noSpace), .short(_, then: .noSpace): true
      default: false
      }
    }
    if isOfSpace || operation == .synchronizeFile || operation == .synchronizeDirectory {
      return Violation(11, found.text)
    }
    return [.open, .read, .names, .status].contains(operation) ? Violation(6, found.text) : found
  }

  private func look(
    _ run: FaultRun, _ moments: FaultMoments, _ plan: FaultPlan, _ checker: CrashChecker
  ) throws {
    for step in workload.steps { try moments.perform(step) }
    for error in run.errors where isOurs(error, plan) { throw Violation(11, "an error of ours: \(error)") }
    try goOn(run, moments, plan)
    let written = run.page.map { Int($0.writtenCommit) } ?? run.low
    try expectKill(run, from: max(run.low, written), checker)
    try moments.look()
    for step in [FaultRun.Step.close, .open, .commit(.append), .sync] { try moments.perform(step) }
    guard run.low == run.high, run.page != nil else { throw Violation(11, "it does not work again") }
    try moments.perform(.close)
    try expectKill(run, from: run.high, checker)
  }

  private func isOurs(_ error: StorageError, _ plan: FaultPlan) -> Bool {
    switch error.code {
    case .internal, .newerVersion, .noSuchElement: true
    case .damaged: plan.promise != .damage
    default: false
    }
  }

  /// The fault is over. After a full disk everything goes on without another open.
  private func goOn(_ run: FaultRun, _ moments: FaultMoments, _ plan: FaultPlan) throws {
    let directoryFailed = run.faulting.fired.contains { $0.operation == .synchronizeDirectory }
    run.heal()
    guard let page = run.page else { return }
    try run.store?.resume()
    if plan.rules.allSatisfy({ $0.effect == .error(.noSpace) }), !directoryFailed {
      try moments.perform(.commit(.append))
      try moments.perform(.sync)
      guard run.low == run.high, page.obstacle == nil else {
        let reasons = [page.obstacle, run.errors.last].compactMap { $0.map { "\($0)" } }
        throw Violation(11, "with space again: \(reasons)")
      }
    }
  }

  private func expectKill(_ run: FaultRun, from low: Int, _ checker: CrashChecker) throws {
    let state = try checker.recovered(run.system.kill(), depth: 0)
    let commit = Int(state.commit)
    guard (low...run.high).contains(commit), state.content == run.digests[commit] else {
      throw Violation(1, "a kill shows commit \(commit) of \(low)…\(run.high)\n\(run.system.kill())")
    }
  }
}
