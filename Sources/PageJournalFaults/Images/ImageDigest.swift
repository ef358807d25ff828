// SPDX-License-Identifier: Apache-2.0

/// A fingerprint of an image, 128 bits wide, for remembering which of millions of images were seen. Equal images have
/// equal ones, in each process; an image that had the fingerprint of another one would be taken for seen, and not be
/// looked at.
///
/// It is two lanes of 64 bits over the same words with different keys: each word is multiplied into the lane to the
/// full width, the halves are folded by exclusive or, and a product of the word alone is added. A path and its content
/// are mixed once more, and the parts of an image are added, modulo 2^64 in each lane.
///
/// How rarely two images meet is not proved. If the parts behaved as random functions and the lanes as independent ones,
/// some two of N different images would have the same fingerprint with a chance of about N^2 / 2^129: for ten million,
/// 10^-25. A lane that has met another stays with it while the words are the same, so for files that differ once,
/// L words of 8 bytes before their end, it is rather up to L^2 times that: at 4 KiB, 10^-20. It is not cryptographic:
/// whoever looks for such a pair finds one.
public struct ImageDigest: Hashable, Sendable, CustomStringConvertible {
  private var high: UInt64
  private var low: UInt64

  /// Of nothing.
  init() {
    high = 0
    low = 0
  }

  private init(_ high: UInt64, _ low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Of the bytes of a file. O(bytes).
  init(of bytes: [UInt8]) { self.init(of: bytes.span) }

  /// Of the bytes of a file, or of a path. O(bytes).
  init(of span: Span<UInt8>) {
    var first = DigestLane(0x9E37_79B9_7F4A_7C15)
    var second = DigestLane(0xC2B2_AE3D_27D4_EB4F)
    var place = 0
    while place &+ 8 <= span.count {
      var word: UInt64 = 0
      for index in 0..<8 { word |= UInt64(span[place &+ index]) &<< UInt64(index &* 8) }
      first.add(word)
      second.add(word)
      place &+= 8
    }
    var rest: UInt64 = 0
    while place < span.count {
      rest = rest &<< 8 | UInt64(span[place])
      place &+= 1
    }
    for word in [rest, UInt64(span.count)] {
      first.add(word)
      second.add(word)
    }
    self.init(first.state, second.state)
  }

  /// Of a path together with what it leads to.
  init(path: ImageDigest, content: ImageDigest) {
    var first = DigestLane(0x1656_67B1_9E37_79F9)
    var second = DigestLane(0x27D4_EB2F_1656_67C5)
    for word in [path.high, path.low, content.high, content.low] {
      first.add(word)
      second.add(word)
    }
    self.init(first.state, second.state)
  }

  /// What stands for a directory's content.
  static let directory = ImageDigest(1, 1)

  /// Adds one path of an image; the order makes no difference.
  mutating func add(_ part: ImageDigest) {
    high &+= part.high
    low &+= part.low
  }

  /// Takes such a path out again.
  mutating func subtract(_ part: ImageDigest) {
    high &-= part.high
    low &-= part.low
  }

  /// Some of its bits, for tables that are split.
  public var shard: Int { Int(truncatingIfNeeded: high >> 32) }

  /// 32 hexadecimal digits.
  public var description: String {
    [high, low].map { value in
      let digits = String(value, radix: 16)
      return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }.joined()
  }

  /// Feeds one lane, enough for a table.
  public func hash(into hasher: inout Hasher) { hasher.combine(low) }
}

/// One of the two: a folded product, as fast hashes of tables have it. No step can be undone, so two states may meet.
private struct DigestLane {
  private(set) var state: UInt64
  private let key: UInt64

  init(_ key: UInt64) {
    state = key
    self.key = key
  }

  mutating func add(_ word: UInt64) {
    let product = (state ^ word).multipliedFullWidth(by: key | 1)
    state = (product.high ^ product.low) &+ (word ^ key).byteSwapped &* 0x9FB2_1C65_1E98_DF25
  }
}

extension Image {
  /// The image's fingerprint. O(bytes).
  public var digest: ImageDigest { digest { path, bytes in (path, bytes) } }

  /// The fingerprint of what matters of the image to somebody: images that differ only in what does not are one.
  /// - Parameter essence: Says for a file under which name and with which bytes it counts.
  public func digest(of essence: (String, [UInt8]) -> (String, [UInt8])) -> ImageDigest {
    var digest = ImageDigest()
    for (path, node) in zip(paths, nodes) {
      switch node {
      case .directory:
        digest.add(ImageDigest(path: ImageDigest(of: path.utf8.span), content: .directory))
      case .file(let bytes):
        let (name, content) = essence(path, bytes)
        digest.add(ImageDigest(path: ImageDigest(of: name.utf8.span), content: ImageDigest(of: content)))
      }
    }
    return digest
  }
}
