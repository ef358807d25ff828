// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults

/// A workload on a file system that fails as a plan says. Every step may fail, with a typed error; what must not
/// happen is a wrong state, a false acknowledgement, or a loss of what was acknowledged.
///
/// One thread at a time uses it; the observer of synchronisations is called on that thread.
package final class FaultRun: @unchecked Sendable {
  package enum Step: Hashable, Sendable {
    case open
    case commit(CommitKind)
    case sync, flush, compact, step, close, kill, suspendAndResume
  }

  package let system: SimulatedFileSystem
  package let faulting: FaultingFileSystem
  private let watch: SyncWatch
  package let executor = ManualExecutor()
  private let workload: FaultWorkload
  package private(set) var store: PageStore?
  package private(set) var page: Page?
  /// By number of the commit; those that an open did not show are gone from it.
  package private(set) var states: [PageContent]
  /// The last commit that was acknowledged as durable, or shown by a writable open.
  package private(set) var low: Int
  package private(set) var errors: [StorageError] = []
  /// Called before each synchronisation, whether it happens or fails.
  package var onSync: ((FaultRun) -> Void)?
  /// What opens said that had read wrong bytes, and how many of them showed less than was acknowledged, rightly.
  package private(set) var damageVerdicts: [Verdict: Int] = [:]
  package private(set) var shorterOpens = 0
  let promise: FaultKind.Promise
  private var lies: LyingSyncs
  private var seed = CrashRun.seed
  private var firedBefore: FiredFault?

  /// Whether the cache may hold bytes that no later synchronisation writes, because one of them failed.
  package private(set) var hasUnwritable = false

  private func noteUnwritable() {
    let plan = faulting.plan
    hasUnwritable =
      hasUnwritable
      || faulting.fired.contains { fault in
        guard fault.operation == .synchronizeFile else { return false }
        return [.sync(.clean), .sync(.lost)].contains(plan.rules[fault.rule].effect)
      }
  }

  /// The first fault that happened.
  package var firstFired: FiredFault? { firedBefore ?? faulting.fired.first }

  /// From here on nothing fails.
  package func heal() {
    firedBefore = firstFired
    noteUnwritable()
    faulting.plan = []
    lies.heal()
  }

  /// Whether a synchronisation lied, and what it was asked for may still be missing.
  package var isDeceived: Bool { lies.isDeceived }

  /// The fingerprints of `states`.
  package private(set) var digests: [ContentDigest]

  package var high: Int { states.count - 1 }

  /// - Parameters:
  ///   - low: the least commit that the image may show.
  package init(_ start: FaultWorkload.Start, _ workload: FaultWorkload, plan: FaultPlan) {
    system = SimulatedFileSystem.restart(from: start.image, recordsEvents: false)
    faulting = FaultingFileSystem(system, plan: plan)
    watch = SyncWatch(faulting)
    self.workload = workload
    promise = plan.promise
    lies = LyingSyncs(isSticky: plan.rules.contains { $0.repetition == .sticky })
    states = start.states
    digests = states.map { ContentDigest($0) }
    low = start.low
    watch.observe { [weak self] moment in
      guard let self else { return }
      if promise == .late {
        lies.note(
          moment == .failed ? .failed : .before, fired: faulting.fired.count, isSettled: !system.hasPending)
      }
      if moment == .before { onSync?(self) }
    }
  }

  package func perform(_ step: Step) throws {
    let before = errors.count
    noteUnwritable()
    switch step {
    case .open: try open()
    case .commit(let kind): try commit(kind)
    case .sync: try sync()
    case .flush: attempt { page throws(StorageError) in try page.flush() }
    case .compact: attempt { page throws(StorageError) in try page.compact() }
    case .step: executor.step()
    case .close: try close()
    case .kill:
      store?.abandon()
      (store, page) = (nil, nil)
      executor.dropAll()
    case .suspendAndResume: try suspendAndResume()
    }
    if let page {
      try expect(
        PageContent(page.view) == states[high], 1, "shows \(PageContent(page.view)) not \(states[high])")
      try noteDurable(page)
    }
    if promise == .late {
      let isAnswered =
        step == .sync && errors.count == before && page != nil && page?.obstacle == nil && low == high
      lies.note(
        isAnswered ? .answered : .after, fired: faulting.fired.count, isSettled: !system.hasPending)
    }
  }

  private func expect(_ condition: Bool, _ invariant: Int, _ text: @autoclosure () -> String) throws {
    if !condition { throw Violation(invariant, text()) }
  }

  private func noteDurable(_ page: Page) throws {
    let durable = Int(page.durableCommit)
    try expect(durable <= high, 11, "durable \(durable) of \(high)")
    low = max(low, durable)
  }

  private func attempt(_ body: (Page) throws(StorageError) -> Void) {
    guard let page else { return }
    do throws(StorageError) { try body(page) } catch { errors.append(error) }
  }

  private func open() throws {
    seed &+= 1
    let environment = Environment.seeded(seed, watch, executor)
    let before = (image: system.kill(), fired: faulting.fired.count)
    do throws(StorageError) {
      if store == nil {
        store = try PageStore.open(CrashRun.directory, options: workload.options, environment: environment)
      }
      guard page == nil, let opened = try store?.open(CrashRun.page) else { return }
      let damage =
        promise == .damage
        ? DamagedRead(before.image, faulting.fired.dropFirst(before.fired), faulting.plan) : nil
      do {
        if let damage, !damage.isNothing { try accept(opened, damage) } else { try accept(opened) }
      } catch {
        problem = problem ?? error
      }
    } catch {
      errors.append(error)
    }
    if let problem { throw problem }
  }

  private var problem: (any Error)?

  private func accept(_ opened: OpenedPage) throws {
    switch opened {
    case .unavailable(let report):
      try expect(report.verdict == .unavailable, 6, "unavailable, but \(report)")
    case .readOnly(_, let report): throw Violation(5, "a fault is called \(report)")
    case .writable(let page):
      let commit = Int(clamping: page.commit)
      try expect(page.report.verdict.isHealthy, 5, "a fault is called \(page.report)")
      try expect((low...high).contains(commit), 1, "an open shows \(commit), possible are \(low)…\(high)")
      try take(page, commit)
    }
  }

  private func take(_ page: Page, _ commit: Int) throws {
    let found = PageContent(page.view)
    try expect(found == states[commit], 1, "an open shows \(found) not \(states[commit])")
    digests.removeLast(high - commit)
    states.removeLast(high - commit)
    if page.obstacle == nil { low = commit }
    self.page = page
  }

  /// Of an open that read wrong bytes: what it shows was once shown; less than was acknowledged only where nothing tells
  /// it from a crash; what it calls damaged it leaves as it is.
  private func accept(_ opened: OpenedPage, _ damage: DamagedRead) throws {
    let report = opened.report
    damageVerdicts[report.verdict, default: 0] += 1
    guard case .writable(let page) = opened else {
      let reported: [Verdict] = [.corruption, .damagedSnapshot, .unavailable]
      try expect(reported.contains(report.verdict), 5, "wrong bytes are called \(report)")
      try expect(system.kill() == damage.image, 6, "a page that is \(report.verdict) was changed on disk")
      guard let view = opened.view, view.commit > 0 else { return }
      let commit = Int(clamping: view.commit)
      try expect(
        commit <= high && ContentDigest(view) == digests[commit], 1, "\(report.verdict), and shows \(view)")
      return
    }
    let commit = Int(clamping: page.commit)
    try expect(report.verdict <= .foreignJournal, 6, "a page that is \(report.verdict) can be written")
    try expect(commit <= high, 1, "an open shows commit \(commit), and \(high) is the last")
    if commit < low {
      try expect(!damage.isVouchedFor, 5, "commit \(low) was durable, \(commit) is shown: \(report)")
      shorterOpens += 1
      low = commit
    }
    try take(page, commit)
  }

  private func commit(_ kind: CommitKind) throws {
    guard let page, let last = states.last else { return }
    let operations = kind.operations(on: last, size: workload.payload)
    var next = last
    next.apply(operations)
    // Issued from here on: a moment inside of the call may have it.
    states.append(next)
    digests.append(ContentDigest(next))
    var isTaken = false
    do throws(StorageError) {
      let (_, ticket) = try page.commit(operations)
      isTaken = true
      guard ticket.commit == next.commit else { throw StorageError(.internal, "commit", cause: "ticket") }
      try page.write()
    } catch {
      errors.append(error)
    }
    if !isTaken {
      states.removeLast()
      digests.removeLast()
    }
  }

  private func sync() throws {
    guard let page else { return }
    let isWaiting = page.obstacle != nil
    do throws(StorageError) {
      let durable = try page.sync()
      if durable < UInt64(high) { problem = Violation(11, "sync returned \(durable) of \(high)") }
      if isWaiting, page.obstacle != nil {
        problem = Violation(11, "sync of a page that cannot write worked")
      }
      low = high
    } catch {
      errors.append(error)
    }
    if let problem { throw problem }
  }

  private func close() throws {
    guard let store else { return }
    let hasPage = page != nil && page?.obstacle == nil
    let before = faulting.fired.count
    do throws(StorageError) {
      try store.close()
      if hasPage { low = high }
      let names = (try? system.names(in: CrashRun.directory).filter { !$0.hasSuffix(".quarantine") }) ?? []
      if hasPage, before == faulting.fired.count, names != ["\(CrashRun.page).content"] {
        problem = Violation(10, "a close that worked left \(names)")
      }
    } catch {
      errors.append(error)
    }
    (self.store, page) = (nil, nil)
    executor.dropAll()
    if let problem { throw problem }
  }

  private func suspendAndResume() throws {
    guard let store else { return }
    // A page that waits for its recovery to be written promises nothing, and is left as it is.
    let hasPage = page != nil && page?.obstacle == nil
    do throws(StorageError) {
      try store.suspend()
      if hasPage, page?.obstacle?.code == .closed { low = high }
    } catch {
      errors.append(error)
      return
    }
    do throws(StorageError) {
      try store.resume()
    } catch {
      errors.append(error)
    }
  }
}
