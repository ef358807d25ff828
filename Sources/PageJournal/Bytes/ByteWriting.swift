// SPDX-License-Identifier: Apache-2.0

/// Appending of little-endian integers, varints and spans to a byte array.
extension Array where Element == UInt8 {
  /// Appends four bytes, least significant first.
  @inlinable
  public mutating func appendLittleEndian(_ value: UInt32) {
    append(UInt8(truncatingIfNeeded: value))
    append(UInt8(truncatingIfNeeded: value >> 8))
    append(UInt8(truncatingIfNeeded: value >> 16))
    append(UInt8(truncatingIfNeeded: value >> 24))
  }

  /// Appends eight bytes, least significant first.
  @inlinable
  public mutating func appendLittleEndian(_ value: UInt64) {
    appendLittleEndian(UInt32(truncatingIfNeeded: value))
    appendLittleEndian(UInt32(truncatingIfNeeded: value >> 32))
  }

  /// Appends a LEB128 varint: seven bits a byte, least significant first, bit 7 = more follow; 1–10 bytes.
  @inlinable
  public mutating func appendVarint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }

  /// Appends a signed value as a zigzag varint: 0, −1, 1, −2 … become 0, 1, 2, 3 …
  @inlinable
  public mutating func appendZigzag(_ value: Int64) {
    appendVarint(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
  }

  /// Overwrites four bytes, least significant first. The range has to exist.
  mutating func putLittleEndian(_ value: UInt32, at offset: Int) {
    self[offset] = UInt8(truncatingIfNeeded: value)
    self[offset + 1] = UInt8(truncatingIfNeeded: value >> 8)
    self[offset + 2] = UInt8(truncatingIfNeeded: value >> 16)
    self[offset + 3] = UInt8(truncatingIfNeeded: value >> 24)
  }
}

/// The number of bytes that `appendVarint` writes for a value.
func varintLength(_ value: UInt64) -> Int {
  value == 0 ? 1 : (70 - value.leadingZeroBitCount) / 7
}
