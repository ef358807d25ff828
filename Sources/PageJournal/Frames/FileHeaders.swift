// SPDX-License-Identifier: Apache-2.0

/// What every file of a page begins with, whatever its version: magic, major, minor, length of the header, and
/// a crc of the header in its last four bytes.
enum HeaderEnvelope: Sendable, Equatable {
  /// Fewer bytes than a header, or zeros only: nothing was committed here.
  case absent
  /// The header's range is known and verified, and this version can read it.
  case valid(length: Int)
  /// Verified, but of a version that this code does not know.
  case newer(major: UInt8)
  /// Not a header.
  case damaged

  static let major: UInt8 = 1
  static let minor: UInt8 = 0

  init(_ bytes: [UInt8], magic: [UInt8], minimum: Int) {
    let length = Self.sealedLength(bytes, magic)
    #if Mutants
      if Mutant.isOn(.newerVersionIsRead), let length, length >= minimum {
        self = .valid(length: length)
        return
      }
    #endif
    // Before anything is said about its size: a newer header may be shorter than ours.
    if length != nil, bytes[4] > Self.major {
      self = .newer(major: bytes[4])
      return
    }
    guard bytes.count >= minimum, !isZero(bytes, from: 0) else {
      self = .absent
      return
    }
    guard let length, length >= minimum, bytes[4] == Self.major else {
      self = .damaged
      return
    }
    self = .valid(length: length)
  }

  /// The length of a header whose magic and crc are right, of whatever version.
  private static func sealedLength(_ bytes: [UInt8], _ magic: [UInt8]) -> Int? {
    guard bytes.count >= 12, Array(bytes[0..<4]) == magic else { return nil }
    let length = Int(bytes[6]) | Int(bytes[7]) << 8
    guard length >= 12, length <= bytes.count,
      Checksum.crc32(bytes.span.extracting(0..<(length - 4))) == bytes.littleEndian32(at: length - 4)
    else { return nil }
    return length
  }

  static func start(magic: [UInt8], length: Int) -> [UInt8] {
    magic + [major, minor, UInt8(truncatingIfNeeded: length), UInt8(truncatingIfNeeded: length >> 8)]
  }

  static func sealed(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    bytes.appendLittleEndian(Checksum.crc32(bytes.span))
    return bytes
  }
}

/// The header of a journal (SPEC.md §4): 80 bytes.
public struct JournalHeader: Sendable, Equatable {
  /// Bytes of a header of this version.
  public static let size = 80
  /// "PJjl".
  static let magic: [UInt8] = [0x50, 0x4A, 0x6A, 0x6C]

  /// The start of the crc chain.
  public var seed: UInt32
  /// The page it belongs to.
  public var page: PageID
  /// The generation whose state it continues.
  public var generation: UInt64
  /// Drawn at the switch to this generation.
  public var nonce: UInt64
  /// The nonce of the generation before, when a journal came before; else 0.
  public var previousNonce: UInt64
  /// The commit counter before its first commit.
  public var commit: UInt64
  /// Where the journal before ended, in bytes; 0 when it follows a snapshot.
  public var previousLength: UInt64
  /// The last crc of the journal before; 0 when it follows a snapshot.
  public var previousCRC: UInt32

  /// The bytes.
  var encoded: [UInt8] {
    var bytes = HeaderEnvelope.start(magic: Self.magic, length: Self.size)
    bytes.appendLittleEndian(seed)
    bytes.appendLittleEndian(UInt32(0))
    bytes.append(page)
    bytes.appendLittleEndian(generation)
    bytes.appendLittleEndian(nonce)
    bytes.appendLittleEndian(previousNonce)
    bytes.appendLittleEndian(commit)
    bytes.appendLittleEndian(previousLength)
    bytes.appendLittleEndian(previousCRC)
    return HeaderEnvelope.sealed(bytes)
  }

  init(
    seed: UInt32, page: PageID, generation: UInt64, nonce: UInt64, previousNonce: UInt64, commit: UInt64,
    previousLength: UInt64, previousCRC: UInt32
  ) {
    self.seed = seed
    self.page = page
    self.generation = generation
    self.nonce = nonce
    self.previousNonce = previousNonce
    self.commit = commit
    self.previousLength = previousLength
    self.previousCRC = previousCRC
  }

  /// Reads a header that the envelope found valid.
  init?(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes, 8..<bytes.count)
    guard let seed = reader.uint32(), reader.uint32() != nil, let page = reader.pageID(),
      let generation = reader.uint64(), let nonce = reader.uint64(), let previousNonce = reader.uint64(),
      let commit = reader.uint64(), let previousLength = reader.uint64(), let previousCRC = reader.uint32()
    else { return nil }
    self.init(
      seed: seed, page: page, generation: generation, nonce: nonce, previousNonce: previousNonce,
      commit: commit, previousLength: previousLength, previousCRC: previousCRC)
  }
}

/// The header of a snapshot (SPEC.md §5): 36 bytes.
public struct SnapshotHeader: Sendable, Equatable {
  /// Bytes of a header of this version.
  public static let size = 36
  /// "PJsn".
  static let magic: [UInt8] = [0x50, 0x4A, 0x73, 0x6E]

  /// The start of the crc chain.
  public var seed: UInt32
  /// The page it is.
  public var page: PageID

  var encoded: [UInt8] {
    var bytes = HeaderEnvelope.start(magic: Self.magic, length: Self.size)
    bytes.appendLittleEndian(seed)
    bytes.appendLittleEndian(UInt32(0))
    bytes.append(page)
    return HeaderEnvelope.sealed(bytes)
  }

  init(seed: UInt32, page: PageID) {
    self.seed = seed
    self.page = page
  }

  init?(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes, 8..<bytes.count)
    guard let seed = reader.uint32(), reader.uint32() != nil, let page = reader.pageID() else { return nil }
    self.init(seed: seed, page: page)
  }
}

extension Array where Element == UInt8 {
  /// The sixteen bytes of a UUID in their usual (big-endian) order.
  mutating func append(_ page: PageID) {
    for half in [page.high, page.low] {
      for shift in stride(from: UInt64(56), through: 0, by: -8) {
        append(UInt8(truncatingIfNeeded: half >> shift))
      }
    }
  }
}

extension ByteReader {
  /// Sixteen bytes of a UUID.
  mutating func pageID() -> PageID? {
    var halves: (UInt64, UInt64) = (0, 0)
    for _ in 0..<8 {
      guard let byte = byte() else { return nil }
      halves.0 = halves.0 << 8 | UInt64(byte)
    }
    for _ in 0..<8 {
      guard let byte = byte() else { return nil }
      halves.1 = halves.1 << 8 | UInt64(byte)
    }
    return PageID(high: halves.0, low: halves.1)
  }
}
