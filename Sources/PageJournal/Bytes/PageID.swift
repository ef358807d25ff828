// SPDX-License-Identifier: Apache-2.0

/// The identity of a page: a 128-bit UUID whose text form, lower-case, is the stem of its file names.
public struct PageID: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The first eight bytes of the UUID, big-endian.
  public let high: UInt64
  /// The last eight bytes of the UUID, big-endian.
  public let low: UInt64

  /// Makes an id from its two halves.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// A version 4 UUID from 128 random bits.
  public init(random high: UInt64, _ low: UInt64) {
    self.high = (high & ~0xF000) | 0x4000
    self.low = (low & ~(0xC000 << 48)) | (0x8000 << 48)
  }

  /// Reads the canonical lower-case form (8-4-4-4-12); nil for anything else, so that a name never is a path.
  public init?(_ text: some StringProtocol) {
    let text = String(text)
    self.init(text.utf8.span)
  }

  /// The same from bytes.
  init?(_ text: Span<UInt8>) {
    guard text.count == 36 else { return nil }
    var high: UInt64 = 0
    var low: UInt64 = 0
    for position in 0..<36 {
      let byte = text[position]
      if position == 8 || position == 13 || position == 18 || position == 23 {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte &- UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte &- UInt8(ascii: "a") &+ 10
      default: return nil
      }
      if position < 19 { high = high << 4 | UInt64(digit) } else { low = low << 4 | UInt64(digit) }
    }
    self.high = high
    self.low = low
  }

  /// The canonical lower-case form.
  public var description: String {
    var text: [UInt8] = []
    text.reserveCapacity(36)
    for index in 0..<32 {
      if index == 8 || index == 12 || index == 16 || index == 20 { text.append(UInt8(ascii: "-")) }
      let half = index < 16 ? high : low
      let digit = UInt8(truncatingIfNeeded: half &>> UInt64(60 &- 4 &* (index & 15))) & 15
      text.append(digit < 10 ? 48 &+ digit : 87 &+ digit)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Orders by the text form.
  public static func < (left: PageID, right: PageID) -> Bool {
    left.high != right.high ? left.high < right.high : left.low < right.low
  }
}
