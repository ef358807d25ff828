// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PageJournal

/// Bytes made by somebody who can compute a crc: never a trap, never more memory than stated, always a verdict.
@Suite struct HostileFileTests {
  private static let seed: UInt64 = 121_000

  private static var cases: Int {
    var cases = 25_000
    assert(
      {
        cases = 1_000
        return true
      }())
    return cases
  }

  /// A sentence about the first thing in a state that cannot be.
  private func contradiction(_ state: PageState) -> String? {
    var ids: Set<UInt64> = []
    var bytes = 0
    for item in PlainPage(state).items {
      guard item.id > 0, item.id < state.nextID else { return "id \(item.id) of \(state.nextID)" }
      guard item.kind != 0 else { return "kind 0" }
      guard ids.insert(item.id).inserted else { return "id \(item.id) twice" }
      guard state.record(item.id)?.payload.length == item.payload.count else {
        return "id \(item.id) is lost"
      }
      bytes += item.payload.count
    }
    guard ids.count == state.count, state.numbers.count == state.count else { return "count \(state.count)" }
    guard bytes == state.liveBytes else { return "\(state.liveBytes) live bytes, not \(bytes)" }
    return nil
  }

  /// The bounds: payload memory is the files, and what their blocks inflate to, at most deflate's greatest ratio;
  /// an element costs at least a byte of a file or three bytes of an inflated block; nothing else exceeds the files.
  private func excess(_ recovery: Recovery, _ files: PageFiles) -> String? {
    var size = 0
    var all = files.journals.map(\.content)
    if let snapshot = files.snapshot { all.append(snapshot) }
    for case .success(let bytes) in all { size += bytes.count }
    let inflated = size * Deflate.maximumRatio + 64 * (size / FrameLayout.prefix + 1)
    let state = recovery.state
    if state.arena.total > size + inflated { return "arena of \(state.arena.total) for \(size)" }
    if state.records.count > size + inflated / 3 { return "\(state.records.count) records for \(size)" }
    let kept = state.keptFrames.reduce(0) { $0 + $1.payload.count + FrameLayout.prefix }
    if kept > size { return "\(kept) kept bytes for \(size)" }
    let aside = recovery.aside.reduce(0) { $0 + $1.bytes.count }
    if aside > size { return "\(aside) bytes aside for \(size)" }
    if recovery.report.salvageable.count * FrameLayout.prefix > size { return "too much to salvage" }
    if recovery.absorbed.count > files.journals.count { return "more absorbed than there are" }
    return nil
  }

  /// Goes on with the page as an app would, and reads what a merge writes.
  private func contradictionLater(_ recovery: Recovery) throws -> String? {
    guard !recovery.state.isExhausted else { return nil }
    var memory = PageMemory(recovery.state, generation: recovery.generation)
    let whole = memory.state.wholeContent()
    _ = memory.state.beginChanges()
    var fixture = SnapshotFixture()
    fixture.merge(&memory.state)
    guard whole.placedBytes == memory.state.liveBytes else {
      return "the whole has \(whole.placedBytes) bytes"
    }
    var operations = RandomOperations(seed: 5)
    for _ in 0..<4 {
      guard try memory.committed(operations.commit(on: PlainPage(memory.state))) != nil else {
        return "a commit was refused"
      }
    }
    fixture.merge(&memory.state)
    let reading = SnapshotReading(fixture.bytes)
    guard reading.condition == .complete else { return "what was written reads as \(reading.condition)" }
    guard PlainPage(reading.state) == PlainPage(memory.state) else { return "another page was written" }
    return nil
  }

  @Test(arguments: 0..<4) func rightCRCsOverHostileNumbers(part: Int) throws {
    var verdicts: [Verdict: Int] = [:]
    var elements = 0
    for index in 0..<Self.cases {
      let seed = Self.seed + UInt64(part * Self.cases + index)
      var maker = HostileMaker(seed: seed)
      let files = maker.files()
      let recovery = Recovery(files)
      verdicts[recovery.report.verdict, default: 0] += 1
      elements += recovery.state.count
      var complaint = contradiction(recovery.state) ?? excess(recovery, files)
      if complaint == nil, recovery.plan != .readOnly, recovery.plan != .unavailable {
        complaint = try contradictionLater(recovery)
      }
      if complaint == nil, index % 25 == 0 { complaint = try WritableOpen.complaint(files) }
      if let complaint {
        Issue.record("\(complaint), \(recovery.report.verdict) (seed \(seed))")
        return
      }
    }
    let counts = verdicts.sorted { $0.key < $1.key }.map { "\($0.key.rawValue) \($0.value)" }
    print("hostile files, part \(part): \(counts.joined(separator: ", ")); \(elements) elements")
    for verdict in [Verdict.clean, .leftOpen, .undecodable, .foreignJournal, .needsNewerVersion] {
      #expect(verdicts[verdict, default: 0] > 0, "\(verdict) was never reached")
    }
  }

  private func reading(_ build: (inout FrameMaker) -> Void) -> SnapshotReading {
    var page = PageFixture()
    build(&page.snapshot)
    return SnapshotReading(page.snapshot.bytes)
  }

  @Test func countersAtTheTopOfTheirRangeAreRefused() throws {
    for value: UInt64 in [.max, .max - 1, 1 << 63] {
      for field in 0..<3 {
        var page = PageFixture()
        switch field {
        case 0: page.end.commit = value
        case 1: page.end.nextID = value
        default: page.end.generation = value
        }
        page.snapshot.add(page.end)
        let header = JournalHeader(
          seed: 1, page: page.page, generation: page.end.generation, nonce: page.end.nonce, previousNonce: 0,
          commit: page.end.commit, previousLength: 0, previousCRC: 0)
        var journal = FrameMaker(header)
        for _ in 0..<3 { journal.append(1, []) }
        page.journals = [(page.end.generation, journal.bytes)]
        let found = page.recovered()
        #expect(found.report.verdict == .undecodable, "field \(field), \(value)")
        #expect(found.state.commit == 3)
        #expect(try WritableOpen.complaint(page.files) == nil)
      }
    }
  }

  @Test func anIdThatThePageHasNotGivenOutIsRefused() throws {
    for nextID in [UInt64(3), 1, 2] {
      var page = PageFixture()
      page.end.nextID = nextID
      page.snapshot.add(page.end)
      #expect(page.recovered().report.verdict == .undecodable, "\(nextID)")
      #expect(page.recovered().state.nextID == 4)
    }
    var page = PageFixture()
    // Element 4 placed, but the next one is said to be 4 as well.
    page.snapshot.add(.place, [0, 6, 0, 1, 6, 1, 2, 9])
    page.end.count = 4
    page.snapshot.add(page.end)
    #expect(page.recovered().report.verdict == .undecodable)
    #expect(PlainPage(page.recovered().state).items.map(\.id) == [1, 2, 3])
  }

  @Test func statedSizesAreCheckedBeforeAnythingIsMade() {
    let zeros = [UInt8](repeating: 0, count: 100_000)
    let packed = Deflate.compressed(zeros) ?? []
    for size in [UInt64(100_001), 1 << 27, 1 << 27 + 1, 1 << 40, .max] {
      let found = reading { maker in
        var payload: [UInt8] = [1]
        payload.appendVarint(size)
        maker.add(.place, payload + packed)
        maker.add(SnapshotEnd(generation: 5, nonce: 1, commit: 3, nextID: 4, count: 3, absorbed: []))
      }
      #expect(found.condition == .undecodable)
      #expect(found.state.arena.total < 1000)
    }
    for count in [UInt64(4), 1 << 30, 1 << 62, .max] {
      for type in [FrameType.takeOut, .attributes] {
        let found = reading { maker in
          var payload: [UInt8] = []
          payload.appendVarint(count)
          maker.add(type, payload + [1, 1, 1])
          maker.add(SnapshotEnd(generation: 5, nonce: 1, commit: 3, nextID: 4, count: 0, absorbed: []))
        }
        #expect(found.condition == .undecodable)
        #expect(found.state.count == 3)
      }
      var end: [UInt8] = []
      for _ in 0..<5 { end.appendLittleEndian(UInt64(3)) }
      end.appendVarint(count)
      let found = reading { $0.add(.end, end + [UInt8](repeating: 1, count: 72)) }
      #expect(found.condition == .undecodable)
    }
  }

  /// Appended and removed again and again: what is gone costs no memory that grows with it but its record.
  @Test func elementsThatComeAndGoLeaveNoRunsBehind() {
    var journal = PageFixture().first(count: 0)
    for id in UInt64(4)..<3004 {
      journal.append(1, [])
      var payload: [UInt8] = []
      payload.appendVarint(id)
      journal.add(.remove, payload)
    }
    var page = PageFixture()
    page.journals = [(5, journal.bytes)]
    let found = page.recovered()
    #expect(found.report.verdict == .leftOpen)
    #expect(found.state.count == 3)
    #expect(found.state.sequence.runsHeld <= 2)
  }
}
