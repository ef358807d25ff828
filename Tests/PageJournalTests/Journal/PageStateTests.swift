// SPDX-License-Identifier: Apache-2.0

import PageJournalFaults
import Testing

@testable import PageJournal

@Suite struct PageStateTests {
  private static var rounds: Int {
    var count = 400
    assert(
      {
        count = 40
        return true
      }())
    return count
  }

  /// The journal of one merge: its frames, sealed, behind a header.
  private func journal(_ memory: inout PageMemory, seed: UInt32) -> [UInt8] {
    var buffer = FrameBuffer()
    buffer.appendHeader(JournalHeader.plain(seed: seed).encoded)
    buffer.append(memory.pending)
    _ = buffer.seal(FrameChain(seed: seed), from: JournalHeader.size, markFirst: false)
    memory.pending.removeAll()
    return buffer.bytes
  }

  /// For every merge: the model, the state, the replayed journal and the extended snapshot are one page.
  @Test func theNetChangeAppliedToTheOldSnapshotIsTheNewState() throws {
    var commits = 0
    var refused = 0
    for round in 0..<Self.rounds {
      let seed = UInt64(80_000 + round)
      var operations = RandomOperations(seed: seed)
      operations.nonsense = round % 4 == 0 ? 8 : 0
      var memory = PageMemory(PageState(), generation: 1)
      var model = PlainPage()
      var fixture = SnapshotFixture()
      fixture.deflates = round % 2 == 0
      fixture.merge(&memory.state)
      for merge in 0..<6 {
        var replayed = SnapshotReading(fixture.bytes).state
        for _ in 0..<operations.number(merge == 0 ? 60 : 25) {
          let commit = operations.commit(on: model)
          let isApplied = model.apply(commit)
          if operations.number(9) == 0 { memory.state.repackIfSparse() }
          let ids = try memory.committed(commit)
          if (ids != nil) != isApplied {
            Issue.record("\(commit): applied \(isApplied), engine \(ids != nil) (seed \(seed))")
            return
          }
          commits += isApplied ? 1 : 0
          refused += isApplied ? 0 : 1
        }
        var reading = JournalReading(journal(&memory, seed: UInt32(round)))
        reading.replay(onto: &replayed)
        // What an open writes after a crash is what the merge of the live page would have written.
        let live = memory.state.contentSinceSnapshot()
        let found = replayed.contentSinceSnapshot()
        let isSameChange =
          live.takenOut == found.takenOut && live.placedBytes == found.placedBytes
          && live.runs.map(\.anchor) == found.runs.map(\.anchor)
        #expect(isSameChange, "seed \(seed)")
        fixture.merge(&memory.state)
        let snapshot = SnapshotReading(fixture.bytes)
        guard reading.stop == .clean, PlainPage(memory.state) == model, PlainPage(replayed) == model,
          snapshot.condition == .complete, PlainPage(snapshot.state) == model
        else {
          Issue.record(
            "merge \(merge): \(reading.stop), state \(PlainPage(memory.state) == model), replayed \(PlainPage(replayed) == model), \(snapshot.condition), snapshot \(PlainPage(snapshot.state) == model) (seed \(seed))"
          )
          return
        }
        #expect(memory.state.liveBytes == model.items.reduce(0) { $0 + $1.payload.count }, "seed \(seed)")
      }
    }
    print("net change: \(commits) commits, \(refused) refused, seeds 80000..<\(80_000 + Self.rounds)")
    #expect(refused > 0)
  }

  @Test func theNetChangeOfAReplayedJournalExtendsTheSnapshotToo() throws {
    for round in 0..<(Self.rounds / 4) {
      let seed = UInt64(90_000 + round)
      var operations = RandomOperations(seed: seed)
      var memory = PageMemory(PageState(), generation: 1)
      var model = PlainPage()
      var fixture = SnapshotFixture()
      for _ in 0..<30 {
        let commit = operations.commit(on: model)
        _ = model.apply(commit)
        _ = try memory.committed(commit)
      }
      fixture.merge(&memory.state)
      memory.pending.removeAll()
      for _ in 0..<4 {
        for _ in 0..<10 {
          let commit = operations.commit(on: model)
          _ = model.apply(commit)
          _ = try memory.committed(commit)
        }
        var recovered = SnapshotReading(fixture.bytes).state
        var reading = JournalReading(journal(&memory, seed: 5))
        reading.replay(onto: &recovered)
        fixture.merge(&recovered)
        let snapshot = SnapshotReading(fixture.bytes)
        guard snapshot.condition == .complete, PlainPage(snapshot.state) == model else {
          Issue.record("\(snapshot.condition) (seed \(seed))")
          return
        }
      }
    }
  }

  @Test func deadRecordsAndPayloadsAreGivenBackAndNothingElseChanges() throws {
    var memory = PageMemory(PageState(), generation: 1)
    var fixture = SnapshotFixture()
    var model = PlainPage()
    func commit(_ operations: [PageJournal.Operation]) throws {
      let isApplied = model.apply(operations)
      #expect(isApplied)
      #expect(try memory.committed(operations) != nil)
    }
    for index in 0..<30 { try commit([.append(kind: 1, payload: [UInt8(index)])]) }
    fixture.merge(&memory.state)
    try commit([.move(id: 4, to: 20), .remove(id: 9), .insert(at: 2, kind: 3, payload: [1, 2, 3])])
    memory.state.repackIfSparse()
    #expect(memory.state.records.count == 31)
    let big = [UInt8](repeating: 8, count: 100_000)
    for _ in 0..<60 {
      try commit([.append(kind: 2, payload: big)])
      try commit([.remove(id: memory.state.nextID - 1)])
    }
    #expect(memory.state.arena.total > 5_000_000)
    memory.state.repackIfSparse()
    #expect(memory.state.arena.total < 1000)
    #expect(PlainPage(memory.state) == model)
    for _ in 0..<20 {
      let first = memory.state.nextID
      try commit((0..<1000).map { .append(kind: 1, payload: $0 % 100 == 0 ? [1] : []) })
      try commit((0..<1000).map { .remove(id: first + UInt64($0)) })
    }
    #expect(memory.state.records.count > 20_000)
    memory.state.repackIfSparse()
    #expect(memory.state.records.count == memory.state.count)
    #expect(PlainPage(memory.state) == model)
    try commit([.move(id: 1, to: 7), .append(kind: 9, payload: [])])
    fixture.merge(&memory.state)
    #expect(SnapshotReading(fixture.bytes).condition == .complete)
    #expect(PlainPage(SnapshotReading(fixture.bytes).state) == model)
  }

  @Test func aStateThatWasKeptDoesNotChange() throws {
    var memory = PageMemory(PageState(), generation: 1)
    for index in 0..<1000 { _ = try memory.committed([.append(kind: 1, payload: [UInt8(index & 255)])]) }
    let kept = memory.state
    let before = PlainPage(kept)
    for index in 0..<500 {
      _ = try memory.committed([.remove(id: UInt64(2 * index + 1))])
      _ = try memory.committed([.move(id: UInt64(2 * index + 2), to: 0)])
    }
    memory.state.repackIfSparse()
    #expect(PlainPage(kept) == before)
    #expect(kept.place(of: 1000) == 999)
    #expect(memory.state.place(of: 1000) == 0)
  }

  @Test func aRefusedCommitChangesNothing() throws {
    var memory = PageMemory(PageState(), generation: 1)
    _ = try memory.committed([.append(kind: 1, payload: [1]), .append(kind: 1, payload: [2])])
    let before = PlainPage(memory.state)
    let bad: [[PageJournal.Operation]] = [
      [.remove(id: 1), .remove(id: 1)], [.remove(id: 3)], [.remove(id: 0)], [.remove(id: .max)],
      [.append(kind: 1, payload: []), .remove(id: 4)], [.move(id: 1, to: 2)], [.move(id: 1, to: -1)],
      [.remove(id: 1), .move(id: 2, to: 1)], [.insert(at: 3, kind: 1, payload: [])],
      [.insert(at: -1, kind: 1, payload: [])], [.replace(id: 1, with: [])], [.set(key: "", value: [])],
      [.set(key: String(repeating: "k", count: 256), value: nil)],
      [.replace(id: 1, with: [.init(kind: 1, payload: [])]), .move(id: 1, to: 0)],
      [.set(key: "k", value: [UInt8](repeating: 0, count: PageLimits.attributeValue + 1))],
    ]
    for operations in bad {
      #expect(try memory.committed([.set(key: "z", value: [1])] + operations) == nil, "\(operations)")
      #expect(PlainPage(memory.state) == before)
    }
    // What a batch made itself can be named by its later parts.
    let ids = try memory.committed([
      .append(kind: 1, payload: [3]), .move(id: 3, to: 0),
      .replace(id: 3, with: [.init(kind: 2, payload: []), .init(kind: 2, payload: [])]), .remove(id: 4),
    ])
    #expect(ids == [3, 4, 5])
    #expect(PlainPage(memory.state).items.map(\.id) == [5, 1, 2])
  }
}
