// SPDX-License-Identifier: Apache-2.0

import CVolume
import PageExplorer
import PageJournal
import PageJournalFaults

/// Drives a directory of pages by chance, until the power goes.
struct RealWorkload {
  private(set) var model: RealModel
  /// What was done, a line each.
  private(set) var log: [String] = []
  /// What the opening at the beginning found; nil when the power went before it had ended.
  private(set) var found: (verdicts: [Verdict], lost: Int)?

  private let directory: String
  private let tee: RealTee
  private let executor = ManualExecutor()
  private let options: StoreOptions
  private var random: SplitMix64
  private var store: PageStore?
  private var pages: [PageID: Page] = [:]
  /// Whether there are large payloads.
  private let isHeavy: Bool
  /// Whether little is made durable, so that much is pending.
  private let isLazy: Bool

  init(_ model: RealModel, in directory: String, _ tee: RealTee, seed: UInt64) {
    self.model = model
    self.directory = directory
    self.tee = tee
    random = SplitMix64(seed: seed)
    var options = StoreOptions()
    options.compactionThreshold = [400, 3000, 20_000, 256 << 10].randomElement(using: &random) ?? 400
    options.rewritesAtEverySave = Int.random(in: 0..<12, using: &random) == 0
    options.deflates = Bool.random(using: &random)
    self.options = options
    isHeavy = Int.random(in: 0..<3, using: &random) == 0
    isLazy = Int.random(in: 0..<3, using: &random) > 0
  }

  /// Until the power goes, or so many steps are done. Throws what must never be.
  mutating func run(steps: Int) throws {
    defer { end() }
    do {
      try open()
      for _ in 0..<steps {
        try step()
        try acknowledge()
      }
    } catch is RealPowerGone {
    } catch {
      guard tee.cut.hasCome else {
        log.append("failed: \(error)")
        throw violation(error)
      }
      log.append("ended: \(error)")
    }
  }

  /// Nothing more happens: the process is gone.
  private mutating func end() {
    executor.dropAll()
    store?.abandon()
    store = nil
    pages = [:]
    tee.closeAll()
  }

  private mutating func acknowledge() throws {
    let durable = pages.mapValues(\.durableCommit)
    guard !tee.cut.hasCome else { throw RealPowerGone() }
    for (id, commit) in durable { model.pages[id]?.acknowledge(commit) }
  }

  private mutating func open() throws {
    let seed = random.next()
    let store = try PageStore.open(
      directory, options: options, environment: .seeded(seed, tee, executor))
    self.store = store
    let cut = tee.cut
    let (opened, verdicts, lost) = try model.open(store) { cut.hasCome }
    pages = opened
    if found == nil { found = (verdicts, lost) }
    log.append("open: \(opened.count) pages, \(verdicts.map(\.rawValue)), \(lost) commits lost")
    try acknowledge()
  }

  // MARK: Steps

  private mutating func step() throws {
    guard let store else { return }
    guard let (id, page) = pages.sorted(by: { $0.key < $1.key }).randomElement(using: &random) else {
      return try create(store)
    }
    // Most of what comes after the commits makes something durable.
    let chance = Int.random(in: 0..<100, using: &random)
    switch isLazy && Int.random(in: 0..<10, using: &random) > 1 ? chance % 55 : chance {
    case 0..<55: try commit(id, page)
    case 55..<65:
      log.append("sync \(id)")
      try page.sync()
    case 65..<69:
      log.append("flush \(id)")
      try page.flush()
    case 69..<73:
      log.append("compact \(id)")
      try page.compact()
    case 73..<85:
      log.append("step")
      executor.step()
    case 85..<89:
      log.append("close")
      try store.close()
      executor.dropAll()
      for id in pages.keys where !tee.cut.hasCome { model.pages[id]?.acknowledgeAll() }
      try open()
    case 89..<91:
      log.append("suspend")
      try store.suspend()
      try acknowledge()
      try store.resume()
    case 91..<94: try remove(id, store)
    default: if pages.count < 4 { try create(store) } else { try commit(id, page) }
    }
  }

  private mutating func create(_ store: PageStore) throws {
    let id = PageID(random: random.next(), random.next())
    log.append("create \(id)")
    model.pages[id] = RealPage(.open)
    pages[id] = try store.create(id)
    guard !tee.cut.hasCome else { throw RealPowerGone() }
    model.pages[id]?.existence = .certain
  }

  private mutating func remove(_ id: PageID, _ store: PageStore) throws {
    log.append("remove \(id)")
    model.pages[id]?.existence = .open
    pages[id] = nil
    try store.remove(id)
    guard !tee.cut.hasCome else { throw RealPowerGone() }
    model.pages[id] = nil
  }

  private mutating func commit(_ id: PageID, _ page: Page) throws {
    guard let latest = model.pages[id]?.latest else { return }
    let kind = Bool.random(using: &random) ? .append : CommitKind.allCases.randomElement(using: &random)
    let operations = (kind ?? .append).operations(on: latest).map { filled($0) }
    let size = operations.reduce(0) { $0 + Self.payload($1) }
    log.append("\(kind ?? .append) \(id) -> \(latest.commit + 1), \(size) bytes")
    model.pages[id]?.issue(operations)
    let (_, ticket) = try page.commit(operations)
    guard ticket.commit == latest.commit + 1 else {
      throw Violation(1, "commit \(latest.commit + 1) of page \(id) got ticket \(ticket.commit)")
    }
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<6: try page.write()
    case 6 where !isLazy: try page.sync(ticket)
    default: break
    }
  }

  /// The same with a payload of chance, as zeros and repetitions would hide what is missing.
  private mutating func filled(_ operation: PageJournal.Operation) -> PageJournal.Operation {
    switch operation {
    case .append(let kind, _): .append(kind: kind, payload: payload())
    case .insert(let place, let kind, _): .insert(at: place, kind: kind, payload: payload())
    case .replace(let id, let with):
      .replace(id: id, with: with.map { NewElement(kind: $0.kind, payload: payload()) })
    case .set(let key, let value): .set(key: key, value: value == nil ? nil : payload())
    case .remove, .move: operation
    }
  }

  private mutating func payload() -> [UInt8] {
    let most = Int.random(in: 0..<20, using: &random) == 0 ? (isHeavy ? 40_000 : 9000) : isHeavy ? 3000 : 120
    return random.bytes(Int.random(in: 0...most, using: &random))
  }

  private static func payload(_ operation: PageJournal.Operation) -> Int {
    switch operation {
    case .append(_, let payload), .insert(_, _, let payload): payload.count
    case .replace(_, let with): with.reduce(0) { $0 + $1.payload.count }
    case .set(_, let value): value?.count ?? 0
    case .remove, .move: 0
    }
  }
}
