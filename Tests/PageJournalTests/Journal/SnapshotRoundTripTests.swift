// SPDX-License-Identifier: Apache-2.0

import PageJournalFaults
import Testing

@testable import PageJournal

/// A snapshot file as merges make it: a first one of a whole page, then extensions.
struct SnapshotFixture {
  private(set) var bytes: [UInt8] = []
  private(set) var chain: FrameChain
  let header: SnapshotHeader
  private(set) var ends: [Int] = []
  var deflates = true

  init(seed: UInt32 = 0xABCD_0123, page: PageID = PageID(high: 1, low: 2)) {
    header = SnapshotHeader(seed: seed, page: page)
    chain = FrameChain(seed: seed)
  }

  /// Adds what has changed since the last call (the first time: all) and begins anew.
  mutating func merge(_ state: inout PageState) {
    let change = bytes.isEmpty ? state.wholeContent() : state.contentSinceSnapshot()
    _ = state.beginChanges()
    let end = SnapshotEnd(
      generation: UInt64(ends.count) + 1, nonce: 7, commit: state.commit, nextID: state.nextID,
      count: UInt64(state.count), absorbed: [])
    let written = SnapshotWriter.frames(
      change, end: end, chain: chain, deflate: deflates, header: bytes.isEmpty ? header : nil)
    bytes += written.bytes.bytes
    chain = written.chain
    ends.append(bytes.count)
  }
}

@Suite struct SnapshotRoundTripTests {
  private func expectWhole(
    _ fixture: SnapshotFixture, _ state: PageState, _ comment: Comment? = nil,
    _ location: SourceLocation = #_sourceLocation
  ) {
    let reading = SnapshotReading(fixture.bytes)
    #expect(reading.condition == .complete, comment, sourceLocation: location)
    #expect(PlainPage(reading.state) == PlainPage(state), comment, sourceLocation: location)
    #expect(reading.state.keptFrames == state.keptFrames, comment, sourceLocation: location)
    #expect(reading.state.liveBytes == state.liveBytes, comment, sourceLocation: location)
    #expect(reading.ends == fixture.ends.count, comment, sourceLocation: location)
    #expect(reading.chain == fixture.chain, comment, sourceLocation: location)
    #expect(reading.length == fixture.bytes.count, comment, sourceLocation: location)
  }

  @Test func anEmptyPageComesBack() {
    var state = PageState()
    var fixture = SnapshotFixture()
    fixture.merge(&state)
    expectWhole(fixture, state)
    fixture.merge(&state)
    expectWhole(fixture, state)
  }

  @Test func movesInsertsAndTakeOutsComeBackThroughSeveralExtensions() throws {
    for deflates in [false, true] {
      var memory = PageMemory(PageState(), generation: 1)
      var fixture = SnapshotFixture()
      fixture.deflates = deflates
      for index in 0..<40 {
        _ = try memory.committed([
          .append(kind: UInt8(1 + index), payload: [UInt8](repeating: 5, count: index))
        ])
      }
      _ = try memory.committed([.set(key: "a", value: [1]), .set(key: "b", value: [])])
      fixture.merge(&memory.state)
      let steps: [[PageJournal.Operation]] = [
        [.insert(at: 20, kind: 9, payload: [1, 2])], [.insert(at: 21, kind: 9, payload: [])],
        [.insert(at: 0, kind: 8, payload: [3])], [.move(id: 40, to: 0)], [.move(id: 1, to: 42)],
        [.move(id: 10, to: 11), .move(id: 10, to: 12)], [.remove(id: 20), .remove(id: 2)],
        [.replace(id: 30, with: [.init(kind: 1, payload: [9]), .init(kind: 1, payload: [])])],
        [.set(key: "a", value: nil), .set(key: "c", value: [7, 7])],
        [.move(id: 41, to: 5), .remove(id: 41)],
      ]
      for step in steps {
        #expect(try memory.committed(step) != nil)
        fixture.merge(&memory.state)
        expectWhole(fixture, memory.state, "\(step)")
      }
      for step in steps.count..<(steps.count + 3) {
        _ = try memory.committed([.append(kind: 2, payload: [UInt8(step)])])
        _ = try memory.committed([.move(id: 3, to: step)])
      }
      fixture.merge(&memory.state)
      expectWhole(fixture, memory.state)
    }
  }

  @Test func everyElementTakenOutLeavesAnEmptyPage() throws {
    var memory = PageMemory(PageState(), generation: 1)
    var fixture = SnapshotFixture()
    for _ in 0..<10 { _ = try memory.committed([.append(kind: 1, payload: [1])]) }
    fixture.merge(&memory.state)
    for id in 1...10 { _ = try memory.committed([.remove(id: UInt64(id))]) }
    fixture.merge(&memory.state)
    expectWhole(fixture, memory.state)
    _ = try memory.committed([.insert(at: 0, kind: 1, payload: [])])
    fixture.merge(&memory.state)
    expectWhole(fixture, memory.state)
  }

  @Test func largePayloadsAndManyElementsComeBack() throws {
    var random = SplitMix64(seed: 71)
    for deflates in [false, true] {
      var memory = PageMemory(PageState(), generation: 1)
      var fixture = SnapshotFixture()
      fixture.deflates = deflates
      for size in [65_535, 65_536, 65_537, 262_144, 300_000, 0, 1 << 20] {
        _ = try memory.committed([.append(kind: 1, payload: random.bytes(size))])
        _ = try memory.committed([.append(kind: 1, payload: [UInt8](repeating: 4, count: size))])
      }
      fixture.merge(&memory.state)
      expectWhole(fixture, memory.state)
      // More than a block holds, behind an element and before another one.
      let many = (0..<40_000).map {
        PageJournal.Operation.insert(at: 3 + $0, kind: 2, payload: $0 % 3 == 0 ? [] : [UInt8($0 & 255)])
      }
      #expect(try memory.committed(many) != nil)
      fixture.merge(&memory.state)
      expectWhole(fixture, memory.state)
      // All of them moved: the payloads are not written again.
      let before = fixture.bytes.count
      #expect(try memory.committed((0..<20_000).map { .move(id: UInt64(20 + $0), to: 0) }) != nil)
      fixture.merge(&memory.state)
      expectWhole(fixture, memory.state)
      #expect(fixture.bytes.count - before < 20_000 * 9)
    }
  }

  @Test func everyPrefixReadsAsTheLastEndInIt() throws {
    var memory = PageMemory(PageState(), generation: 1)
    var fixture = SnapshotFixture()
    var states: [PlainPage] = []
    var operations = RandomOperations(seed: 72)
    for _ in 0..<4 {
      for _ in 0..<6 {
        _ = try memory.committed(operations.commit(on: PlainPage(memory.state)))
      }
      fixture.merge(&memory.state)
      states.append(PlainPage(memory.state))
    }
    for count in fixture.bytes.indices {
      let reading = SnapshotReading(Array(fixture.bytes[..<count]))
      guard let last = fixture.ends.lastIndex(where: { $0 <= count }) else {
        #expect(reading.condition == .damaged, "\(count)")
        #expect(reading.state.count == 0)
        continue
      }
      #expect(reading.condition == (fixture.ends[last] == count ? .complete : .trailing), "\(count)")
      #expect(PlainPage(reading.state) == states[last], "\(count)")
    }
  }

  /// A frame has a greatest size; a page has no greatest number of attributes.
  @Test func moreAttributesThanAFrameHoldsComeBack() throws {
    var state = PageState()
    let value = [UInt8](repeating: 6, count: PageLimits.attributeValue)
    for index in 0..<140 { _ = state.apply([.set("key \(index)", value)]) }
    var fixture = SnapshotFixture()
    fixture.merge(&state)
    let reading = SnapshotReading(fixture.bytes)
    #expect(reading.condition == .complete)
    let isSame = reading.state.attributes == state.attributes
    #expect(isSame)
  }
}

/// Keys are bytes, whatever characters they spell.
@Suite struct AttributeKeyTests {
  @Test func twoSpellingsOfACharacterAreTwoKeys() throws {
    let directory = try TemporaryDirectory()
    let page = PageID(high: 0x0123_4567_89ab_4cde, low: 0x8123_4567_89ab_cdef)
    let store = try PageStore.open(directory.path)
    let writer = try store.create(page)
    _ = try writer.commit([.set(key: "\u{e9}", value: [1]), .set(key: "e\u{301}", value: [2])])
    _ = try writer.commit([.set(key: "\u{e9}", value: nil)])
    try store.close()
    let view = try #require(try PageInspector.inspect(page, in: directory.path).view)
    #expect(view.attributeList.map { Array($0.key.utf8) } == [[0x65, 0xCC, 0x81]])
    #expect(view.attributeList.map(\.value) == [[2]])
  }
}

/// What has no greatest size of its own is as many frames as it takes.
@Suite struct AttributeFrameTests {
  @Test func keysWithoutValuesCountToo() {
    var state = PageState()
    let edits = (0..<4000).map { Edit.set(String(repeating: "k", count: 240) + String($0), nil) }
    _ = state.apply(edits)
    let end = SnapshotEnd(generation: 1, nonce: 1, commit: 1, nextID: 1, count: 0, absorbed: [])
    let (frames, _) = SnapshotWriter.frames(
      state.contentSinceSnapshot(), end: end, chain: FrameChain(seed: 1), deflate: false)
    var scanner = FrameScanner(frames.bytes, from: 0, chain: FrameChain(seed: 1))
    var sizes: [Int] = []
    while let frame = scanner.next() {
      if frame.type == .attributes { sizes.append(frame.payload.count) }
    }
    #expect(sizes.count >= 3)
    #expect(sizes.allSatisfy { $0 < 300 << 10 })
  }
}
