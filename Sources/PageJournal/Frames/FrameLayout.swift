// SPDX-License-Identifier: Apache-2.0

/// The numbers of the frame format (SPEC.md §2): `[length u32 LE][crc u32 LE][type u8][payload]`.
public enum FrameLayout {
  /// Bytes before the payload.
  public static let prefix = 9
  /// The greatest payload of a frame, in bytes. A length above it is damage, whatever the crc says.
  public static let maximumPayload = 128 << 20
  /// Bit 7 of the type byte: every frame before this one, in this journal and in earlier ones, had been
  /// synchronised when this one was written.
  public static let syncedMark: UInt8 = 0x80
  /// Bit 6: a reader that does not know the type may skip the frame, and keeps it.
  public static let skippable: UInt8 = 0x40
  /// The type without its two bits.
  public static let typeMask: UInt8 = 0x3F
}

/// The limits of what a page holds (SPEC.md §9).
public enum PageLimits {
  /// The greatest element payload: 64 MiB.
  public static let elementPayload = 64 << 20
  /// The longest attribute key, in bytes of UTF-8; at least one.
  public static let attributeKey = 255
  /// The longest attribute value: 1 MiB.
  public static let attributeValue = 1 << 20
  /// The most elements on a page.
  public static let elements = 1 << 24
  /// The most that the blocks of one page inflate to, together: 4 GiB.
  public static let inflated = 4 << 30
  /// Commits and ids end here: no honest page gets there, and sums of what a file states stay far from overflow.
  public static let counter: UInt64 = 1 << 60
  /// The most payload bytes on a page: 2 GiB, so that its snapshot stays below the limit of a file.
  public static let payloads = 2 << 30
  /// The greatest file that is read: 4 GiB.
  public static let file: UInt64 = 4 << 30
}

/// Frame types, 1–63. The values are the format.
public enum FrameType: UInt8, Sendable, CaseIterable {
  /// Journal: an element at the end of the page.
  case append = 1
  /// Journal: an element at a place.
  case insert = 2
  /// Journal: one element replaced by one or several.
  case replace = 3
  /// Journal: an element removed.
  case remove = 4
  /// Journal: an element moved to another place.
  case move = 5
  /// Journal: a page attribute set or removed.
  case set = 6
  /// Journal: several of the above, all or none.
  case batch = 7
  /// Journal: nothing but its synced mark.
  case mark = 8
  /// Snapshot: elements, one behind the other, at a place.
  case place = 16
  /// Snapshot: elements taken out (removed, or placed again later).
  case takeOut = 17
  /// Snapshot: attributes.
  case attributes = 18
  /// Snapshot: the state up to here is a page.
  case end = 19

  /// Whether it is a commit of a journal.
  public var isCommit: Bool { (1...7).contains(rawValue) }
}

/// One verified frame in a buffer.
public struct Frame: Sendable, Equatable {
  /// Where the frame begins, in bytes from the start of the file.
  public let offset: Int
  /// The type byte as stored, with its two bits.
  public let typeByte: UInt8
  /// Where the payload is.
  public let payload: Range<Int>
  /// The crc as stored, which seeds the next frame.
  public let crc: UInt32

  /// One past the last byte.
  public var end: Int { payload.upperBound }
  /// Whether everything before it had been synchronised when it was written.
  public var isMarked: Bool { typeByte & FrameLayout.syncedMark != 0 }
  /// Whether a reader may skip it when it does not know the type.
  public var isSkippable: Bool { typeByte & FrameLayout.skippable != 0 }
  /// The known type, or nil. A skippable frame never has one: no skippable type exists yet.
  public var type: FrameType? {
    isSkippable ? nil : FrameType(rawValue: typeByte & FrameLayout.typeMask)
  }
}

/// The crc chain of a file: every frame continues from the crc of the one before it, XOR the file's seed.
public struct FrameChain: Sendable, Equatable {
  /// The random number in the file's header.
  public let seed: UInt32
  /// The crc of the last frame, 0 before the first.
  public var last: UInt32

  /// A chain at its start, or behind a frame.
  public init(seed: UInt32, last: UInt32 = 0) {
    self.seed = seed
    self.last = last
  }

  /// The crc that the bytes at an offset need to be the next frame. They have to be in the buffer.
  func crc(of bytes: Span<UInt8>, at offset: Int, length: Int) -> UInt32 {
    #if Mutants
      if Mutant.isOn(.checksumOfThePayloadOnly) {
        return Checksum.crc32(bytes.extracting((offset + 9)..<(offset + 9 + length)))
      }
    #endif
    let head = Checksum.crc32(bytes.extracting(offset..<(offset + 4)), from: last ^ seed)
    return Checksum.crc32(bytes.extracting((offset + 8)..<(offset + 9 + length)), from: head)
  }
}
