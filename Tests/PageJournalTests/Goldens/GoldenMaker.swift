// SPDX-License-Identifier: Apache-2.0

import PageJournalFaults

@testable import PageJournal

/// A page's files as they were left at one moment, and everything that its page has ever been.
struct Golden: Sendable {
  var name: String
  var page: PageID
  /// By file name.
  var files: [String: [UInt8]] = [:]
  /// The page after each commit; the index is the commit counter.
  var history: [PlainPage] = [PlainPage()]

  var snapshotName: String { PageFileName.snapshot(page).text }

  /// Names of the journals in order of their generations.
  var journalNames: [String] {
    files.keys.filter { $0.hasSuffix(".journal") }.sorted { Self.generation($0) < Self.generation($1) }
  }

  static func generation(_ name: String) -> UInt64 {
    if case .journal(_, let generation)? = PageFileName(name) { generation } else { 0 }
  }

  var pageFiles: PageFiles { pageFiles(replacing: "", by: []) }

  /// The files with one of them changed.
  func pageFiles(replacing name: String, by bytes: [UInt8]) -> PageFiles {
    var found = PageFiles(page: page)
    if let snapshot = files[snapshotName] {
      found.snapshot = .success(name == snapshotName ? bytes : snapshot)
    }
    for journal in journalNames {
      let content = name == journal ? bytes : files[journal] ?? []
      found.journals.append(
        .init(generation: Self.generation(journal), name: journal, content: .success(content)))
    }
    return found
  }
}

/// Makes the golden files: the engine on a simulated disk, with chance from fixed seeds, no clock and nothing in the
/// background. The same on every machine; blocks are not deflated, since two zlibs may deflate differently.
struct GoldenMaker {
  private var golden: Golden
  private let disk = SimulatedFileSystem(recordsEvents: false)
  private var operations: RandomOperations
  private var options = StoreOptions()
  private let seed: UInt64
  private var sessions: UInt64 = 0
  private var store: PageStore?
  private var writer: Page?

  private struct Failure: Error {}

  /// All of them, by name.
  static func all() throws -> [Golden] {
    [try closed(), try closedDeflated(), try leftOpen(), try rotated(), try tornTail(), try mergeCutOff()]
  }

  /// Closed: all kinds of operations in the first snapshot's two extensions.
  static func closed(deflates: Bool = false, name: String = "closed", seed: UInt64 = 1) throws -> Golden {
    var maker = try GoldenMaker(name, seed: seed)
    maker.options.deflates = deflates
    try maker.begin()
    try maker.commitEveryKind()
    try maker.end()
    try maker.begin()
    try maker.commit(12)
    try maker.end()
    return try maker.finished()
  }

  static func closedDeflated() throws -> Golden {
    try closed(deflates: true, name: "closed-deflated", seed: 6)
  }

  /// Left open with one journal: several groups that were synchronised, a flush, and commits that were only written.
  static func leftOpen() throws -> Golden {
    var maker = try GoldenMaker("left-open", seed: 2)
    try maker.begin()
    try maker.commit(8)
    try maker.end()
    try maker.begin()
    try maker.commitEveryKind(syncing: 4)
    try maker.page().flush()
    try maker.commit(5)
    try maker.page().write()
    return try maker.finished()
  }

  /// Left open with two journals: the first was rotated away, its merge not begun.
  static func rotated(name: String = "two-journals", seed: UInt64 = 3) throws -> Golden {
    var maker = try GoldenMaker(name, seed: seed)
    try maker.rotate()
    return try maker.finished()
  }

  /// Left open, the last write cut off inside its last frame.
  static func tornTail() throws -> Golden {
    var maker = try GoldenMaker("torn-tail", seed: 4)
    try maker.begin()
    try maker.commit(6)
    try maker.page().sync()
    try maker.commit(4)
    try maker.page().write()
    var golden = try maker.finished()
    guard let name = golden.journalNames.last else { throw Failure() }
    golden.files[name]?.removeLast(3)
    return golden
  }

  /// Left open in the middle of the merge of the first of two journals.
  static func mergeCutOff() throws -> Golden {
    var maker = try GoldenMaker("merge-cut-off", seed: 5)
    try maker.rotate()
    let disk = maker.disk
    let name = "pages/\(maker.golden.snapshotName)"
    var golden = maker.golden
    golden.files = try disk.pageFiles()
    let before = golden.files[golden.snapshotName] ?? []
    try maker.page().compact()
    let after = try disk.contents(of: name, limit: PageLimits.file)
    maker.store?.abandon()
    guard after.starts(with: before), after.count > before.count + 70 else { throw Failure() }
    golden.files[golden.snapshotName] = Array(after.prefix(before.count + 70))
    return golden
  }

  // MARK: Steps

  private init(_ name: String, seed: UInt64) throws {
    self.seed = seed
    golden = Golden(name: name, page: PageID(random: 0x90_1DE4 &* seed, seed))
    operations = RandomOperations(seed: 7_000 + seed)
    options.deflates = false
    try disk.createDirectory("pages")
  }

  private func page() throws -> Page {
    guard let writer else { throw Failure() }
    return writer
  }

  private mutating func begin() throws {
    sessions += 1
    let environment = Environment.quiet(disk, seed: seed &* 1000 &+ sessions)
    let store = try PageStore.open("pages", options: options, environment: environment)
    self.store = store
    writer = sessions == 1 ? try store.create(golden.page) : try store.open(golden.page).page
  }

  private mutating func end() throws {
    try store?.close()
    store = nil
    writer = nil
  }

  private mutating func commit(_ list: [PageJournal.Operation]) throws {
    var next = golden.history[golden.history.count - 1]
    guard next.apply(list) else { throw Failure() }
    _ = try page().commit(list)
    guard PlainPage(try page().view.state) == next else { throw Failure() }
    golden.history.append(next)
  }

  private mutating func commit(_ count: Int) throws {
    for _ in 0..<count {
      let last = golden.history[golden.history.count - 1]
      try commit(operations.commit(on: last))
    }
  }

  /// Each kind of operation at least once, also in batches.
  private mutating func commitEveryKind(syncing group: Int = .max) throws {
    var id = golden.history[golden.history.count - 1].nextID
    func list(_ id: UInt64) -> [[PageJournal.Operation]] {
      [
        [.append(kind: 1, payload: [1, 2, 3])], [.append(kind: 2, payload: [])],
        [.append(kind: 255, payload: [UInt8](0...99))],
        [.insert(at: 0, kind: 3, payload: [0, 0, 0, 0])], [.insert(at: 2, kind: 4, payload: [9])],
        [.replace(id: id, with: [.init(kind: 5, payload: [5]), .init(kind: 6, payload: [])])],
        [.remove(id: id + 1)], [.move(id: id + 2, to: 0)],
        [.set(key: "paper", value: [1])], [.set(key: "größe", value: [])], [.set(key: "paper", value: nil)],
        [
          .append(kind: 7, payload: [7]), .move(id: id + 7, to: 1), .remove(id: id + 3),
          .set(key: "tint", value: [3, 2, 1]), .insert(at: 1, kind: 8, payload: [8, 8]),
          .replace(id: id + 4, with: [.init(kind: 9, payload: [9, 9, 9])]),
        ],
      ]
    }
    for (index, operations) in list(id).enumerated() {
      try commit(operations)
      if index % group == group - 1 { try page().sync() }
    }
    id = golden.history[golden.history.count - 1].nextID
    for index in 0..<12 {
      try commit(1)
      if index % group == group - 1 { try page().sync() }
    }
  }

  private mutating func rotate() throws {
    try begin()
    try commit(10)
    try end()
    options.compactionThreshold = 400
    try begin()
    for index in 0..<200 {
      try commit(1)
      try page().write()
      if index % 3 == 2 { try page().sync() }
      if try disk.names(in: "pages").count == 3 { break }
    }
    for _ in 0..<3 {
      try commit(3)
      try page().sync()
    }
    try commit(2)
    try page().write()
  }

  private func finished() throws -> Golden {
    store?.abandon()
    var finished = golden
    finished.files = try disk.pageFiles()
    return finished
  }
}
