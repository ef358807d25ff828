// SPDX-License-Identifier: Apache-2.0

import LNote
import PageJournal
import PageJournalFaults

/// What a document may be after a crash: the lists that are allowed, and how far each page may have come.
package struct Expectation: Hashable, Sendable {
  /// A page of a list; `nil` stands for a page that is being made and whose id nobody knows yet.
  package typealias List = [PageID?]

  /// Commits of a page: at least `durable`, at most `issued`.
  package struct Progress: Hashable, Sendable {
    package var durable: Int
    package var issued: Int

    package init(durable: Int, issued: Int) {
      self.durable = durable
      self.issued = issued
    }
  }

  package var lists: [List]
  package var pages: [PageID: Progress]

  package init(lists: [List], pages: [PageID: Progress]) {
    self.lists = lists
    self.pages = pages
  }
}

/// Runs a workload on a document and knows, at every moment, what a crash may leave.
package final class CrashWorkload {
  /// One operation.
  package enum Step: String, CaseIterable, Sendable {
    case addPage, removePage, movePage, append, addImage, compact, reopen
  }

  package let system: SimulatedFileSystem
  package private(set) var bench: Bench
  package private(set) var document: NoteDocument
  /// The elements that each page got, in order: the payload of the k-th commit.
  package private(set) var written: [PageID: [[UInt8]]] = [:]
  /// The bytes of each asset that was acknowledged.
  package private(set) var assets: [PageID: [UInt8]] = [:]
  private let shared: Locked<Expectation>
  private var turn = 0

  /// What holds now.
  package var expectation: Expectation { shared.value }

  /// The same, for an observer of synchronisations, in the middle of a step.
  package var current: @Sendable () -> Expectation {
    let shared = shared
    return { shared.value }
  }

  /// A closed document of two pages with two elements each, opened again.
  /// - Parameter forgotten: the end of paths that are not synchronised once that is done.
  package init(forgotten: String? = nil) throws {
    system = SimulatedFileSystem(recordsEvents: false)
    bench = Bench(system, seed: 11)
    shared = Locked(Expectation(lists: [[]], pages: [:]))
    document = try bench.create(title: "t")
    for _ in 0..<2 {
      try addPage()
      try append()
      try append()
    }
    try reopen()
    guard let forgotten else { return }
    try document.close()
    bench.environment.storage.fileSystem = ForgetfulFileSystem(base: system, forgotten: forgotten)
    document = try bench.open()
  }

  package func run(_ step: Step) throws {
    switch step {
    case .addPage: try addPage()
    case .removePage: try removePage()
    case .movePage: try movePage()
    case .append: try append()
    case .addImage: try addImage()
    case .compact: try latest()?.compact()
    case .reopen: try reopen()
    }
  }

  private var list: [PageID] { document.pages.map(\.id) }

  private func begin(_ after: Expectation.List) { shared.with { $0.lists.append(after) } }

  private func end() {
    let list = list
    shared.with { expected in
      expected.lists = [list]
      for id in list where expected.pages[id] == nil { expected.pages[id] = .init(durable: 0, issued: 0) }
    }
  }

  private func addPage() throws {
    begin([nil] + list)
    let page = try document.addPage(width: 10, height: 20, at: 0)
    written[page.id] = []
    end()
  }

  private func removePage() throws {
    guard let id = list.last else { return }
    begin(list.dropLast())
    try document.removePage(id)
    end()
  }

  private func movePage() throws {
    let before = list
    guard let id = before.last, before.count > 1 else { return }
    begin([id] + before.dropLast())
    try document.movePage(id, to: 0)
    end()
  }

  /// The page that gets the next element.
  private func target() throws -> Page? {
    turn += 1
    return try latest()
  }

  private func latest() throws -> Page? {
    guard !list.isEmpty else { return nil }
    return try document.page(list[turn % list.count]).page
  }

  private func append() throws {
    guard let page = try target() else { return }
    // Long enough to be torn at the edge of a sector.
    try add([UInt8](repeating: UInt8(truncatingIfNeeded: 16 + turn), count: 300), kind: 200, to: page)
  }

  private func addImage() throws {
    guard let page = try target() else { return }
    let content = [UInt8](repeating: UInt8(truncatingIfNeeded: 200 + turn), count: 700)
    let asset = try document.addAsset(content, type: "png")
    assets[asset] = content
    try add([UInt8](asset.description.utf8), kind: 201, to: page)
  }

  private func add(_ payload: [UInt8], kind: UInt8, to page: Page) throws {
    let id = page.id
    written[id, default: []].append(payload)
    shared.with { $0.pages[id, default: .init(durable: 0, issued: 0)].issued += 1 }
    let (_, ticket) = try page.append(kind: kind, payload: payload.span)
    try page.sync(ticket)
    shared.with { $0.pages[id]?.durable = Int(ticket.commit) }
  }

  private func reopen() throws {
    try document.close()
    document = try bench.open()
  }
}
