// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults
import Synchronization

/// One step of a workload.
enum CrashStep: Hashable, Sendable, CustomStringConvertible {
  case commit(CommitKind)
  case sync, flush, compact
  /// The next piece of work of the executor.
  case step
  /// The same, with a commit handed over at every synchronisation inside of it.
  case busyStep
  case closeAndReopen, killAndReopen, suspendAndResume

  static let all: [CrashStep] =
    CommitKind.allCases.map { .commit($0) } + [
      .sync, .flush, .compact, .step, .busyStep, .closeAndReopen, .killAndReopen, .suspendAndResume,
    ]

  var description: String { if case .commit(let kind) = self { kind.rawValue } else { name } }

  private var name: String {
    switch self {
    case .commit: "commit"
    case .sync: "sync"
    case .flush: "flush"
    case .compact: "compact"
    case .step: "step"
    case .busyStep: "busyStep"
    case .closeAndReopen: "closeAndReopen"
    case .killAndReopen: "killAndReopen"
    case .suspendAndResume: "suspendAndResume"
    }
  }
}

/// A failed expectation, with what is needed to look at it.
struct CrashFailure: Error, Sendable, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}

/// A page on a simulated disk, driven step by step, with the list of the states it went through.
///
/// One thread at a time uses it; the observer of synchronisations is called on that thread.
final class CrashRun: @unchecked Sendable {
  static let directory = "/pages"
  static let page = PageID(high: 0x0123_4567_89AB_4CDE, low: 0x8123_4567_89AB_CDEF)
  static let seed: UInt64 = 20_260_101

  private(set) var system: SimulatedFileSystem
  let executor = ManualExecutor()
  let options: StoreOptions
  private(set) var store: PageStore
  private(set) var page: Page
  /// The state after each commit, by its number.
  private(set) var states: [PageContent]
  /// The last commit that was acknowledged as durable, or shown by a writable open.
  private(set) var low = 0
  /// Called at each synchronisation, before it settles anything.
  var onSync: ((CrashRun) -> Void)?
  private var isBusy = false

  /// The last commit issued.
  var high: Int { states.count - 1 }

  /// A page of four commits, closed.
  static let base: (image: Image, states: [PageContent]) = {
    do {
      let system = SimulatedFileSystem(recordsEvents: false)
      try system.createDirectory(directory)
      let store = try PageStore.open(
        directory, environment: .seeded(seed, system, ManualExecutor()))
      let page = try store.create(CrashRun.page)
      var states = [PageContent()]
      for kind in [CommitKind.append, .append, .append, .set] {
        guard let last = states.last else { continue }
        var next = last
        let operations = kind.operations(on: last)
        next.apply(operations)
        _ = try page.commit(operations)
        states.append(next)
      }
      try store.close()
      return (system.kill(), states)
    } catch {
      return (Image(), [])
    }
  }()

  init(_ options: StoreOptions) throws {
    self.options = options
    system = SimulatedFileSystem.restart(from: Self.base.image, recordsEvents: false)
    states = Self.base.states
    (store, page) = try Self.opened(system, executor, options)
    low = high
    observe()
  }

  private static func opened(
    _ system: SimulatedFileSystem, _ executor: ManualExecutor, _ options: StoreOptions
  ) throws -> (PageStore, Page) {
    let store = try PageStore.open(
      directory, options: options, environment: .seeded(seed, system, executor))
    let opened = try store.open(Self.page)
    guard let page = opened.page, page.obstacle == nil else {
      throw CrashFailure("no writable page: \(opened.report)")
    }
    return (store, page)
  }

  private func observe() {
    system.observeSyncs { [weak self] _, _ in
      guard let self else { return }
      if isBusy {
        do {
          try commit(.append)
        } catch {
          busyFailure = busyFailure ?? error
        }
      }
      onSync?(self)
    }
  }

  private var busyFailure: (any Error)?

  /// The process ended without a word.
  func end() {
    system.observeSyncs(nil)
    executor.dropAll()
    store.abandon()
  }

  func perform(_ step: CrashStep) throws {
    switch step {
    case .commit(let kind): try commit(kind)
    case .sync:
      let durable = try page.sync()
      guard durable >= UInt64(high) else { throw CrashFailure("sync reached \(durable) of \(high)") }
      acknowledge()
    case .flush:
      try page.flush()
      acknowledge()
    case .compact:
      try page.compact()
      acknowledge()
    case .step:
      executor.step()
      acknowledge()
    case .busyStep:
      isBusy = true
      executor.step()
      isBusy = false
      if let busyFailure { throw busyFailure }
      acknowledge()
    case .closeAndReopen: try closeAndReopen()
    case .killAndReopen: try killAndReopen()
    case .suspendAndResume:
      try store.suspend()
      acknowledge(all: true)
      try expectOneFile("suspend")
      try store.resume()
    }
    let found = PageContent(page.view)
    guard found == states[high] else {
      throw CrashFailure("the page shows\n\(found)\ninstead of\n\(states[high])")
    }
  }

  private func commit(_ kind: CommitKind) throws {
    guard let last = states.last else { return }
    var next = last
    let operations = kind.operations(on: last)
    next.apply(operations)
    let (_, ticket) = try page.commit(operations)
    states.append(next)
    guard ticket.commit == next.commit else {
      throw CrashFailure("commit \(next.commit) got ticket \(ticket.commit)")
    }
    try page.write()
  }

  /// Whatever the page says is durable counts as acknowledged.
  private func acknowledge(all: Bool = false) {
    low = max(low, all ? high : Int(page.durableCommit))
  }

  private func closeAndReopen() throws {
    try store.close()
    executor.dropAll()
    acknowledge(all: true)
    try expectOneFile("close")
    let counting = CountingFileSystem(system)
    let inspected = try PageInspector.inspect(Self.page, in: Self.directory, fileSystem: counting)
    guard inspected.report.verdict == .clean else {
      throw CrashFailure("after a clean close: \(inspected.report)")
    }
    let again = try PageStore.open(
      Self.directory, options: options, environment: .seeded(Self.seed &+ UInt64(high), counting, executor))
    let opened = try again.open(Self.page)
    guard counting.counts.bytesWritten == 0, counting.counts.mutatingCalls == 1 else {
      throw CrashFailure("opening a closed page: \(counting.counts)")
    }
    guard let page = opened.page else { throw CrashFailure("after a clean close: \(opened.report)") }
    (store, self.page) = (again, page)
  }

  private func killAndReopen() throws {
    let old = (system, store)
    old.0.observeSyncs(nil)
    system = old.0.afterKill()
    executor.dropAll()
    old.1.abandon()
    observe()
    (store, page) = try Self.opened(system, executor, options)
    guard page.report.verdict <= .leftOpen else { throw CrashFailure("after a kill: \(page.report)") }
    low = high
  }

  private func expectOneFile(_ what: String) throws {
    let names = try system.names(in: Self.directory)
    guard names == ["\(Self.page).content"] else { throw CrashFailure("\(what) left \(names)") }
  }
}
