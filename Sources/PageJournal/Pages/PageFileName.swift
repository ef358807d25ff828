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
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count >= 2, let page = PageID(parts[0]) else { return nil }
    switch (parts.count, parts[parts.count - 1]) {
    case (2, "content"): self = .snapshot(page)
    case (2, "removed"): self = .removed(page)
    case (3, "journal"):
      guard let generation = Self.number(parts[1]) else { return nil }
      self = .journal(page, generation: generation)
    case (4, "quarantine"):
      guard let generation = Self.number(parts[1]), let offset = Self.number(parts[2]) else { return nil }
      self = .quarantine(page, generation: generation, offset: offset)
    case (3..., "tmp"): self = .temporary(page)
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
    case .snapshot(let page): "\(page).content"
    case .removed(let page): "\(page).removed"
    case .temporary(let page): "\(page).content.tmp"
    case .journal(let page, let generation): "\(page).\(generation).journal"
    case .quarantine(let page, let generation, let offset): "\(page).\(generation).\(offset).quarantine"
    }
  }
}
