// SPDX-License-Identifier: Apache-2.0

import InkElements

/// Any numbers in a stroke or an image: refused with one sentence, or stored within half a step of what they were.
///
///     u8   bits 0–4: radius, pressure, time, colour, start are there; bit 5: whole numbers of 32 bits instead of doubles
///     u32  units per point; 8 bytes width; then numbers in turn, one for each column
enum InkValuesEntry {
  static func check(_ bytes: [UInt8]) throws {
    var source = NumberSource(bytes)
    let fields = source.byte()
    let units = UInt32(truncatingIfNeeded: source.integer(4))
    source.isWhole = fields & 32 != 0
    var stroke = Stroke(width: source.number(), x: [], y: [])
    stroke.unitsPerPoint = fields & 64 != 0 ? units : InkLimits.defaultUnitsPerPoint
    stroke.radius = fields & 1 != 0 ? [] : nil
    stroke.pressure = fields & 2 != 0 ? [] : nil
    stroke.time = fields & 4 != 0 ? [] : nil
    stroke.color = fields & 8 != 0 ? units : nil
    stroke.start = fields & 16 != 0 ? Int64(bitPattern: source.integer(8)) : nil
    stroke.flags = fields & 128 != 0 ? units : 0
    while !source.isAtEnd {
      stroke.x.append(source.number())
      stroke.y.append(source.number())
      stroke.radius?.append(source.number())
      stroke.pressure?.append(source.number())
      stroke.time?.append(Int64(bitPattern: source.integer(source.isWhole ? 4 : 8)))
    }
    try checkStroke(stroke)
    try checkImage(stroke)
  }

  private static func checkStroke(_ stroke: Stroke) throws {
    var written: [UInt8] = [7]
    do {
      try stroke.encode(into: &written)
    } catch {
      try requireSentence(error.description)
      try require(written == [7], "a refused stroke left bytes behind")
      return
    }
    let read = try Stroke(decoding: written, range: 1..<written.count)
    try require(
      read.tool == stroke.tool && read.color == stroke.color && read.start == stroke.start
        && read.flags == stroke.flags && read.unitsPerPoint == stroke.unitsPerPoint && read.extra.isEmpty,
      "a field changed: \(read)")
    try require(read.time == stroke.time, "times changed")
    let step = 1 / Double(stroke.unitsPerPoint)
    try requireNear(read.x, stroke.x, step, "x")
    try requireNear(read.y, stroke.y, step, "y")
    try requireNear(read.radius, stroke.radius, step, "radius")
    let pressure = stroke.pressure.map { $0.map { max($0, 0) } }
    try requireNear(read.pressure, pressure, 1 / InkLimits.pressureSteps, "pressure")
    try requireNear([read.width], [max(stroke.width, 0)], 1 / InkLimits.widthSteps, "width")
    try require(try read.encoded() == Array(written[1...]), "written twice, the bytes differ")
  }

  private static func requireNear(
    _ found: [Double]?, _ expected: [Double]?, _ step: Double, _ name: String
  ) throws(BrokenProperty) {
    guard let found, let expected else {
      return try require(found == nil && expected == nil, "\(name) came or went")
    }
    try require(found.count == expected.count, "\(name) has \(found.count) values, not \(expected.count)")
    for (index, pair) in zip(found, expected).enumerated() {
      // Half a step, and what the multiplication and the division round.
      let room = step * 0.5 + 4 * max(abs(pair.1), step).ulp
      try require(
        abs(pair.0 - pair.1) <= room, "\(name)[\(index)] is \(pair.0), was \(pair.1), step \(step)")
    }
  }

  private static func checkImage(_ stroke: Stroke) throws {
    let numbers = (stroke.x + stroke.y).prefix(4) + [stroke.width, 0, 0, 0, 0]
    let image = ImageElement(
      assetHigh: UInt64(stroke.unitsPerPoint), assetLow: .max, x: numbers[0], y: numbers[1],
      width: numbers[2], height: numbers[3], rotation: stroke.width)
    do {
      let read = try ImageElement(decoding: image.encoded())
      try require(read == image, "\(read) instead of \(image)")
    } catch let error as InkError {
      try requireSentence(error.description)
    }
  }
}

/// Numbers out of bytes; zeros behind their end.
private struct NumberSource {
  private let bytes: [UInt8]
  private var place = 0
  var isWhole = false

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { place >= bytes.count }

  mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: integer(1)) }

  mutating func integer(_ count: Int) -> UInt64 {
    var value: UInt64 = 0
    for index in 0..<count where place + index < bytes.count {
      value |= UInt64(bytes[place + index]) << UInt64(8 * index)
    }
    place += count
    return count == 4 && isWhole ? UInt64(bitPattern: Int64(Int32(truncatingIfNeeded: value))) : value
  }

  mutating func number() -> Double {
    isWhole ? Double(Int64(bitPattern: integer(4))) / 20 : Double(bitPattern: integer(8))
  }
}
