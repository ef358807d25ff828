// SPDX-License-Identifier: Apache-2.0

import PageJournalFaults

@testable import PageJournal

/// A page as anybody would write it down: an array and a dictionary. What the engine's state is compared with.
struct PlainPage: Equatable {
  struct Item: Equatable {
    var id: UInt64
    var kind: UInt8
    var payload: [UInt8]
  }

  var items: [Item] = []
  var attributes: [String: [UInt8]] = [:]
  var nextID: UInt64 = 1
  var commit: UInt64 = 0

  init() {}

  init(_ state: PageState) {
    state.forEach { items.append(Item(id: $0.id, kind: $0.kind, payload: state.arena.bytes($0.payload))) }
    attributes = PageView(state, generation: 0).attributes
    nextID = state.nextID
    commit = state.commit
  }

  private func place(_ id: UInt64) -> Int? { items.firstIndex { $0.id == id } }

  private mutating func made(_ kind: UInt8, _ payload: [UInt8]) -> Item {
    nextID += 1
    return Item(id: nextID - 1, kind: kind, payload: payload)
  }

  /// One commit: all of it, or none and false.
  mutating func apply(_ operations: [PageJournal.Operation]) -> Bool {
    var next = self
    for operation in operations where !next.apply(operation) { return false }
    next.commit += 1
    self = next
    return true
  }

  private mutating func apply(_ operation: PageJournal.Operation) -> Bool {
    switch operation {
    case .append(let kind, let payload): items.append(made(kind, payload))
    case .insert(let at, let kind, let payload):
      guard (0...items.count).contains(at) else { return false }
      items.insert(made(kind, payload), at: at)
    case .replace(let id, let elements):
      guard let at = place(id), !elements.isEmpty else { return false }
      let new = elements.map { made($0.kind, $0.payload) }
      items.replaceSubrange(at...at, with: new)
    case .remove(let id):
      guard let at = place(id) else { return false }
      items.remove(at: at)
    case .move(let id, let to):
      guard let at = place(id), items.indices.contains(to) else { return false }
      items.insert(items.remove(at: at), at: to)
    case .set(let key, let value):
      attributes[key] = value
    }
    return true
  }
}

/// Operations by chance, most of them possible.
struct RandomOperations {
  var random: SplitMix64
  /// Chance in percent that an operation names what is not there.
  var nonsense = 0
  var longestPayload = 40

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func number(_ below: Int) -> Int { below <= 0 ? 0 : Int(random.next() % UInt64(below)) }

  mutating func payload() -> [UInt8] {
    let length = number(6) == 0 ? 0 : number(longestPayload)
    return number(3) == 0 ? random.bytes(length) : [UInt8](repeating: UInt8(number(4)), count: length)
  }

  private mutating func element() -> NewElement {
    NewElement(kind: UInt8(1 + number(255)), payload: payload())
  }

  private mutating func id(in page: PlainPage) -> UInt64? {
    if number(100) < nonsense { return random.next() % (page.nextID + 3) }
    return page.items.isEmpty ? nil : page.items[number(page.items.count)].id
  }

  mutating func operation(on page: PlainPage) -> PageJournal.Operation {
    let extra = number(100) < nonsense ? number(4) - 2 : 0
    let new = element()
    switch number(12) {
    case 0, 1, 2: return .append(kind: new.kind, payload: new.payload)
    case 3, 4:
      return .insert(at: number(page.items.count + 1) + extra, kind: new.kind, payload: new.payload)
    case 5, 6:
      guard let id = id(in: page) else { break }
      let count = number(100) < nonsense ? number(3) : 1 + number(3)
      return .replace(id: id, with: (0..<count).map { _ in element() })
    case 7, 8:
      guard let id = id(in: page) else { break }
      return .remove(id: id)
    case 9, 10:
      guard let id = id(in: page) else { break }
      return .move(id: id, to: number(page.items.count) + extra)
    default:
      return .set(key: "k\(number(5))", value: number(3) == 0 ? nil : payload())
    }
    return .append(kind: new.kind, payload: new.payload)
  }

  /// One commit of one to six operations, each possible behind the ones before it (if nothing is nonsense).
  mutating func commit(on page: PlainPage) -> [PageJournal.Operation] {
    var after = page
    var operations: [PageJournal.Operation] = []
    for _ in 0..<(number(3) == 0 ? 1 + number(6) : 1) {
      let operation = operation(on: after)
      _ = after.apply([operation])
      operations.append(operation)
    }
    return operations
  }
}

extension PageMemory {
  /// One commit as `Page.commit` makes it; nil when it was refused.
  mutating func committed(_ operations: [PageJournal.Operation]) throws -> [UInt64]? {
    let edits = operations.map { edit($0) }
    guard EditCheck.failure(edits, state) == nil else { return nil }
    try encode(edits, PageID(high: 1, low: 2))
    return state.apply(edits)
  }
}
