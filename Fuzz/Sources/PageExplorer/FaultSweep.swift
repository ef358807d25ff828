// SPDX-License-Identifier: Apache-2.0

import Dispatch
import PageJournal
import PageJournalFaults
import Synchronization

/// Every fault at every call of a workload, once and from then on; whatever fails, nothing that was acknowledged is
/// lost, and a power cut or a kill at any step after it neither.
package final class FaultSweep: Sendable {
  /// A kind of fault.
  package struct Kind: Sendable, CustomStringConvertible {
    package var operations: Set<FileOperation>
    package var effect: FaultRule.Effect
    package var repetition: FaultRule.Repetition

    package var description: String { "\(effect), \(repetition.rawValue)" }

    func rule(_ call: Int) -> FaultRule {
      FaultRule(operations, call: call, repetition: repetition, effect: effect)
    }
  }

  package struct Report: Sendable {
    package var runs = 0
    package var errors = 0
    /// Runs by what failed: the effect and whether it stayed.
    package var runsByKind: [String: Int] = [:]
    package var counts = CrashChecker.Counts()
    package var findings: [(plan: FaultPlan, violation: Violation)] = []
  }

  package static let kinds: [Kind] = {
    let all = Set(FileOperation.allCases)
    let errors = [StorageError.Code.io, .noSpace, .accessDenied, .readOnlyVolume, .tooManyOpenFiles].map {
      (all, FaultRule.Effect.error($0))
    }
    let shorts = [1, 9, 60].flatMap { count -> [(Set<FileOperation>, FaultRule.Effect)] in
      [([.write], .short(count, then: .proceed)), ([.write], .short(count, then: .noSpace))]
    }
    let syncs = [SynchronizationFailure.clean, .reverted, .lost].map {
      (Set([FileOperation.synchronizeFile, .synchronizeDirectory]), FaultRule.Effect.sync($0))
    }
    return (errors + shorts + syncs).flatMap { operations, effect in
      [FaultRule.Repetition.once, .sticky].map {
        Kind(operations: operations, effect: effect, repetition: $0)
      }
    }
  }()

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
    self.limit = limit
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

  private func take() -> Kind? {
    next.withLock { next in
      guard next < Self.kinds.count else { return nil }
      next += 1
      return Self.kinds[next - 1]
    }
  }

  private func sweep(_ kind: Kind, _ checker: CrashChecker) {
    for call in 1...10_000 {
      let plan = FaultPlan([kind.rule(call)])
      let (run, found) = attempt(plan, checker)
      report.withLock { report in
        report.runs += 1
        report.errors += run?.errors.count ?? 0
        report.runsByKind[kind.description, default: 0] += 1
        if let found { report.findings.append((plan, found)) }
      }
      if run?.firstFired == nil { return }
    }
  }

  /// One run under a plan.
  package func attempt(_ plan: FaultPlan, _ checker: CrashChecker) -> (run: FaultRun?, found: Violation?) {
    let run = FaultRun(start.image, start.states, low: start.low, workload.options, plan: plan)
    do {
      try look(run, plan, checker)
      return (run, nil)
    } catch {
      let fired = run.firstFired.map { "\($0.operation.rawValue) …\($0.path.suffix(12))" } ?? "nothing"
      return (run, Self.named(violation(error), run, plan).adding("fired on \(fired)"))
    }
  }

  /// A loss is of the invariant that speaks of what failed, where one does.
  private static func named(_ found: Violation, _ run: FaultRun, _ plan: FaultPlan) -> Violation {
    guard found.invariant == 1, let operation = run.firstFired?.operation else { return found }
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

  private func look(_ run: FaultRun, _ plan: FaultPlan, _ checker: CrashChecker) throws {
    var seen = 0
    for step in workload.steps {
      do { try run.perform(step) } catch { throw violation(error).adding("at \(step)") }
      if run.faulting.fired.count > 0, seen < 2 {
        seen += 1
        do {
          try check(run, checker)
        } catch {
          throw violation(error).adding("a power cut after \(step)")
        }
      }
    }
    for error in run.errors where [.internal, .damaged, .newerVersion, .noSuchElement].contains(error.code) {
      throw Violation(11, "an error of ours: \(error)")
    }
    try goOn(run, plan)
    let written = run.page.map { Int($0.writtenCommit) } ?? run.low
    try expectKill(run, from: max(run.low, written), checker)
    try check(run, checker)
    try run.perform(.close)
    try run.perform(.open)
    try run.perform(.commit(.append))
    try run.perform(.sync)
    guard run.low == run.high, run.page != nil else { throw Violation(11, "it does not work again") }
    try run.perform(.close)
    try expectKill(run, from: run.high, checker)
  }

  private func check(_ run: FaultRun, _ checker: CrashChecker) throws {
    try checker.check(
      run.system, from: run.low, to: run.high, of: run.states, digests: run.digests, depth: 0)
  }

  /// The fault is over. After a full disk everything goes on without another open.
  private func goOn(_ run: FaultRun, _ plan: FaultPlan) throws {
    let directoryFailed = run.faulting.fired.contains { $0.operation == .synchronizeDirectory }
    run.heal()
    guard let page = run.page else { return }
    try run.store?.resume()
    if plan.rules.allSatisfy({ $0.effect == .error(.noSpace) }), !directoryFailed {
      try run.perform(.commit(.append))
      try run.perform(.sync)
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
