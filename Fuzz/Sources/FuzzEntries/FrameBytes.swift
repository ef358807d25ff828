// SPDX-License-Identifier: Apache-2.0

/// The frame format once more, read out of SPEC.md and not out of the engine, to compare the engine with.
enum FrameBytes {
  static let prefix = 9
  static let journalMagic: [UInt8] = Array("PJjl".utf8)
  static let snapshotMagic: [UInt8] = Array("PJsn".utf8)

  /// A frame as the specification has it.
  struct Found: Equatable {
    var offset: Int
    var typeByte: UInt8
    var payload: Range<Int>
    var crc: UInt32
  }

  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in value & 1 != 0 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
  }

  static func crc32(_ bytes: [UInt8], _ range: Range<Int>, from start: UInt32 = 0) -> UInt32 {
    var state = ~start
    for index in range { state = table[Int((state ^ UInt32(bytes[index])) & 0xFF)] ^ state >> 8 }
    return ~state
  }

  static func number(_ bytes: [UInt8], _ offset: Int, count: Int) -> UInt64 {
    (0..<count).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
  }

  static func put(_ value: UInt64, _ count: Int, into bytes: inout [UInt8], at offset: Int) {
    for index in 0..<count { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * index)) }
  }

  /// Payload bytes of what could be a frame at an offset, whatever its crc.
  static func plausibleLength(_ bytes: [UInt8], _ offset: Int) -> Int? {
    guard offset >= 0, offset + prefix <= bytes.count else { return nil }
    let length = number(bytes, offset, count: 4)
    guard length <= 128 << 20, Int(length) <= bytes.count - offset - prefix, bytes[offset + 8] & 0x3F != 0
    else { return nil }
    return Int(length)
  }

  /// The crc that a plausible frame needs behind one whose crc is `last`.
  static func crc(_ bytes: [UInt8], _ offset: Int, _ length: Int, seed: UInt32, last: UInt32) -> UInt32 {
    let head = crc32(bytes, offset..<(offset + 4), from: last ^ seed)
    return crc32(bytes, (offset + 8)..<(offset + prefix + length), from: head)
  }

  static func frame(_ bytes: [UInt8], _ offset: Int, seed: UInt32, last: UInt32) -> Found? {
    guard let length = plausibleLength(bytes, offset) else { return nil }
    let stored = UInt32(number(bytes, offset + 4, count: 4))
    guard crc(bytes, offset, length, seed: seed, last: last) == stored else { return nil }
    let start = offset + prefix
    return Found(
      offset: offset, typeByte: bytes[offset + 8], payload: start..<(start + length), crc: stored)
  }

  /// The frames of a file from the end of its header on.
  static func frames(_ bytes: [UInt8], from start: Int, seed: UInt32) -> [Found] {
    var found: [Found] = []
    var offset = start
    while let next = frame(bytes, offset, seed: seed, last: found.last?.crc ?? 0) {
      found.append(next)
      offset = next.payload.upperBound
    }
    return found
  }

  /// Length of the header and seed of a whole header of version 1, or nil.
  static func header(_ bytes: [UInt8], magic: [UInt8]) -> (length: Int, seed: UInt32)? {
    guard bytes.count >= 12, bytes.starts(with: magic), bytes[4] == 1 else { return nil }
    let length = Int(number(bytes, 6, count: 2))
    guard length >= (magic == journalMagic ? 80 : 36), length <= bytes.count,
      number(bytes, length - 4, count: 4) == UInt64(crc32(bytes, 0..<(length - 4)))
    else { return nil }
    return (length, UInt32(number(bytes, 8, count: 4)))
  }

  /// Gives header and frames the crcs that they need, as far as lengths lead: chance never finds a crc.
  static func reseal(_ bytes: inout [UInt8]) {
    guard bytes.count >= 12 else { return }
    let length = Int(number(bytes, 6, count: 2))
    guard length >= 12, length <= bytes.count else { return }
    put(UInt64(crc32(bytes, 0..<(length - 4))), 4, into: &bytes, at: length - 4)
    let seed = UInt32(number(bytes, 8, count: 4))
    var offset = length
    var last: UInt32 = 0
    while let payload = plausibleLength(bytes, offset) {
      last = crc(bytes, offset, payload, seed: seed, last: last)
      put(UInt64(last), 4, into: &bytes, at: offset + 4)
      offset += prefix + payload
    }
  }
}
