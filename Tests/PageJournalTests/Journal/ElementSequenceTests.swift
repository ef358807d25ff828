// SPDX-License-Identifier: Apache-2.0

import PageJournalFaults
import Testing

@testable import PageJournal

@Suite struct ElementSequenceTests {
  /// 100,000 operations in release, fewer where every check of the standard library is on.
  private static var operations: Int {
    var count = 100_000
    assert(
      {
        count = 10_000
        return true
      }())
    return count
  }

  private func list(_ sequence: ElementSequence) -> [Int32] {
    var all: [Int32] = []
    sequence.forEach { all.append($0) }
    return all
  }

  @Test(arguments: [61, 62, 63] as [UInt64]) func itIsAnArray(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var sequence = ElementSequence()
    var model: [Int32] = []
    var next: Int32 = 0
    func number(_ below: Int) -> Int { Int(random.next() % UInt64(max(1, below))) }
    for step in 0..<(Self.operations / 3) {
      // The size swings between nothing and some thousands, so that runs are split, emptied and used again.
      let isGrowing = step / 4000 % 2 == 0
      switch number(isGrowing ? 4 : 8) {
      case 0:
        sequence.append(next)
        model.append(next)
        next += 1
      case 1, 2:
        let place = number(3) == 0 ? number(2) * model.count : number(model.count + 1)
        sequence.insert(next, at: place)
        model.insert(next, at: place)
        next += 1
      case 3 where isGrowing && !model.isEmpty:
        let from = number(model.count)
        let record = model.remove(at: from)
        sequence.remove(record)
        let to = number(model.count + 1)
        sequence.insert(record, at: to)
        model.insert(record, at: to)
      default:
        guard !model.isEmpty else { continue }
        let place = number(model.count)
        sequence.remove(model.remove(at: place))
      }
      guard sequence.count == model.count else {
        Issue.record("count \(sequence.count), not \(model.count) (seed \(seed), step \(step))")
        return
      }
      if !model.isEmpty {
        let place = number(model.count)
        guard sequence.record(at: place) == model[place], sequence.place(of: model[place]) == place else {
          Issue.record("place \(place) differs (seed \(seed), step \(step))")
          return
        }
      }
      if step % 997 == 0, list(sequence) != model {
        Issue.record("the order differs (seed \(seed), step \(step))")
        return
      }
    }
    #expect(list(sequence) == model, "seed \(seed)")
  }

  @Test func emptiedRunsAreUsedAgain() {
    var sequence = ElementSequence()
    for record in 0..<Int32(5000) {
      sequence.append(record)
      sequence.remove(record)
    }
    #expect(sequence.count == 0)
    #expect(sequence.runsHeld <= 1)
    for record in 5000..<Int32(9000) { sequence.insert(record, at: 0) }
    for record in 5000..<Int32(9000) { sequence.remove(record) }
    let held = sequence.runsHeld
    for record in 9000..<Int32(13000) { sequence.insert(record, at: 0) }
    for record in 9000..<Int32(13000) { sequence.remove(record) }
    #expect(sequence.runsHeld == held)
    #expect(list(sequence).isEmpty)
  }
}
