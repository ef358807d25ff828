// SPDX-License-Identifier: Apache-2.0

import InkElements

/// Payloads of ink: what decodes is bounded by its bytes, and written and read again it is the same.
enum InkEntry {
  static func check(_ bytes: [UInt8]) throws {
    try checkStroke(bytes)
    try checkImage(bytes)
  }

  private static func checkStroke(_ bytes: [UInt8]) throws {
    let stroke: Stroke
    do {
      stroke = try Stroke(decoding: bytes)
    } catch {
      try requireSentence(error.description)
      try requireInRange(bytes, kind: InkKind.stroke, as: nil)
      return
    }
    try requireInRange(bytes, kind: InkKind.stroke, as: .stroke(stroke))
    let columns = 2 + [stroke.radius, stroke.pressure].compactMap { $0 }.count + (stroke.time == nil ? 0 : 1)
    try require(
      stroke.x.count * columns * 8 <= bytes.count * InkLimits.decodedBytesPerByte,
      "\(stroke.x.count) samples out of \(bytes.count) bytes")
    try require(stroke.x.allSatisfy(\.isFinite) && stroke.y.allSatisfy(\.isFinite), "a place is not finite")
    let written = try stroke.encoded()
    let again = try Stroke(decoding: written)
    try require(again == stroke, "written and read again: \(again) instead of \(stroke)")
    try require(try again.encoded() == written, "written twice, the bytes differ")
    if let bounds = stroke.bounds {
      try require(bounds.minX <= bounds.maxX && bounds.minY <= bounds.maxY, "bounds \(bounds)")
    }
  }

  private static func checkImage(_ bytes: [UInt8]) throws {
    let image: ImageElement
    do {
      image = try ImageElement(decoding: bytes)
    } catch {
      try requireSentence(error.description)
      try requireInRange(bytes, kind: InkKind.image, as: nil)
      return
    }
    try requireInRange(bytes, kind: InkKind.image, as: .image(image))
    let written = try image.encoded()
    let again = try ImageElement(decoding: written)
    try require(again == image, "written and read again: \(again) instead of \(image)")
    try require(try again.encoded() == written, "written twice, the bytes differ")
  }

  /// In the middle of a larger array it is the same element; a range beyond the array is clamped.
  private static func requireInRange(
    _ bytes: [UInt8], kind: UInt8, as expected: InkElement?
  ) throws(BrokenProperty) {
    let around = [0xFF, 1, 0x80] + bytes + [0x80, 0x7F]
    let found = try? InkElement(kind: kind, decoding: around, range: 3..<(3 + bytes.count))
    try require(found == expected, "from a range: \(String(describing: found))")
    let clamped = try? InkElement(kind: kind, decoding: bytes, range: 0..<Int.max)
    try require(clamped == expected, "from a range that is too long: \(String(describing: clamped))")
  }
}
