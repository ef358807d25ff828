// SPDX-License-Identifier: Apache-2.0

import PageJournal

/// What two states of a page have to agree on.
package struct PageContent: Hashable, Sendable, CustomStringConvertible {
  package struct Element: Hashable, Sendable {
    package var id: UInt64
    package var kind: UInt8
    package var payload: [UInt8]
  }

  package var commit: UInt64 = 0
  package var nextID: UInt64 = 1
  package var elements: [Element] = []
  package var attributes: [String: [UInt8]] = [:]

  package init() {}

  package init(_ view: PageView) {
    commit = view.commit
    nextID = view.nextID
    attributes = view.attributes
    view.forEach { element, payload in
      elements.append(Element(id: element.id, kind: element.kind, payload: [UInt8](copying: payload)))
    }
  }

  package var description: String {
    let list = elements.map {
      "\($0.id):\($0.kind):\($0.payload.first.map { "\($0)" } ?? "-")×\($0.payload.count)"
    }
    return "commit \(commit) [\(list.joined(separator: " "))] \(attributes.sorted { $0.key < $1.key })"
  }

  // MARK: A model of the engine, written anew

  /// Applies one commit.
  package mutating func apply(_ operations: [PageJournal.Operation]) {
    for operation in operations {
      switch operation {
      case .append(let kind, let payload): elements.append(made(kind, payload))
      case .insert(let place, let kind, let payload): elements.insert(made(kind, payload), at: place)
      case .replace(let id, let with):
        guard let place = elements.firstIndex(where: { $0.id == id }) else { continue }
        let new = with.map { made($0.kind, $0.payload) }
        elements.replaceSubrange(place...place, with: new)
      case .remove(let id): elements.removeAll { $0.id == id }
      case .move(let id, let place):
        guard let from = elements.firstIndex(where: { $0.id == id }) else { continue }
        let element = elements.remove(at: from)
        elements.insert(element, at: place)
      case .set(let key, let value): attributes[key] = value
      }
    }
    commit += 1
  }

  private mutating func made(_ kind: UInt8, _ payload: [UInt8]) -> Element {
    nextID += 1
    return Element(id: nextID - 1, kind: kind, payload: payload)
  }
}

/// A fingerprint of a state, taken from a model or, without copying anything, from what a page shows.
package struct ContentDigest: Hashable, Sendable {
  private var value: UInt64 = 0x9E37_79B9_7F4A_7C15

  package init(_ content: PageContent) {
    begin(content.commit, content.nextID, content.attributes)
    for element in content.elements { add(element.id, element.kind, element.payload.span) }
  }

  package init(_ view: PageView) {
    var digest = self
    digest.begin(view.commit, view.nextID, view.attributes)
    view.forEach { element, payload in digest.add(element.id, element.kind, payload) }
    self = digest
  }

  private mutating func begin(_ commit: UInt64, _ nextID: UInt64, _ attributes: [String: [UInt8]]) {
    add(commit)
    add(nextID)
    var sum: UInt64 = 0
    for (key, value) in attributes {
      var one = ContentDigest()
      one.add([UInt8](key.utf8).span)
      one.add(value.span)
      sum &+= one.value
    }
    add(sum)
  }

  private init() {}

  private mutating func add(_ id: UInt64, _ kind: UInt8, _ payload: Span<UInt8>) {
    add(id)
    add(UInt64(kind))
    add(payload)
  }

  private mutating func add(_ bytes: Span<UInt8>) {
    add(UInt64(bytes.count))
    var word: UInt64 = 0
    for index in bytes.indices {
      word = word &<< 8 | UInt64(bytes[index])
      if index & 7 == 7 { add(word) }
    }
    add(word)
  }

  private mutating func add(_ word: UInt64) {
    let product = (value ^ word).multipliedFullWidth(by: 0xC2B2_AE3D_27D4_EB4F)
    value = product.high ^ product.low &+ 0x27D4_EB2F_1656_67C5
  }
}

/// The kinds of commits that a workload is made of; what they concern follows from the state.
package enum CommitKind: String, CaseIterable, Sendable {
  case append, insert, replace, remove, move, set, batch

  /// - Parameter size: how many bytes a payload has; small ones when there is none.
  package func operations(on state: PageContent, size: Int? = nil) -> [PageJournal.Operation] {
    let mark = UInt8(truncatingIfNeeded: state.commit &+ 1)
    let payload = [UInt8](repeating: mark, count: size ?? 9 + Int(mark % 5))
    guard let first = state.elements.first, let last = state.elements.last else {
      return [.append(kind: 1, payload: payload)]
    }
    switch self {
    case .append: return [.append(kind: 1, payload: payload)]
    case .insert: return [.insert(at: state.elements.count / 2, kind: 2, payload: payload)]
    case .replace:
      return [.replace(id: first.id, with: [.init(kind: 3, payload: payload), .init(kind: 4, payload: [])])]
    case .remove: return [.remove(id: last.id)]
    case .move: return [.move(id: first.id, to: state.elements.count - 1)]
    case .set: return [.set(key: "paper", value: [mark])]
    case .batch:
      return [
        .append(kind: 5, payload: payload), .remove(id: first.id), .set(key: "batch", value: [mark, mark]),
        .set(key: "paper", value: nil), .move(id: state.nextID, to: 0),
      ]
    }
  }
}
