// SPDX-License-Identifier: Apache-2.0

/// The names in a directory of pages (SPEC.md §3). Anything else is not ours, and is left alone.
enum PageFileName: Sendable, Equatable {
  case snapshot(PageID)
  case journal(PageID, generation: UInt64)
  case quarantine(PageID, generation: UInt64, offset: UInt64)
  /// A page whose removal has begun.
  case removed(PageID)
  /// A file that was being written.
  case temporary(PageID)

  init?(_ name: String) {
    // As bytes: a directory has thousands of names, and characters would be looked for in each.
    let dot = UInt8(ascii: ".")
    let bytes = name.utf8.span
    guard bytes.count > 37, bytes[36] == dot, let page = PageID(bytes.extracting(0..<36)) else { return nil }
    var edges = [36]
    for index in 37..<bytes.count where bytes[index] == dot { edges.append(index) }
    let end = bytes.extracting((edges[edges.count - 1] + 1)..<bytes.count)
    switch edges.count {
    case 1 where Self.isEqual(end, "content"): self = .snapshot(page)
    case 1 where Self.isEqual(end, "removed"): self = .removed(page)
    case 2 where Self.isEqual(end, "journal"):
      guard let generation = Self.number(bytes.extracting(37..<edges[1])) else { return nil }
      self = .journal(page, generation: generation)
    case 3 where Self.isEqual(end, "quarantine"):
      guard let generation = Self.number(bytes.extracting(37..<edges[1])),
        let offset = Self.number(bytes.extracting((edges[1] + 1)..<edges[2]))
      else { return nil }
      self = .quarantine(page, generation: generation, offset: offset)
    case 2... where Self.isEqual(end, "tmp"): self = .temporary(page)
    default: return nil
    }
  }

  private static func isEqual(_ bytes: Span<UInt8>, _ text: String) -> Bool {
    let other = text.utf8.span
    guard bytes.count == other.count else { return false }
    for index in bytes.indices where bytes[index] != other[index] { return false }
    return true
  }

  /// Decimal without sign or leading zero, so that two names never mean the same.
  private static func number(_ text: Span<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    for index in text.indices {
      let byte = text[index]
      guard byte >= 48, byte <= 57, index == 0 || value > 0 else { return nil }
      let (tens, isTooLarge) = value.multipliedReportingOverflow(by: 10)
      let (sum, overflows) = tens.addingReportingOverflow(UInt64(byte - 48))
      if isTooLarge || overflows { return nil }
      value = sum
    }
    return text.isEmpty ? nil : value
  }

  var page: PageID {
    switch self {
    case .snapshot(let page), .removed(let page), .temporary(let page), .journal(let page, _),
      .quarantine(let page, _, _):
      page
    }
  }

  var text: String {
    switch self {
    case .snapshot(let page): page.description + ".content"
    case .removed(let page): page.description + ".removed"
    case .temporary(let page): page.description + ".content.tmp"
    case .journal(let page, let generation): page.description + "." + String(generation) + ".journal"
    case .quarantine(let page, let generation, let offset):
      page.description + "." + String(generation) + "." + String(offset) + ".quarantine"
    }
  }

  /// An order that is always the same.
  var rank: (UInt64, UInt64, Int) {
    switch self {
    case .snapshot: (0, 0, 0)
    case .removed: (0, 0, 1)
    case .temporary: (0, 0, 2)
    case .journal(_, let generation): (generation, 0, 3)
    case .quarantine(_, let generation, let offset): (generation, offset, 4)
    }
  }
}
