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
    guard let stem = name.utf8.firstIndex(of: dot), let page = PageID(name[..<stem]) else { return nil }
    let rest = name[name.utf8.index(after: stem)...]
    guard let last = rest.utf8.lastIndex(of: dot) else {
      switch rest {
      case "content": self = .snapshot(page)
      case "removed": self = .removed(page)
      default: return nil
      }
      return
    }
    let middle = rest[..<last]
    switch rest[rest.utf8.index(after: last)...] {
    case "journal":
      guard let generation = Self.number(middle) else { return nil }
      self = .journal(page, generation: generation)
    case "quarantine":
      guard let edge = middle.utf8.firstIndex(of: dot), let generation = Self.number(middle[..<edge]),
        let offset = Self.number(middle[middle.utf8.index(after: edge)...])
      else { return nil }
      self = .quarantine(page, generation: generation, offset: offset)
    case "tmp": self = .temporary(page)
    default: return nil
    }
  }

  /// Decimal without sign or leading zero, so that two names never mean the same.
  private static func number(_ text: Substring) -> UInt64? {
    var value: UInt64 = 0
    var digits = 0
    for byte in text.utf8 {
      guard byte >= 48, byte <= 57, digits == 0 || value > 0 else { return nil }
      let (tens, isTooLarge) = value.multipliedReportingOverflow(by: 10)
      let (sum, overflows) = tens.addingReportingOverflow(UInt64(byte - 48))
      if isTooLarge || overflows { return nil }
      value = sum
      digits += 1
    }
    return digits > 0 ? value : nil
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
    case .journal(let page, let generation): "\(page).\(generation).journal"
    case .quarantine(let page, let generation, let offset): "\(page).\(generation).\(offset).quarantine"
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
