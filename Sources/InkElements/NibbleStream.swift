// SPDX-License-Identifier: Apache-2.0

/// Varints of four-bit groups: three bits of value, least significant first, and bit 3 = more follow. Two
/// groups a byte, the low half first. Residuals of pen columns are mostly below 8, where a byte varint wastes
/// half a byte.
enum Nibbles {
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

/// Collects groups in a word and hands them on eight bytes at a time. From its start on, the room has to have
/// at least the sum of the values' `Nibbles.length`, rounded up to bytes.
struct NibbleWriter {
  private var word: UInt64 = 0
  private var used: UInt64 = 0
  private var place: Int

  /// Starts at an offset of the room.
  init(at place: Int) { self.place = place }

  /// Writes one value behind the last.
  @inline(__always)
  mutating func append(_ raw: UInt64, to room: inout MutableSpan<UInt8>) {
    guard raw < 1 << 24 else {
      // Nearly never, so group by group. The copy keeps the hot path's state in registers.
      var copy = self
      copy.appendLong(raw, to: &room)
      self = copy
      return
    }
    put(Self.spread(raw), groups: UInt64(Nibbles.length(raw)), to: &room)
  }

  /// Writes what is left, with a zero group where the last byte is half empty.
  mutating func finish(_ room: inout MutableSpan<UInt8>) {
    while used > 0 {
      room[place] = UInt8(truncatingIfNeeded: word)
      place += 1
      word >>= 8
      used = used > 8 ? used - 8 : 0
    }
  }

  /// 24 bits as eight groups of three bits in four, in three halving steps; no branch depends on the value,
  /// whose length nothing can predict.
  @inline(__always)
  private static func spread(_ raw: UInt64) -> UInt64 {
    var groups = (raw & 0xFFF) | (raw & 0xFF_F000) &<< 4
    groups = (groups & 0x003F_003F) | (groups & 0x0FC0_0FC0) &<< 2
    return (groups & 0x0707_0707) | (groups & 0x3838_3838) &<< 1
  }

  /// Writes up to eight groups, all but the last marked as having a successor.
  @inline(__always)
  private mutating func put(_ spread: UInt64, groups: UInt64, to room: inout MutableSpan<UInt8>) {
    let bits = groups &<< 2
    let marked = spread | 0x8888_8888 & ((1 &<< (bits &- 4)) &- 1)
    word |= marked &<< used
    used &+= bits
    guard used >= 64 else { return }
    for shift in 0..<8 { room[place &+ shift] = UInt8(truncatingIfNeeded: word &>> UInt64(shift &* 8)) }
    place &+= 8
    used &-= 64
    word = marked &>> (bits &- used)
  }

  @inline(never)
  private mutating func appendLong(_ raw: UInt64, to room: inout MutableSpan<UInt8>) {
    var rest = raw
    while rest >= 8 {
      put(rest & 7 | 8, groups: 1, to: &room)
      rest >>= 3
    }
    put(rest, groups: 1, to: &room)
  }
}

/// A cursor over the groups of a span of bytes, which has to be the same span at every call.
struct NibbleReader {
  /// Groups that were taken from the span and not yet used; zeros above.
  private var word: UInt64 = 0
  private var held: UInt64 = 0
  private var place = 0

  /// The number of bytes of which at least one group was read.
  var bytesUsed: Int { place - Int(held / 8) }

  /// The next value; nil when the span ends in it or it does not fit 64 bits.
  @inline(__always)
  mutating func next(_ bytes: Span<UInt8>) -> UInt64? {
    if held < 32 { refill(bytes) }
    let ends = ~word & 0x8888_8888
    guard ends != 0 else {
      // As in the writer: the copy keeps the hot path's state in registers.
      var copy = self
      let value = copy.long(bytes)
      self = copy
      return value
    }
    let bits = UInt64(ends.trailingZeroBitCount &+ 1)
    guard bits <= held else { return nil }
    // The writer's three steps in reverse.
    var value = word & ((1 &<< bits) &- 1)
    value = (value & 0x0707_0707) | (value & 0x7070_7070) &>> 1
    value = (value & 0x003F_003F) | (value & 0x3F00_3F00) &>> 2
    value = (value & 0xFFF) | (value & 0xFFF_0000) &>> 4
    word &>>= bits
    held &-= bits
    return value
  }

  /// Steps over the zero group that fills a byte; false when that group is not zero.
  mutating func skipPadding() -> Bool {
    guard held & 4 != 0 else { return true }
    let isZero = word & 15 == 0
    word >>= 4
    held -= 4
    return isZero
  }

  /// Takes four bytes, or what is left.
  @inline(__always)
  private mutating func refill(_ bytes: Span<UInt8>) {
    if place &+ 4 <= bytes.count {
      let four =
        UInt64(bytes[place]) | UInt64(bytes[place &+ 1]) &<< 8 | UInt64(bytes[place &+ 2]) &<< 16
        | UInt64(bytes[place &+ 3]) &<< 24
      word |= four &<< held
      held &+= 32
      place &+= 4
    } else {
      while place < bytes.count {
        word |= UInt64(bytes[place]) &<< held
        held &+= 8
        place &+= 1
      }
    }
  }

  /// A value of more than eight groups, group by group.
  @inline(never)
  private mutating func long(_ bytes: Span<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while shift < 66 {
      if held == 0 { refill(bytes) }
      guard held > 0 else { return nil }
      let group = word & 15
      word >>= 4
      held -= 4
      if shift == 63, group > 1 { return nil }
      value |= (group & 7) << shift
      if group < 8 { return value }
      shift += 3
    }
    return nil
  }
}
