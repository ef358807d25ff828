// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What a document has to hold after a number of operations.
struct KillDocument {
  struct Element: Equatable {
    var id: Int
    var kind: Int
    /// In base64, as it is sent and dumped.
    var payload: String
  }

  struct Page {
    /// Counts the pages that were ever made: the id of one is not known before the answer.
    var number: Int
    var width: Int
    var elements: [Element] = []
    var attributes: [String: String] = [:]
    var next = 1
    var commit = 0

    init(number: Int, width: Int) {
      self.number = number
      self.width = width
    }
  }

  var pages: [Page] = []

  /// Applies an operation. `page` is the number of the page it names.
  mutating func apply(_ operation: KillOperation) {
    switch operation {
    case .addPage(let number, let width): pages.append(Page(number: number, width: width))
    case .removePage(let page): pages.removeAll { $0.number == page }
    case .movePage(let page, let to):
      guard let from = pages.firstIndex(where: { $0.number == page }) else { return }
      pages.insert(pages.remove(at: from), at: to)
    case .commit(let page, let changes, _):
      guard let place = pages.firstIndex(where: { $0.number == page }) else { return }
      for change in changes { pages[place].apply(change) }
      pages[place].commit += 1
    case .addAsset, .sync, .compact: return
    }
  }
}

extension KillDocument.Page {
  mutating func apply(_ change: KillChange) {
    switch change {
    case .append(let kind, let payload): elements.append(made(kind, payload))
    case .insert(let place, let kind, let payload): elements.insert(made(kind, payload), at: place)
    case .replace(let id, let with):
      guard let place = elements.firstIndex(where: { $0.id == id }) else { return }
      let new = with.map { made($0.kind, $0.payload) }
      elements.replaceSubrange(place...place, with: new)
    case .remove(let id): elements.removeAll { $0.id == id }
    case .move(let id, let to):
      guard let from = elements.firstIndex(where: { $0.id == id }) else { return }
      elements.insert(elements.remove(at: from), at: to)
    case .set(let key, let value): attributes[key] = value
    }
  }

  private mutating func made(_ kind: Int, _ payload: String) -> KillDocument.Element {
    next += 1
    return KillDocument.Element(id: next - 1, kind: kind, payload: payload)
  }

  /// What a dump says against it being this page; nil when it is.
  func objection(to dump: [String: Any]) -> String? {
    guard dump["commit"] as? Int == commit else { return "commit \(dump["commit"] ?? "none")" }
    guard dump["width"] as? Int == width else { return "width \(dump["width"] ?? "none")" }
    guard dump["attributes"] as? [String: String] == attributes else { return "other attributes" }
    guard let list = dump["elements"] as? [[String: Any]], list.count == elements.count else {
      return "another number of elements"
    }
    for (element, found) in zip(elements, list)
    where found["id"] as? Int != element.id || found["kind"] as? Int != element.kind
      || found["payload"] as? String != element.payload
    {
      return "another element \(element.id)"
    }
    return nil
  }
}
