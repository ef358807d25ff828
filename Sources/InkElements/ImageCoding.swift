// SPDX-License-Identifier: Apache-2.0

import PageJournal

/// The payload of an image: few and small, so numbers are kept as they are, not rounded.
extension ImageElement {
  private static let encoding: UInt8 = 1
  private static let rotationBit: UInt64 = 1

  /// The image as payload bytes (kind `InkKind.image`). See `encode(into:)`.
  public func encoded() throws(InkError) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(58 + extra.count)
    try encode(into: &bytes)
    return bytes
  }

  /// Appends the image as payload bytes (kind `InkKind.image`): 50 bytes, 58 with a rotation. All numbers are
  /// kept to the last bit.
  /// - Throws: `InkError` `nonFinite` or `unstorable` with the column named; `bytes` is then as it was.
  public func encode(into bytes: inout [UInt8]) throws(InkError) {
    let numbers = [("x", x), ("y", y), ("width", width), ("height", height), ("rotation", rotation)]
    for (name, value) in numbers where !Self.isStorable(value) {
      throw Quantising.refusal(value, name, nil)
    }
    bytes.append(Self.encoding)
    bytes.appendVarint(rotation == 0 ? 0 : Self.rotationBit)
    bytes.appendLittleEndian(assetHigh.byteSwapped)
    bytes.appendLittleEndian(assetLow.byteSwapped)
    for (name, value) in numbers where name != "rotation" || value != 0 {
      bytes.appendLittleEndian(value.bitPattern)
    }
    bytes.append(contentsOf: extra)
  }

  /// Reads a payload of kind `InkKind.image` that fills an array. See `init(decoding:range:)`.
  public init(decoding bytes: [UInt8]) throws(InkError) {
    try self.init(decoding: bytes, range: 0..<bytes.count)
  }

  /// Reads a payload of kind `InkKind.image` from a range of an array; a range outside it is clamped. Any
  /// bytes may be given.
  /// - Throws: `InkError` `malformed` with the column named, or `newerEncoding` for a payload whose bytes
  ///   have to be kept for a newer version.
  public init(decoding bytes: [UInt8], range: Range<Int>) throws(InkError) {
    var reader = ByteReader(bytes, range)
    guard let encoding = reader.byte(), encoding != 0 else { throw InkError.cutOff("encoding") }
    guard encoding == Self.encoding else {
      throw InkError(.newerEncoding, "is \(encoding); this version reads 1", column: "encoding")
    }
    guard let fields = reader.varint() else { throw InkError.cutOff("fields") }
    guard fields & ~Self.rotationBit == 0 else {
      throw InkError(.newerEncoding, "has bits of a newer version", column: "fields")
    }
    guard let high = reader.uint64(), let low = reader.uint64() else { throw InkError.cutOff("asset") }
    let x = try Self.number(&reader, "x")
    let y = try Self.number(&reader, "y")
    let width = try Self.number(&reader, "width")
    let height = try Self.number(&reader, "height")
    let rotation = fields & Self.rotationBit == 0 ? 0 : try Self.number(&reader, "rotation")
    self.init(
      assetHigh: high.byteSwapped, assetLow: low.byteSwapped, x: x, y: y, width: width, height: height,
      rotation: rotation, extra: Array(bytes[reader.position..<reader.end]))
  }

  private static func number(_ reader: inout ByteReader, _ name: String) throws(InkError) -> Double {
    guard let bits = reader.uint64() else { throw InkError.cutOff(name) }
    let value = Double(bitPattern: bits)
    guard isStorable(value) else {
      throw InkError(.malformed, "is \(value), outside the range that is stored", column: name)
    }
    return value
  }

  /// False for NaN as well.
  private static func isStorable(_ value: Double) -> Bool {
    value >= -InkLimits.imagePoints && value <= InkLimits.imagePoints
  }
}
