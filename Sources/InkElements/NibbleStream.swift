// SPDX-License-Identifier: Apache-2.0

/// Varints of four-bit groups: three bits of value, least significant first, and bit 3 = more follow. Two groups a
/// byte, the low half first. Residuals of pen columns are mostly below 8, where a byte varint wastes half a byte.
enum Nibbles {
  /// The groups of a full 64-bit value.
  static let longest = 22

  /// 0, −1, 1, −2 … as 0, 1, 2, 3 …
  @inline(__always)
  static func zigzag(_ value: Int64) -> UInt64 { UInt64(bitPattern: (value << 1) ^ (value >> 63)) }

  /// The inverse of `zigzag`.
  @inline(__always)
  static func unzigzag(_ raw: UInt64) -> Int64 {
    Int64(bitPattern: raw >> 1) ^ (0 &- Int64(bitPattern: raw & 1))
  }

  /// The number of groups that a value takes: 1–22.
  @inline(__always)
  static func length(_ raw: UInt64) -> Int { (66 &- (raw | 1).leadingZeroBitCount) / 3 }
}

/// Collects groups in a word and hands them to a byte array eight bytes at a time.
struct NibbleWriter {
  private var word: UInt64 = 0
  private var used: UInt64 = 0

  /// Appends one value.
  @inline(__always)
  mutating func append(_ raw: UInt64, to bytes: inout [UInt8]) {
    var rest = raw
    while rest >= 8 {
      put(rest & 7 | 8, to: &bytes)
      rest >>= 3
    }
    put(rest, to: &bytes)
  }

  /// Appends what is left, with a zero group where the last byte is half empty.
  mutating func finish(_ bytes: inout [UInt8]) {
    while used > 0 {
      bytes.append(UInt8(truncatingIfNeeded: word))
      word >>= 8
      used = used > 8 ? used &- 8 : 0
    }
  }

  @inline(__always)
  private mutating func put(_ group: UInt64, to bytes: inout [UInt8]) {
    word |= group &<< used
    used &+= 4
    if used == 64 {
      for shift in stride(from: UInt64(0), to: 64, by: 8) {
        bytes.append(UInt8(truncatingIfNeeded: word &>> shift))
      }
      word = 0
      used = 0
    }
  }
}

/// A cursor over the groups of a span of bytes.
struct NibbleReader {
  /// The next group; the low half of byte 0 is group 0.
  private(set) var position = 0
  /// One past the last group.
  let end: Int

  /// Reads all groups of a span of this many bytes.
  init(byteCount: Int) { end = byteCount * 2 }

  /// The next value; nil when the span ends in it or it does not fit 64 bits.
  @inline(__always)
  mutating func next(_ bytes: Span<UInt8>) -> UInt64? {
    guard position < end else { return nil }
    let group = bytes[position &>> 1] &>> UInt8((position & 1) &<< 2) & 15
    position &+= 1
    return group < 8 ? UInt64(group) : rest(bytes, from: UInt64(group & 7))
  }

  /// Steps over the zero group that fills a byte; false when that group is not zero.
  mutating func skipPadding(_ bytes: Span<UInt8>) -> Bool {
    guard position & 1 == 1 else { return true }
    position += 1
    return bytes[position / 2 - 1] < 16
  }

  private mutating func rest(_ bytes: Span<UInt8>, from low: UInt64) -> UInt64? {
    var value = low
    var shift: UInt64 = 3
    while position < end, shift < 66 {
      let group = bytes[position &>> 1] &>> UInt8((position & 1) &<< 2) & 15
      position &+= 1
      if shift == 63, group > 1 { return nil }
      value |= UInt64(group & 7) &<< shift
      if group < 8 { return value }
      shift &+= 3
    }
    return nil
  }
}
