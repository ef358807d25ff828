// SPDX-License-Identifier: Apache-2.0

/// A cursor over a range of a byte array. Every read is checked against the end; nil means "not enough bytes
/// or not well-formed", and the cursor then stands anywhere.
public struct ByteReader: Sendable {
  /// The bytes read from, shared with their owner.
  public let bytes: [UInt8]
  /// The next byte to read.
  public private(set) var position: Int
  /// One past the last byte that may be read.
  public let end: Int

  /// Reads all of an array.
  public init(_ bytes: [UInt8]) { self.init(bytes, 0..<bytes.count) }

  /// Reads a range, which is clamped to the array.
  public init(_ bytes: [UInt8], _ range: Range<Int>) {
    let clamped = range.clamped(to: 0..<bytes.count)
    self.bytes = bytes
    self.position = clamped.lowerBound
    self.end = clamped.upperBound
  }

  /// Bytes left to read.
  public var remaining: Int { end - position }

  /// One byte.
  public mutating func byte() -> UInt8? {
    guard position < end else { return nil }
    position += 1
    return bytes[position - 1]
  }

  /// Four bytes, least significant first.
  public mutating func uint32() -> UInt32? {
    guard remaining >= 4 else { return nil }
    position += 4
    return bytes.littleEndian32(at: position - 4)
  }

  /// Eight bytes, least significant first.
  public mutating func uint64() -> UInt64? {
    guard let low = uint32(), let high = uint32() else { return nil }
    return UInt64(high) << 32 | UInt64(low)
  }

  /// A varint of at most ten bytes whose value fits 64 bits. Padding zeros are accepted.
  public mutating func varint() -> UInt64? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while position < end, shift < 64 {
      let byte = bytes[position]
      position += 1
      if shift == 63, byte > 1 { return nil }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    return nil
  }

  /// A zigzag varint.
  public mutating func zigzag() -> Int64? {
    guard let raw = varint() else { return nil }
    return Int64(bitPattern: raw >> 1) ^ -Int64(bitPattern: raw & 1)
  }

  /// A varint that has to fit an `Int` and to be at most `limit`.
  public mutating func count(atMost limit: Int) -> Int? {
    guard let raw = varint(), raw <= UInt64(clamping: limit) else { return nil }
    return Int(raw)
  }

  /// The range of the next `count` bytes, which are skipped.
  public mutating func range(_ count: Int) -> Range<Int>? {
    guard count >= 0, count <= remaining else { return nil }
    position += count
    return (position - count)..<position
  }
}

extension Array where Element == UInt8 {
  /// The four bytes at an offset, which have to exist, least significant first.
  func littleEndian32(at offset: Int) -> UInt32 {
    UInt32(self[offset]) | UInt32(self[offset + 1]) << 8 | UInt32(self[offset + 2]) << 16
      | UInt32(self[offset + 3]) << 24
  }
}
