// SPDX-License-Identifier: Apache-2.0

import PageJournal

/// What two states of a page have to agree on.
struct PageContent: Hashable, Sendable, CustomStringConvertible {
  struct Element: Hashable, Sendable {
    var id: UInt64
    var kind: UInt8
    var payload: [UInt8]
  }

  var commit: UInt64 = 0
  var nextID: UInt64 = 1
  var elements: [Element] = []
  var attributes: [String: [UInt8]] = [:]

  init() {}

  init(_ view: PageView) {
    commit = view.commit
    nextID = view.nextID
    attributes = view.attributes
    view.forEach { element, payload in
      elements.append(Element(id: element.id, kind: element.kind, payload: [UInt8](copying: payload)))
    }
  }

  var description: String {
    let list = elements.map {
      "\($0.id):\($0.kind):\($0.payload.first.map { "\($0)" } ?? "-")×\($0.payload.count)"
    }
    return "commit \(commit) [\(list.joined(separator: " "))] \(attributes.sorted { $0.key < $1.key })"
  }

  // MARK: A model of the engine, written anew

  /// Applies one commit.
  mutating func apply(_ operations: [PageJournal.Operation]) {
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

/// The kinds of commits that a workload is made of; what they concern follows from the state.
enum CommitKind: String, CaseIterable, Sendable {
  case append, insert, replace, remove, move, set, batch

  func operations(on state: PageContent) -> [PageJournal.Operation] {
    let mark = UInt8(truncatingIfNeeded: state.commit &+ 1)
    let payload = [UInt8](repeating: mark, count: 9 + Int(mark % 5))
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
