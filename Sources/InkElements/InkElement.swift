// SPDX-License-Identifier: Apache-2.0

/// An element of a page as what its kind says it is.
public enum InkElement: Sendable, Equatable {
  /// A pen stroke.
  case stroke(Stroke)
  /// An image.
  case image(ImageElement)
  /// An element of a kind without a meaning here: the app's own (128–255) or a newer version's. Kept byte for
  /// byte.
  case opaque(kind: UInt8, payload: [UInt8])

  /// Reads a payload by its kind; see `init(kind:decoding:range:)`.
  public init(kind: UInt8, decoding bytes: [UInt8]) throws(InkError) {
    try self.init(kind: kind, decoding: bytes, range: 0..<bytes.count)
  }

  /// Reads a payload by its kind, from a range of an array; a range outside it is clamped. A kind that is
  /// unknown never fails: its bytes are kept.
  /// - Throws: what the decoding of the kind throws. A payload with `newerEncoding` can still be carried as
  ///   `opaque`.
  public init(kind: UInt8, decoding bytes: [UInt8], range: Range<Int>) throws(InkError) {
    switch kind {
    case InkKind.stroke: self = .stroke(try Stroke(decoding: bytes, range: range))
    case InkKind.image: self = .image(try ImageElement(decoding: bytes, range: range))
    default: self = .opaque(kind: kind, payload: Array(bytes[range.clamped(to: 0..<bytes.count)]))
    }
  }

  /// The kind under which the payload is stored.
  public var kind: UInt8 {
    switch self {
    case .stroke: InkKind.stroke
    case .image: InkKind.image
    case .opaque(let kind, _): kind
    }
  }

  /// The payload as bytes; see `encode(into:)`.
  public func encoded() throws(InkError) -> [UInt8] {
    switch self {
    case .stroke(let stroke): return try stroke.encoded()
    case .image(let image): return try image.encoded()
    case .opaque(_, let payload): return payload
    }
  }

  /// Appends the payload.
  /// - Throws: what the encoding of the kind throws; `bytes` is then as it was.
  public func encode(into bytes: inout [UInt8]) throws(InkError) {
    switch self {
    case .stroke(let stroke): try stroke.encode(into: &bytes)
    case .image(let image): try image.encode(into: &bytes)
    case .opaque(_, let payload): bytes.append(contentsOf: payload)
    }
  }
}
