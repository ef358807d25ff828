// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults

/// A page on a simulated disk, driven step by step, with the list of the states it went through.
///
/// One thread at a time uses it; the observer of synchronisations is called on that thread.
package final class CrashRun: @unchecked Sendable {
  package static let directory = "/pages"
  package static let page = PageID(high: 0x0123_4567_89AB_4CDE, low: 0x8123_4567_89AB_CDEF)
  package static let contentName = "\(page).content"
  package static let seed: UInt64 = 20_260_101

  package private(set) var system: SimulatedFileSystem
  package let executor = ManualExecutor()
  package let options: StoreOptions
  private let payload: Int?
  package private(set) var store: PageStore
  package private(set) var page: Page
  /// The state after each commit, by its number.
  package private(set) var states: [PageContent]
  /// Their fingerprints.
  package private(set) var digests: [ContentDigest]
  /// Whether steps are only repeated: what they have to show was looked at before.
  package var isRepeating = false
  /// The last commit that was acknowledged as durable, or shown by a writable open.
  package private(set) var low = 0
  /// Called at each synchronisation, before it settles anything.
  package var onSync: ((CrashRun) -> Void)?
  private var isBusy = false

  /// The last commit issued.
  package var high: Int { states.count - 1 }

  /// A page of four commits, closed.
  package static let base: (image: Image, states: [PageContent]) = {
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

  private static let baseDigests = base.states.map { ContentDigest($0) }

  package init(_ options: StoreOptions, payload: Int? = nil) throws {
    self.options = options
    self.payload = payload
    system = SimulatedFileSystem.restart(from: Self.base.image.copied, recordsEvents: false)
    states = Self.base.states
    digests = Self.baseDigests
    (store, page) = try Self.opened(system, executor, options)
    low = high
    observe()
  }

  private static func opened(
    _ system: SimulatedFileSystem, _ executor: ManualExecutor, _ options: StoreOptions,
    seed: UInt64 = CrashRun.seed
  ) throws -> (PageStore, Page) {
    let store = try PageStore.open(
      directory, options: options, environment: .seeded(seed, system, executor))
    let opened = try store.open(Self.page)
    guard let page = opened.page, page.obstacle == nil else {
      throw Violation(5, "no writable page: \(opened.report)")
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
      guard let onSync else { return }
      // What was durable before this synchronisation stays so, whatever becomes of it.
      do { try acknowledge() } catch { acknowledgeFailure = acknowledgeFailure ?? error }
      onSync(self)
    }
  }

  private var busyFailure: (any Error)?
  private var acknowledgeFailure: (any Error)?

  /// The process ended without a word.
  package func end() {
    system.observeSyncs(nil)
    executor.dropAll()
    store.abandon()
  }

  package func perform(_ step: CrashStep) throws {
    switch step {
    case .commit(let kind): try commit(kind)
    case .sync:
      let durable = try page.sync()
      guard durable >= UInt64(high) else { throw Violation(11, "sync reached \(durable) of \(high)") }
      try acknowledge()
    case .flush:
      try page.flush()
      try acknowledge()
    case .compact:
      try page.compact()
      try acknowledge()
    case .step:
      executor.step()
      try acknowledge()
    case .busyStep:
      isBusy = true
      executor.step()
      isBusy = false
      if let busyFailure { throw busyFailure }
      try acknowledge()
    case .closeAndReopen: try closeAndReopen()
    case .killAndReopen: try killAndReopen()
    case .suspendAndResume:
      try store.suspend()
      try acknowledge(all: true)
      try expectOneFile("suspend")
      try store.resume()
    }
    if let acknowledgeFailure { throw acknowledgeFailure }
    guard isRepeating || ContentDigest(page.view) == digests[high] else {
      throw Violation(1, "the page shows\n\(PageContent(page.view))\ninstead of\n\(states[high])")
    }
  }

  private func commit(_ kind: CommitKind) throws {
    guard let last = states.last else { return }
    var next = last
    let operations = kind.operations(on: last, size: payload)
    next.apply(operations)
    let (_, ticket) = try page.commit(operations)
    states.append(next)
    digests.append(ContentDigest(next))
    guard ticket.commit == next.commit else {
      throw Violation(1, "commit \(next.commit) got ticket \(ticket.commit)")
    }
    try page.write()
  }

  /// Whatever the page says is durable counts as acknowledged.
  private func acknowledge(all: Bool = false) throws {
    let durable = page.durableCommit
    guard durable <= UInt64(high) else {
      throw Violation(11, "commit \(durable) is called durable, and \(high) was the last")
    }
    low = max(low, all ? high : Int(durable))
  }

  private func closeAndReopen() throws {
    try store.close()
    executor.dropAll()
    try acknowledge(all: true)
    try expectOneFile("close")
    guard !isRepeating else {
      (store, page) = try Self.opened(system, executor, options, seed: Self.seed &+ UInt64(high))
      return
    }
    let counting = CountingFileSystem(system)
    let inspected = try PageInspector.inspect(Self.page, in: Self.directory, fileSystem: counting)
    guard inspected.report.verdict == .clean else {
      throw Violation(10, "after a clean close: \(inspected.report)")
    }
    let again = try PageStore.open(
      Self.directory, options: options, environment: .seeded(Self.seed &+ UInt64(high), counting, executor))
    let opened = try again.open(Self.page)
    guard counting.counts.bytesWritten == 0, counting.counts.mutatingCalls == 1 else {
      throw Violation(10, "opening a closed page: \(counting.counts)")
    }
    guard let page = opened.page else { throw Violation(10, "after a clean close: \(opened.report)") }
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
    guard page.report.verdict <= .leftOpen else { throw Violation(5, "after a kill: \(page.report)") }
    low = high
  }

  private func expectOneFile(_ what: String) throws {
    let names = try system.names(in: Self.directory)
    guard names == [Self.contentName] else { throw Violation(10, "\(what) left \(names)") }
  }
}

extension Image {
  /// The same with paths and bytes of its own. Threads that share an array count its references at one place of
  /// memory, and wait for each other there.
  fileprivate var copied: Image {
    var files: [String: [UInt8]] = [:]
    var directories: [String] = []
    for (path, node) in zip(paths, nodes) {
      let path = String(decoding: Array(path.utf8), as: UTF8.self)
      switch node {
      case .directory: directories.append(path)
      case .file(let bytes): files[path] = bytes.map { $0 }
      }
    }
    return Image(files, directories: directories)
  }
}
