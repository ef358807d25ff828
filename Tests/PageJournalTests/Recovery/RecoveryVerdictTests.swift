// SPDX-License-Identifier: Apache-2.0

import PageJournalFaults
import Testing

@testable import PageJournal

/// One test for each row of the table of what opening a page can find.
@Suite struct RecoveryVerdictTests {
  private func expect(
    _ fixture: PageFixture, _ verdict: Verdict, _ plan: RecoveryPlan, commit: UInt64,
    floor: PageFloor? = nil, _ location: SourceLocation = #_sourceLocation
  ) throws {
    let found = fixture.recovered(floor: floor)
    #expect(found.report.verdict == verdict, sourceLocation: location)
    #expect(found.plan == plan, sourceLocation: location)
    #expect(found.state.commit == commit, sourceLocation: location)
    let complaint = try WritableOpen.complaint(fixture.files, floor: floor)
    #expect(complaint == nil, sourceLocation: location)
  }

  private func fixture(_ journals: FrameMaker...) -> PageFixture {
    var fixture = PageFixture()
    for (index, journal) in journals.enumerated() {
      fixture.journals.append((UInt64(5 + index), journal.bytes))
    }
    return fixture
  }

  @Test func aSnapshotAloneIsClean() throws {
    try expect(PageFixture(), .clean, .nothing, commit: 3)
  }

  @Test func validJournalsAreLeftOpen() throws {
    let first = PageFixture().first()
    let second = PageFixture().next(after: first, commit: 7)
    try expect(fixture(first), .leftOpen, .extend, commit: 7)
    try expect(fixture(first, second), .leftOpen, .extend, commit: 11)
    #expect(fixture(first, second).recovered().report.framesApplied == 8)
    #expect(fixture(first, second).recovered().freshGeneration == 7)
  }

  @Test func aJournalWithoutCommitsOnlyGoes() throws {
    let header = PageFixture().first(count: 0).bytes
    for bytes in [[], [0], [UInt8](repeating: 0, count: 5000), Array(header.prefix(79)), header] {
      var page = PageFixture()
      page.journals = [(5, bytes)]
      try expect(page, .leftOpen, .sweep, commit: 3)
      page.journals = [(5, PageFixture().first().bytes), (6, bytes)]
      if bytes != header { try expect(page, .leftOpen, .extend, commit: 7) }
    }
  }

  @Test func aMergeThatWasCutOffIsLeftOpenOnlyWithItsJournal() throws {
    var page = fixture(PageFixture().first())
    page.snapshot.add(.takeOut, [1, 1])
    page.snapshot.bytes += [9, 9, 9]
    try expect(page, .leftOpen, .rewrite, commit: 7)
    page.journals = []
    try expect(page, .damagedSnapshot, .readOnly, commit: 3)
    page.journals = [(6, PageFixture().next(after: PageFixture().first(), commit: 7).bytes)]
    try expect(page, .damagedSnapshot, .readOnly, commit: 3)
  }

  @Test func badBytesAtTheEndOfTheNewestJournalAreATornTail() throws {
    for cut in 1...11 {
      var page = fixture(PageFixture().first())
      page.journals[0].bytes.removeLast(cut)
      try expect(page, .tornTail, .rewrite, commit: 6)
      #expect(page.recovered().report.bytesSetAside == 12 - cut)
    }
  }

  @Test func validFramesBehindBadBytesWithoutAMarkAreAnUnsyncedTail() throws {
    let first = PageFixture().first()
    var page = fixture(first)
    page.journals[0].bytes = first.bytes.flipping(bit: (first.offsets[1] + 10) * 8)
    try expect(page, .unsyncedTail, .rewrite, commit: 4)
    #expect(page.recovered().report.salvageable.map(\.frames) == [2])
    // A later journal behind the bad bytes is the same.
    page = fixture(first, PageFixture().next(after: first, commit: 7))
    page.journals[0].bytes = first.bytes.flipping(bit: (first.offsets[3] + 10) * 8)
    try expect(page, .unsyncedTail, .rewrite, commit: 6)
  }

  @Test func badBytesBelowAMarkAreCorruption() throws {
    let marked = PageFixture().first(marks: [3])
    for bit in (JournalHeader.size * 8)..<(marked.offsets[3] * 8) {
      var page = fixture(marked)
      page.journals[0].bytes = marked.bytes.flipping(bit: bit)
      let found = page.recovered()
      #expect(found.report.verdict == .corruption, "bit \(bit)")
      #expect(found.state.commit < 7)
    }
    let first = PageFixture().first()
    let later = PageFixture().next(after: first, commit: 7, marks: [0])
    var page = fixture(first, later)
    page.journals[0].bytes = first.bytes.flipping(bit: (first.offsets[3] + 10) * 8)
    try expect(page, .corruption, .readOnly, commit: 6)
  }

  @Test func aJournalThatIsGoneOrTooShortForTheNextIsAnUnsyncedTailOrCorruption() throws {
    let first = PageFixture().first()
    for isMarked in [false, true] {
      let second = PageFixture().next(after: first, commit: 7, marks: isMarked ? [0] : [])
      let verdict: Verdict = isMarked ? .corruption : .unsyncedTail
      let plan: RecoveryPlan = isMarked ? .readOnly : .rewrite
      var page = fixture(first, second)
      page.journals.removeFirst()
      try expect(page, verdict, plan, commit: 3)
      for bytes in [[], [UInt8](repeating: 0, count: 200), Array(first.bytes.prefix(70))] {
        page.journals = [(5, bytes), (6, second.bytes)]
        try expect(page, verdict, plan, commit: 3)
      }
      page.journals = [(5, Array(first.bytes.prefix(first.offsets[2]))), (6, second.bytes)]
      try expect(page, verdict, plan, commit: 5)
    }
  }

  @Test func aGapIsNeverBridged() throws {
    let first = PageFixture().first()
    let second = PageFixture().next(after: first, commit: 7)
    for isMarked in [false, true] {
      let third = PageFixture().next(after: second, commit: 11, marks: isMarked ? [0] : [], generation: 7)
      var page = fixture(first, second, third)
      try expect(page, .leftOpen, .extend, commit: 15)
      page.journals.remove(at: 1)
      let verdict: Verdict = isMarked ? .corruption : .unsyncedTail
      try expect(page, verdict, isMarked ? .readOnly : .rewrite, commit: 7)
      page.journals.removeFirst()
      try expect(page, .foreignJournal, .rewrite, commit: 3)
    }
  }

  @Test func aDamagedJournalHeaderIsATornTailOrBelowAMarkCorruption() throws {
    for (marks, verdict, plan) in [
      (Set<Int>(), Verdict.tornTail, RecoveryPlan.rewrite), ([0], .tornTail, .rewrite),
      ([2], .corruption, .readOnly), ([0, 1], .corruption, .readOnly),
    ] {
      let first = PageFixture().first(marks: marks)
      for bit in stride(from: 0, to: JournalHeader.size * 8, by: 13) {
        var page = fixture(first)
        page.journals[0].bytes = first.bytes.flipping(bit: bit)
        try expect(page, verdict, plan, commit: 3)
      }
    }
  }

  @Test func aNewerVersionIsLeftUntouchedWhereverItIs() throws {
    var unknown = PageFixture().first()
    unknown.add(9, [1, 2, 3])
    unknown.append(1, [4])
    try expect(fixture(unknown), .needsNewerVersion, .readOnly, commit: 7)
    var snapshot = PageFixture()
    snapshot.snapshot.add(33, [])
    snapshot.snapshot.add(snapshot.end)
    try expect(snapshot, .needsNewerVersion, .readOnly, commit: 3)

    var newer = HeaderEnvelope.start(magic: JournalHeader.magic, length: 40)
    newer[4] = 2
    newer += [UInt8](repeating: 1, count: 28)
    let file = HeaderEnvelope.sealed(newer) + [1, 2, 3]
    let first = PageFixture().first()
    var torn = first.bytes
    torn.removeLast(3)
    // Alone, behind a good one, behind a torn one, below the snapshot's generation (with and without others).
    let places: [[(UInt64, [UInt8])]] = [
      [(5, file)], [(5, first.bytes), (6, file)], [(5, torn), (6, file)], [(3, file)],
      [(3, file), (5, first.bytes)], [(3, file), (4, first.bytes)], [(7, file)],
      [(5, first.flippedHeader), (6, file)],
    ]
    for journals in places {
      var page = PageFixture()
      page.journals = journals.map { (generation: $0.0, bytes: $0.1) }
      #expect(page.recovered().report.verdict == .needsNewerVersion, "\(journals.map(\.0))")
      #expect(try WritableOpen.complaint(page.files) == nil, "\(journals.map(\.0))")
    }
  }

  @Test func aValidFrameThatDoesNotDecodeIsUndecodable() throws {
    for (type, payload) in [
      (FrameType.append, [UInt8]([1, 9])), (.remove, [99]), (.move, [1, 50]), (.place, [0, 0]), (.end, []),
      (.batch, [1]), (.insert, [200, 1, 1, 0]),
    ] {
      var first = PageFixture().first()
      first.add(type, payload)
      first.append(1, [1])
      try expect(fixture(first), .undecodable, .readOnly, commit: 7)
    }
    for payload in [[UInt8](), [0, 3, 0], [2, 1, 0], [1, 200, 1, 1], [0, 6, 0, 1, 0, 1, 0, 0]] {
      var page = PageFixture()
      page.snapshot.add(.place, payload)
      page.snapshot.add(page.end)
      try expect(page, .undecodable, .readOnly, commit: 3)
    }
  }

  @Test func aReadErrorIsNeitherDamageNorAnEmptyPage() {
    let error = StorageError(.io, "read", cause: "the medium failed")
    var files = fixture(PageFixture().first()).files
    files.journals[0].content = .failure(error)
    var found = Recovery(files)
    #expect(found.report.verdict == .unavailable)
    #expect(found.plan == .unavailable)
    #expect(found.report.failure == error)
    files.snapshot = .failure(error)
    found = Recovery(files)
    #expect(found.report.verdict == .unavailable)
    #expect(found.state.count == 0)
  }

  @Test func aDamagedMissingOrOutdatedSnapshotIsNeverReplaced() throws {
    for bit in stride(from: 0, to: PageFixture().snapshot.bytes.count * 8, by: 3) {
      var page = PageFixture()
      page.snapshot.bytes = page.snapshot.bytes.flipping(bit: bit)
      try expect(page, .damagedSnapshot, .readOnly, commit: 0)
      page.journals = [(5, PageFixture().first().bytes)]
      try expect(page, .damagedSnapshot, .readOnly, commit: 0)
    }
    var files = fixture(PageFixture().first()).files
    files.snapshot = nil
    #expect(Recovery(files).report.verdict == .damagedSnapshot)
    #expect(try WritableOpen.complaint(files) == nil)
    files.snapshot = .success([])
    #expect(Recovery(files).report.verdict == .damagedSnapshot)
    #expect(try WritableOpen.complaint(files) == nil)
    let floors = [PageFloor(generation: 6, commit: 3), PageFloor(generation: 5, commit: 4)]
    for floor in floors { try expect(PageFixture(), .damagedSnapshot, .readOnly, commit: 3, floor: floor) }
    try expect(PageFixture(), .clean, .nothing, commit: 3, floor: PageFloor(generation: 5, commit: 3))
    var other = PageFixture()
    other.snapshot = FrameMaker(SnapshotHeader(seed: 1, page: PageID(high: 9, low: 9)))
    other.snapshot.add(.place, [0, 2, 0, 0])
    other.snapshot.add(.init(generation: 1, nonce: 1, commit: 0, nextID: 1, count: 0, absorbed: []))
    try expect(other, .damagedSnapshot, .readOnly, commit: 0)
  }

  @Test func aForeignJournalIsSetAsideAndTheSnapshotShown() throws {
    func with(_ change: (inout JournalHeader) -> Void, as generation: UInt64 = 5) -> PageFixture {
      let fixture = PageFixture()
      var header = JournalHeader(
        seed: 7, page: fixture.page, generation: 5, nonce: fixture.end.nonce, previousNonce: 0, commit: 3,
        previousLength: 0, previousCRC: 0)
      change(&header)
      var maker = FrameMaker(header)
      maker.append(1, [1])
      maker.append(1, [2], marked: true)
      var page = fixture
      page.journals = [(generation, maker.bytes)]
      return page
    }
    try expect(with { $0.page = PageID(high: 1, low: 1) }, .foreignJournal, .rewrite, commit: 3)
    try expect(with { $0.nonce = 1 }, .foreignJournal, .rewrite, commit: 3)
    try expect(with { $0.commit = 4 }, .foreignJournal, .rewrite, commit: 3)
    try expect(with { $0.generation = 6 }, .foreignJournal, .rewrite, commit: 3)
    try expect(with({ $0.generation = 4 }, as: 4), .foreignJournal, .rewrite, commit: 3)
    try expect(with({ $0.generation = 9 }, as: 9), .foreignJournal, .rewrite, commit: 3)
    #expect(with { $0.nonce = 1 }.recovered().report.foreignFiles.count == 1)
  }

  @Test func aLowerJournalIsAbsorbedOnlyIfTheEndListsItsGenerationAndSeed() throws {
    let old = FrameMaker(.plain(seed: 77, generation: 4))
    func page(_ generation: UInt64, _ seed: UInt32, _ bytes: [UInt8]) -> PageFixture {
      var page = PageFixture(absorbed: [
        AbsorbedJournal(generation: generation, seed: seed, length: 500, crc: 1)
      ])
      page.journals = [(4, bytes)]
      return page
    }
    var mine = FrameMaker(
      JournalHeader(
        seed: 77, page: PageFixture().page, generation: 4, nonce: 1, previousNonce: 0, commit: 0,
        previousLength: 0, previousCRC: 0))
    mine.append(1, [1])
    try expect(page(4, 77, mine.bytes), .leftOpen, .rewrite, commit: 3)
    // Its length may have come back shorter.
    try expect(page(4, 77, Array(mine.bytes.dropLast(2))), .leftOpen, .rewrite, commit: 3)
    try expect(page(4, 78, mine.bytes), .foreignJournal, .rewrite, commit: 3)
    try expect(page(3, 77, mine.bytes), .foreignJournal, .rewrite, commit: 3)
    try expect(page(4, 77, old.bytes), .foreignJournal, .rewrite, commit: 3)
    try expect(page(4, 77, []), .leftOpen, .rewrite, commit: 3)
  }

  @Test func theFreshGenerationIsAboveEveryNameAndHeader() {
    var page = fixture(PageFixture().first())
    page.journals.append((41, []))
    #expect(page.recovered().freshGeneration == 42)
    var files = page.files
    files.otherGenerations = [99]
    #expect(Recovery(files).freshGeneration == 100)
    files.otherGenerations = [.max, 1 << 63]
    #expect(Recovery(files).freshGeneration == 42)
  }
}

extension FrameMaker {
  /// With damage in the header's nonce.
  var flippedHeader: [UInt8] { bytes.flipping(bit: 41 * 8) }
}
