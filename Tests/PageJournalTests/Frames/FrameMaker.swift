// SPDX-License-Identifier: Apache-2.0

@testable import PageJournal

/// CRC-32 written down a second time, so that the tests do not lean on the code they test.
enum PlainCRC {
  private static let table: [UInt32] = (0..<256).map { index in
    var value = UInt32(index)
    for _ in 0..<8 { value = value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
    return value
  }

  static func of(_ bytes: some Sequence<UInt8>, from start: UInt32 = 0) -> UInt32 {
    var state = ~start
    for byte in bytes { state = table[Int(UInt8(truncatingIfNeeded: state) ^ byte)] ^ (state >> 8) }
    return ~state
  }
}

/// A file made by hand: a header, then frames whose crcs are right whatever is in them.
struct FrameMaker {
  var bytes: [UInt8]
  let seed: UInt32
  /// The crc of the last frame.
  var last: UInt32 = 0
  /// Where each frame begins.
  private(set) var offsets: [Int] = []

  init(_ header: JournalHeader) {
    bytes = header.encoded
    seed = header.seed
  }

  init(_ header: SnapshotHeader) {
    bytes = header.encoded
    seed = header.seed
  }

  /// Continues a file.
  init(continuing bytes: [UInt8], seed: UInt32, last: UInt32) {
    self.bytes = bytes
    self.seed = seed
    self.last = last
  }

  mutating func add(_ typeByte: UInt8, _ payload: [UInt8]) {
    var length: [UInt8] = []
    length.appendLittleEndian(UInt32(payload.count))
    offsets.append(bytes.count)
    last = PlainCRC.of(length + [typeByte] + payload, from: last ^ seed)
    bytes += length
    bytes.appendLittleEndian(last)
    bytes.append(typeByte)
    bytes += payload
  }

  mutating func add(_ type: FrameType, _ payload: [UInt8], marked: Bool = false) {
    add(type.rawValue | (marked ? FrameLayout.syncedMark : 0), payload)
  }

  mutating func add(_ end: SnapshotEnd) {
    var payload: [UInt8] = []
    end.encode(into: &payload)
    add(.end, payload)
  }

  /// An element at the end of the page.
  mutating func append(_ kind: UInt8, _ payload: [UInt8], marked: Bool = false) {
    var content: [UInt8] = [kind]
    content.appendVarint(UInt64(payload.count))
    add(.append, content + payload, marked: marked)
  }
}

extension JournalHeader {
  /// A header for tests of frames only.
  static func plain(seed: UInt32, generation: UInt64 = 1) -> JournalHeader {
    JournalHeader(
      seed: seed, page: PageID(high: 1, low: 2), generation: generation, nonce: 3, previousNonce: 0,
      commit: 0,
      previousLength: 0, previousCRC: 0)
  }
}

extension Array where Element == UInt8 {
  func flipping(bit: Int) -> [UInt8] {
    var copy = self
    copy[bit / 8] ^= 1 << UInt8(bit % 8)
    return copy
  }

  func zeroing(_ range: Range<Int>) -> [UInt8] {
    var copy = self
    for index in range.clamped(to: indices) { copy[index] = 0 }
    return copy
  }
}
