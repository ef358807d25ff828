// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults
import Synchronization

/// The files of a page on a disk in memory, and what has to hold whatever is in them: reading changes nothing, a
/// writable open shows what reading showed, what it has mended stays so, and bytes that are not shown are kept.
struct PageTrial {
  private static let directory = "/pages"
  private let page: PageID
  private let snapshot: [UInt8]?
  private let files: [(name: String, bytes: [UInt8])]

  init(snapshot: [UInt8]?, journals: [[UInt8]], _ input: SealedInput) {
    let first = snapshot ?? journals.first ?? []
    let isNamed = first.count >= 32 && !input.hasOtherName
    let id = PageID(
      high: isNamed ? Self.half(first, 16) : 0x0123_4567_89AB_4CDE,
      low: isNamed ? Self.half(first, 24) : 0x8F01_2345_6789_ABCD)
    var files = snapshot.map { [(name: "\(id).content", bytes: $0)] } ?? []
    for (index, journal) in journals.enumerated() {
      let stated = journal.count >= 40 ? FrameBytes.number(journal, 32, count: 8) : 0
      var generation = stated > 0 ? stated : UInt64(index + 1)
      while files.contains(where: { $0.name == "\(id).\(generation).journal" }) { generation &+= 1 }
      files.append((name: "\(id).\(generation).journal", bytes: journal))
    }
    page = id
    self.snapshot = snapshot
    self.files = files
  }

  private static func half(_ bytes: [UInt8], _ start: Int) -> UInt64 {
    FrameBytes.number(bytes, start, count: 8).byteSwapped
  }

  func run() throws {
    guard !files.isEmpty else { return }
    let disk = try disk()
    let before = try image(disk)
    let events = disk.eventCount
    let seen = try inspect(disk)
    try require(disk.eventCount == events, "reading changed something: \(disk.events.suffix(3))")
    try checkVerdict(seen)
    try checkBounds(seen)
    let shown = seen.view.map(PageContent.init)

    let store = try open(disk)
    let opened = try store.open(page)
    let verdict = seen.report.verdict
    try require(opened.report.verdict == verdict, "\(verdict), but \(opened.report.verdict) when opened")
    try require(
      opened.view.map(PageContent.init) == shown, "another state when opened for writing (\(verdict))")
    guard let writer = opened.page else {
      store.abandon()
      try require(verdict != .clean && verdict != .leftOpen, "\(verdict) has no writer")
      try require(try image(disk) == before, "\(verdict) is read-only and changed files")
      try checkDrop()
      return try checkStrict(verdict)
    }
    try require(writer.obstacle == nil, "\(verdict): \(String(describing: writer.obstacle))")
    if verdict == .clean { try require(try image(disk) == before, "opening a clean page changed it") }
    try checkKeptAside(opened.report, disk)
    store.abandon()
    try checkSettled(disk, shown)
    try checkLife(disk, shown, verdict)
    try checkStrict(verdict)
  }

  // MARK: The parts

  private func disk() throws -> SimulatedFileSystem {
    let disk = SimulatedFileSystem()
    try disk.createDirectory(Self.directory)
    for file in files {
      let handle = try disk.open("\(Self.directory)/\(file.name)", .createNew)
      defer { handle.close() }
      if !file.bytes.isEmpty { _ = try handle.write(file.bytes.span, at: 0) }
    }
    return disk
  }

  private func image(_ disk: SimulatedFileSystem) throws -> Image {
    try Image(reading: disk, at: Self.directory)
  }

  private func inspect(_ disk: SimulatedFileSystem) throws -> OpenedPage {
    try PageInspector.inspect(page, in: Self.directory, fileSystem: disk)
  }

  private func open(_ disk: SimulatedFileSystem, _ policy: RecoveryPolicy = .standard) throws -> PageStore {
    var options = StoreOptions()
    options.policy = policy
    return try PageStore.open(Self.directory, options: options, environment: .quiet(disk))
  }

  /// A clean page is one whole snapshot, read by the specification: nothing behind its last `end`, and as many elements
  /// as that states.
  private func checkVerdict(_ seen: OpenedPage) throws(BrokenProperty) {
    let report = seen.report
    if let failure = report.failure { try requireSentence(failure.description) }
    guard report.verdict == .clean || report.verdict == .leftOpen else { return }
    guard let snapshot, let view = seen.view,
      let header = FrameBytes.header(snapshot, magic: FrameBytes.snapshotMagic)
    else { throw BrokenProperty("\(report.verdict) without a snapshot") }
    let frames = FrameBytes.frames(snapshot, from: header.length, seed: header.seed)
    guard let end = frames.last(where: { $0.typeByte & 0x7F == 19 }), end.payload.count >= 41 else {
      throw BrokenProperty("\(report.verdict) without an end")
    }
    guard report.verdict == .clean else { return }
    try require(end.payload.upperBound == snapshot.count, "clean, with bytes behind the end")
    let stated = (0..<5).map { FrameBytes.number(snapshot, end.payload.lowerBound + 8 * $0, count: 8) }
    try require(
      view.commit == stated[2] && view.nextID == stated[3] && UInt64(view.count) == stated[4],
      "clean with commit \(view.commit), next \(view.nextID), \(view.count) elements; stated is \(stated)")
    try PlainSnapshot.compare(snapshot, frames, with: PageContent(view))
  }

  /// What is shown came out of these bytes: deflate makes 1032 out of one at most.
  private func checkBounds(_ seen: OpenedPage) throws(BrokenProperty) {
    guard let view = seen.view else { return }
    let size = files.reduce(0) { $0 + $1.bytes.count }
    let most = size * 1033 + 64 * (size / FrameBytes.prefix + 1)
    try require(view.payloadBytes <= most, "\(view.payloadBytes) bytes out of \(size)")
    try require(view.count <= most, "\(view.count) elements out of \(size) bytes")
    try require(seen.report.bytesSetAside <= size, "more set aside than there is")
    let elements = view.elements
    try require(elements.count == view.count, "\(elements.count) elements, said to be \(view.count)")
    try require(Set(elements.map(\.id)).count == elements.count, "an id twice")
    for element in elements {
      try require(element.id > 0 && element.id < view.nextID && element.kind > 0, "element \(element)")
    }
    let sum = elements.reduce(0) { $0 + $1.length }
    try require(sum == view.payloadBytes, "\(sum) payload bytes, said to be \(view.payloadBytes)")
  }

  /// What is not shown stands at the start of a quarantine file.
  private func checkKeptAside(_ report: RecoveryReport, _ disk: SimulatedFileSystem) throws {
    let image = try image(disk)
    let aside = image.paths.filter { $0.hasSuffix(".quarantine") }
    try require(Set(aside) == Set(report.quarantined.map { "/" + $0 }), "\(aside), not \(report.quarantined)")
    try require(aside.isEmpty == (report.bytesSetAside == 0), "\(report.bytesSetAside) bytes aside, \(aside)")
    guard report.verdict == .tornTail || report.verdict == .unsyncedTail, let name = report.file,
      let offset = report.offset, let file = files.first(where: { $0.name == name })
    else { return }
    let rest = Array(file.bytes[min(offset, file.bytes.count)...])
    let isKept = rest.isEmpty || aside.contains { image[$0]?.starts(with: rest) == true }
    try require(isKept, "\(rest.count) bytes of \(name) are gone")
  }

  /// After a writable open the page is clean, shows the same, and opening it again writes nothing.
  private func checkSettled(_ disk: SimulatedFileSystem, _ shown: PageContent?) throws {
    let settled = try image(disk)
    let again = try inspect(disk)
    try require(again.report.verdict == .clean, "after a writable open it is \(again.report.verdict)")
    try require(again.view.map(PageContent.init) == shown, "after a writable open it is another page")
    let names = settled.paths.filter { !$0.hasSuffix(".quarantine") }
    try require(names == ["/\(page).content"], "a writable open left \(names)")
    let store = try open(disk)
    let opened = try store.open(page)
    try require(opened.page != nil, "a settled page has no writer")
    store.abandon()
    try require(try image(disk) == settled, "a second open changed files")
  }

  /// One more element, closed: the page is what it was and that element, and frames of newer versions are still there.
  private func checkLife(_ disk: SimulatedFileSystem, _ shown: PageContent?, _ verdict: Verdict) throws {
    guard let shown, shown.commit < PageLimits.counter - 4, shown.nextID < PageLimits.counter - 4 else {
      return
    }
    let kept = skippable(try image(disk))
    let store = try open(disk)
    guard let writer = try store.open(page).page else { throw BrokenProperty("a settled page has no writer") }
    // Generations end too.
    guard writer.view.generation < PageLimits.counter else { return store.abandon() }
    let payload: [UInt8] = [1, 2, 3]
    let (id, ticket) = try writer.append(kind: 200, payload: payload.span)
    try require(id == shown.nextID, "a new element got \(id), not \(shown.nextID)")
    try require(try writer.sync(ticket) >= ticket.commit, "a sync did not reach its ticket")
    try store.close()
    var expected = shown
    expected.elements.append(.init(id: id, kind: 200, payload: payload))
    expected.commit += 1
    expected.nextID += 1
    let closed = try inspect(disk)
    try require(closed.report.verdict == .clean, "closed it is \(closed.report.verdict)")
    try require(closed.view.map(PageContent.init) == expected, "closed it is another page")
    try require(skippable(try image(disk)) == kept, "frames of a newer version were lost")
  }

  private func skippable(_ image: Image) -> [[UInt8]] {
    guard let bytes = image["/\(page).content"],
      let header = FrameBytes.header(bytes, magic: FrameBytes.snapshotMagic)
    else { return [] }
    return FrameBytes.frames(bytes, from: header.length, seed: header.seed)
      .filter { $0.typeByte & 0x40 != 0 }.map { [$0.typeByte & 0x7F] + bytes[$0.payload] }
  }

  /// Strict: as good as closed, or an error and nothing changed.
  private func checkStrict(_ verdict: Verdict) throws {
    guard verdict > .leftOpen else { return }
    let disk = try disk()
    let before = try image(disk)
    let store = try open(disk, .strict)
    defer { store.abandon() }
    do {
      _ = try store.open(page)
    } catch {
      try requireSentence(error.description)
      return try require(try image(disk) == before, "a strict open changed files")
    }
    throw BrokenProperty("a strict open took \(verdict)")
  }

  /// Dropped, a page is clean and shows what could be read of it.
  private func checkDrop() throws {
    let disk = try disk()
    let store = try open(disk, .drop)
    let opened = try store.open(page)
    let shown = opened.view.map(PageContent.init)
    let isWritable = opened.page != nil
    store.abandon()
    let verdict = opened.report.verdict
    let isExempt = verdict == .needsNewerVersion || verdict == .unavailable
    try require(isWritable != isExempt, "dropped, \(verdict) has \(isWritable ? "a" : "no") writer")
    if isWritable { try checkSettled(disk, shown) }
  }
}

/// What a page shows, to compare.
struct PageContent: Equatable {
  struct Element: Equatable {
    var id: UInt64
    var kind: UInt8
    var payload: [UInt8]
  }

  var elements: [Element] = []
  var attributes: [[UInt8]]
  var commit: UInt64
  var nextID: UInt64

  init(_ view: PageView) {
    commit = view.commit
    nextID = view.nextID
    attributes = view.attributeList.flatMap { [Array($0.key.utf8), $0.value] }
    for element in view.elements {
      elements.append(
        Element(id: element.id, kind: element.kind, payload: view.payload(of: element.id) ?? []))
    }
  }

  init(commit: UInt64, nextID: UInt64) {
    attributes = []
    self.commit = commit
    self.nextID = nextID
  }
}

extension Environment {
  /// No clock, nothing in the background, and chance that is the same each time.
  static func quiet(_ fileSystem: any FileSystem) -> Environment {
    let random = FixedChance()
    return Environment(
      fileSystem: fileSystem, random: { random.next() }, clock: { 0 }, executor: IdleExecutor())
  }
}

private final class FixedChance: Sendable {
  private let generator: Mutex<SplitMix64>
  init() { generator = Mutex(SplitMix64(seed: 4242)) }
  func next() -> UInt64 { generator.withLock { $0.next() } }
}

/// Takes work and never does it.
private struct IdleExecutor: CompactionExecutor {
  func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) {}
}
