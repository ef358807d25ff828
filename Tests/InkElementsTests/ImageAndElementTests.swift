// SPDX-License-Identifier: Apache-2.0

import InkElements
import Testing

@Suite struct ImagesAndElements {
  private let image = ImageElement(
    assetHigh: 0x0011_2233_4455_4677, assetLow: 0x8899_AABB_CCDD_EEFF, x: -1.25, y: 1 / 3, width: 640.1,
    height: 480,
    rotation: 12.5, extra: [3, 1, 4])

  @Test func anImageComesBackToTheLastBit() throws {
    for rotation in [0, -0.0, 12.5, -359.999] {
      var element = image
      element.rotation = rotation
      let bytes = try element.encoded()
      let back = try ImageElement(decoding: bytes)
      #expect(back == element)
      #expect(try back.encoded() == bytes)
      #expect(bytes.count == (rotation == 0 ? 50 : 58) + 3)
    }
    #expect(try Array(image.encoded()[2..<6]) == [0x00, 0x11, 0x22, 0x33])
  }

  @Test func anImageWithNumbersThatCannotBeStoredIsRefused() throws {
    for bad in [Double.nan, .infinity, -.infinity, 2_147_483_649, -1e300] {
      let places: [(String, WritableKeyPath<ImageElement, Double>)] = [
        ("x", \.x), ("y", \.y), ("width", \.width), ("height", \.height), ("rotation", \.rotation),
      ]
      for (name, path) in places {
        var element = image
        element[keyPath: path] = bad
        var bytes: [UInt8] = [5]
        let error = try #require(inkError { () throws(InkError) in try element.encode(into: &bytes) })
        #expect(error.code == (bad.isFinite ? .unstorable : .nonFinite))
        #expect(error.column == name)
        #expect(bytes == [5])
      }
    }
  }

  @Test func damagedImageBytesAreHarmless() throws {
    let bytes = try image.encoded()
    for length in 0..<bytes.count {
      let error = inkError { () throws(InkError) in
        _ = try ImageElement(decoding: Array(bytes.prefix(length)))
      }
      #expect((error == nil) == (length >= bytes.count - 3), "cut to \(length)")
    }
    for bit in 0..<bytes.count * 8 {
      var flipped = bytes
      flipped[bit / 8] ^= 1 << (bit % 8)
      let error = inkError { () throws(InkError) in
        let element = try ImageElement(decoding: flipped)
        #expect(try ImageElement(decoding: element.encoded()) == element)
      }
      #expect(error == nil || error?.code == .malformed || error?.code == .newerEncoding, "bit \(bit)")
    }
    #expect(
      inkError { () throws(InkError) in _ = try ImageElement(decoding: [2, 0]) }?.code == .newerEncoding)
    #expect(
      inkError { () throws(InkError) in _ = try ImageElement(decoding: [1, 2]) }?.code == .newerEncoding)
  }

  @Test func unknownKindsAreKeptByteForByte() throws {
    let bytes = [UInt8](0...255)
    for kind in UInt8.min...UInt8.max where kind != InkKind.stroke && kind != InkKind.image {
      let element = try InkElement(kind: kind, decoding: bytes, range: 10..<200)
      #expect(element == .opaque(kind: kind, payload: Array(bytes[10..<200])))
      #expect(element.kind == kind)
      #expect(try element.encoded() == Array(bytes[10..<200]))
    }
    #expect(try InkElement(kind: 99, decoding: [1], range: 4..<8) == .opaque(kind: 99, payload: []))
  }

  @Test func elementsAreReadAndWrittenByTheirKind() throws {
    let stroke = try Stroke(decoding: fullStroke().encoded())
    for element in [InkElement.stroke(stroke), .image(image), .opaque(kind: 200, payload: [1, 2])] {
      let bytes = try element.encoded()
      var appended: [UInt8] = [9]
      try element.encode(into: &appended)
      #expect(appended == [9] + bytes)
      #expect(try InkElement(kind: element.kind, decoding: bytes) == element)
    }
    #expect(
      inkError { () throws(InkError) in _ = try InkElement(kind: InkKind.stroke, decoding: [7]) }?.code
        == .newerEncoding)
  }

  @Test func boundsHoldSamplesWithTheirRadius() {
    let still = Stroke(width: 3, x: [1, 4, .nan], y: [10, 2, 0])
    #expect(still.bounds == InkBounds(minX: -0.5, minY: 0.5, maxX: 5.5, maxY: 11.5))
    let swelling = Stroke(width: 3, x: [1, 4], y: [10, 2], radius: [1, 5])
    #expect(swelling.bounds == InkBounds(minX: -1, minY: -3, maxX: 9, maxY: 11))
    #expect(Stroke(width: 3, x: [], y: []).bounds == nil)
    #expect(Stroke(width: .infinity, x: [1], y: [1]).bounds == nil)
  }
}
