// SPDX-License-Identifier: Apache-2.0

/// What a merge writes: the difference from one state to another, or a whole page as the difference from an
/// empty one. It holds its own view of the payload bytes and needs the page no more.
struct SnapshotChange: Sendable {
  struct Element: Sendable {
    var id: UInt64
    var kind: UInt8
    var payload: PayloadRef
    /// Taken out before and placed again: the reader has its payload already.
    var isMoved: Bool
  }

  /// Neighbours that stand behind one anchor.
  struct Run: Sendable {
    var anchor: Anchor
    var elements: [Element]
  }

  enum Anchor: Sendable, Equatable {
    case end
    case start
    case behind(UInt64)
  }

  var takenOut: [UInt64] = []
  var runs: [Run] = []
  var attributes: [(key: String, value: [UInt8]?)] = []
  var keptFrames: [PageState.KeptFrame] = []
  var arena: Arena
  /// Payload bytes that will be written, before deflating.
  var placedBytes = 0

  var isEmpty: Bool { takenOut.isEmpty && runs.isEmpty && attributes.isEmpty && keptFrames.isEmpty }
}

extension PageState {
  /// The whole page.
  func wholeContent() -> SnapshotChange {
    var change = SnapshotChange(arena: arena)
    var elements: [SnapshotChange.Element] = []
    elements.reserveCapacity(count)
    forEach {
      elements.append(.init(id: $0.id, kind: $0.kind, payload: $0.payload, isMoved: false))
    }
    if !elements.isEmpty { change.runs = [.init(anchor: .end, elements: elements)] }
    change.placedBytes = liveBytes
    for key in Array(attributes.keys).ordered() { change.attributes.append((key.text, attributes[key])) }
    change.keptFrames = keptFrames
    return change
  }

  /// The difference to the snapshot on disk: everything touched is taken out, then what is still there of it
  /// is placed again in page order, each run behind the element before it. Untouched elements keep their order
  /// among themselves, since a move touches what it moves.
  ///
  /// Costs in proportion to what was touched (times the runs of the sequence), or one pass over the page, the smaller.
  func contentSinceSnapshot() -> SnapshotChange {
    var change = SnapshotChange(arena: arena)
    change.takenOut = Array(changes.takenOut).ordered()
    var last: (run: Int, place: Int)?
    for (place, number) in touchedInOrder() {
      let record = records[Int(number)]
      let isMoved = changes.takenOut.contains(record.id)
      let element = SnapshotChange.Element(
        id: record.id, kind: record.kind, payload: record.payload, isMoved: isMoved)
      if !isMoved { change.placedBytes += record.payload.length }
      if let (run, before) = last, before + 1 == place {
        change.runs[run].elements.append(element)
        last = (run, place)
      } else {
        let anchor: SnapshotChange.Anchor =
          place == 0 ? .start : .behind(records[Int(sequence.record(at: place - 1))].id)
        change.runs.append(.init(anchor: anchor, elements: [element]))
        last = (change.runs.count - 1, place)
      }
    }
    for key in Array(changes.attributes).ordered() { change.attributes.append((key.text, attributes[key])) }
    change.keptFrames = Array(keptFrames[min(changes.keptFrames, keptFrames.count)...])
    #if Mutants
      if Mutant.isOn(.extensionForgetsAttributes) { change.attributes = [] }
    #endif
    return change
  }

  private func touchedInOrder() -> [(place: Int, number: Int32)] {
    let alive = changes.touched.filter { records[Int($0)].isAlive }
    var found: [(place: Int, number: Int32)] = []
    found.reserveCapacity(alive.count)
    if alive.count * (sequence.runCount + 64) < count {
      for number in alive { found.append((sequence.place(of: number), number)) }
      return found.ordered { $0.place < $1.place }
    } else {
      var place = 0
      sequence.forEach { number in
        if records[Int(number)].isTouched { found.append((place, number)) }
        place += 1
      }
    }
    return found
  }
}
