// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults

/// A workload on a file system that fails as a plan says. Every step may fail, with a typed error; what must not
/// happen is a wrong state, a false acknowledgement, or a loss of what was acknowledged.
package final class FaultRun {
  package enum Step: Hashable, Sendable {
    case open
    case commit(CommitKind)
    case sync, flush, compact, step, close, kill, suspendAndResume
  }

  package let system: SimulatedFileSystem
  package let faulting: FaultingFileSystem
  package let executor = ManualExecutor()
  private let options: StoreOptions
  package private(set) var store: PageStore?
  package private(set) var page: Page?
  /// By number of the commit; those that an open did not show are gone from it.
  package private(set) var states: [PageContent]
  /// The last commit that was acknowledged as durable, or shown by a writable open.
  package private(set) var low: Int
  package private(set) var errors: [StorageError] = []
  private var seed = CrashRun.seed
  private var firedBefore: FiredFault?

  /// The first fault that happened.
  package var firstFired: FiredFault? { firedBefore ?? faulting.fired.first }

  /// From here on nothing fails.
  package func heal() {
    firedBefore = firstFired
    faulting.plan = []
  }

  /// The fingerprints of `states`.
  package private(set) var digests: [ContentDigest]

  package var high: Int { states.count - 1 }

  /// - Parameters:
  ///   - low: the least commit that the image may show.
  package init(_ image: Image, _ states: [PageContent], low: Int, _ options: StoreOptions, plan: FaultPlan) {
    system = SimulatedFileSystem.restart(from: image, recordsEvents: false)
    faulting = FaultingFileSystem(system, plan: plan)
    self.options = options
    self.states = states
    digests = states.map { ContentDigest($0) }
    self.low = low
  }

  package func perform(_ step: Step) throws {
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
    let environment = Environment.seeded(seed, faulting, executor)
    do throws(StorageError) {
      if store == nil {
        store = try PageStore.open(CrashRun.directory, options: options, environment: environment)
      }
      guard page == nil, let opened = try store?.open(CrashRun.page) else { return }
      do { try accept(opened) } catch { problem = problem ?? error }
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
      let found = PageContent(page.view)
      let commit = Int(found.commit)
      try expect(page.report.verdict.isHealthy, 5, "a fault is called \(page.report)")
      try expect((low...high).contains(commit), 1, "an open shows \(commit), possible are \(low)…\(high)")
      try expect(found == states[commit], 1, "an open shows \(found) not \(states[commit])")
      digests.removeLast(high - commit)
      states.removeLast(high - commit)
      if page.obstacle == nil { low = commit }
      self.page = page
    }
  }

  private func commit(_ kind: CommitKind) throws {
    guard let page, let last = states.last else { return }
    let operations = kind.operations(on: last)
    do throws(StorageError) {
      let (_, ticket) = try page.commit(operations)
      var next = last
      next.apply(operations)
      states.append(next)
      digests.append(ContentDigest(next))
      guard ticket.commit == next.commit else { throw StorageError(.internal, "commit", cause: "ticket") }
      try page.write()
    } catch {
      errors.append(error)
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
    do throws(StorageError) {
      try store.suspend()
      if page?.obstacle?.code == .closed { low = high }
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
