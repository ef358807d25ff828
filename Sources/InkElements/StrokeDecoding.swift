// SPDX-License-Identifier: Apache-2.0

import PageJournal

extension Stroke {
  /// Reads a payload of kind `InkKind.stroke` that fills an array. See `init(decoding:range:)`.
  public init(decoding bytes: [UInt8]) throws(InkError) {
    try self.init(decoding: bytes, range: 0..<bytes.count)
  }

  /// Reads a payload of kind `InkKind.stroke` from a range of an array; a range outside it is clamped.
  ///
  /// Any bytes may be given. Takes time linear in the samples. The sample count is checked against the bytes
  /// left before anything is allocated: x takes at least half a byte a sample, so at most
  /// `InkLimits.decodedBytesPerByte` bytes are allocated for each byte of payload.
  /// - Throws: `InkError` `malformed` with the column and sample where known, or `newerEncoding` for a
  ///   payload whose bytes have to be kept for a newer version.
  public init(decoding bytes: [UInt8], range: Range<Int>) throws(InkError) {
    var header = ByteReader(bytes, range)
    let fields = try Self.fields(&header)
    guard let modes = header.varint() else { throw InkError.cutOff("modes") }
    guard modes >> StrokeLayout.modeBits == 0 else {
      throw InkError(.newerEncoding, "has columns of a newer version", column: "modes")
    }
    guard let count = header.count(atMost: InkLimits.samples), count > 0 else {
      throw InkError(.malformed, "is cut off, 0 or above \(InkLimits.samples)", column: "sample count")
    }
    guard let widthSteps = header.varint(), widthSteps <= StrokeLayout.widest else {
      throw InkError.cutOff("width")
    }
    let head = try OptionalFields(&header, fields)

    let xMode = modes & 1 == 0 ? ColumnMode.firstDifferences : .secondDifferences
    let yMode = try Self.mode(modes, StrokeLayout.yShift, "y")
    let pressureMode = try Self.mode(
      modes, StrokeLayout.pressureShift, "pressure", ifIn: fields & StrokeLayout.pressure)
    let timeMode = try Self.mode(
      modes, StrokeLayout.timeShift, "time", ifIn: fields & StrokeLayout.time)
    let radiusMode = try Self.mode(
      modes, StrokeLayout.radiusShift, "radius", ifIn: fields & StrokeLayout.radius)
    let groups =
      count + yMode.leastGroups(count) + (pressureMode?.leastGroups(count) ?? 0)
      + (timeMode?.leastGroups(count) ?? 0) + (radiusMode?.leastGroups(count) ?? 0)
    guard groups <= header.remaining * 2 else {
      throw InkError(.malformed, "is more than the bytes left can hold", column: "sample count")
    }

    let body = bytes.span.extracting(header.position..<header.end)
    var reader = NibbleReader()
    let scale = Double(head.unitsPerPoint)
    let x = try xMode.decode("x", count: count, in: InkLimits.coordinates, with: &reader, from: body) {
      Double($0) / scale
    }
    let y = try yMode.decode("y", count: count, in: InkLimits.coordinates, with: &reader, from: body) {
      Double($0) / scale
    }
    let pressure = try pressureMode?.decode(
      "pressure", count: count, in: InkLimits.pressures, with: &reader, from: body
    ) { Double($0) / InkLimits.pressureSteps }
    let time = try timeMode?.decode("time", count: count, in: InkLimits.times, with: &reader, from: body) {
      $0
    }
    let radius = try radiusMode?.decode(
      "radius", count: count, in: InkLimits.coordinates, with: &reader, from: body
    ) { Double($0) / scale }
    guard reader.skipPadding() else {
      throw InkError(.malformed, "is not zero", column: "padding")
    }
    let rest = header.position + reader.bytesUsed
    // One initialisation at the end: filling `self` field by field costs a copy of all columns at each
    // `throw`.
    self.init(
      tool: head.tool, color: head.color, width: Double(widthSteps) / InkLimits.widthSteps, flags: head.flags,
      start: head.start, x: x, y: y, radius: radius, pressure: pressure, time: time,
      extra: rest == header.end ? [] : Array(bytes[rest..<header.end]), unitsPerPoint: head.unitsPerPoint)
  }

  /// The presence bits, once the encoding is known to be ours.
  private static func fields(_ header: inout ByteReader) throws(InkError) -> UInt64 {
    guard let encoding = header.byte(), encoding != 0 else { throw InkError.cutOff("encoding") }
    guard encoding == StrokeLayout.encoding else {
      throw InkError(.newerEncoding, "is \(encoding); this version reads 1", column: "encoding")
    }
    guard let fields = header.varint() else { throw InkError.cutOff("fields") }
    guard fields & ~StrokeLayout.known == 0 else {
      throw InkError(.newerEncoding, "has bits of a newer version", column: "fields")
    }
    return fields
  }

  /// The mode of a column that is there.
  private static func mode(_ modes: UInt64, _ shift: UInt64, _ name: String) throws(InkError) -> ColumnMode {
    guard let mode = ColumnMode(rawValue: UInt8(truncatingIfNeeded: modes >> shift) & 3) else {
      throw InkError(.newerEncoding, "has a mode of a newer version", column: name)
    }
    return mode
  }

  /// The mode of a column; nil where its presence bit is 0.
  private static func mode(
    _ modes: UInt64, _ shift: UInt64, _ name: String, ifIn bit: UInt64
  ) throws(InkError) -> ColumnMode? {
    if bit != 0 { return try mode(modes, shift, name) }
    guard modes >> shift & 3 == 0 else {
      throw InkError(.malformed, "has a mode but is absent", column: name)
    }
    return nil
  }
}

/// What stands between the width and the columns.
private struct OptionalFields {
  var start: Int64?
  var color: UInt32?
  var tool = Tool.pen
  var flags: UInt32 = 0
  var unitsPerPoint = InkLimits.defaultUnitsPerPoint

  init(_ header: inout ByteReader, _ fields: UInt64) throws(InkError) {
    if fields & StrokeLayout.start != 0 {
      guard let value = header.zigzag(), InkLimits.times.contains(value) else {
        throw InkError.cutOff("start")
      }
      start = value
    }
    if fields & StrokeLayout.color != 0 {
      guard let value = header.uint32() else { throw InkError.cutOff("color") }
      color = value
    }
    if fields & StrokeLayout.tool != 0 {
      guard let value = header.byte() else { throw InkError.cutOff("tool") }
      tool = Tool(rawValue: value)
    }
    if fields & StrokeLayout.flags != 0 {
      guard let value = header.varint().flatMap({ UInt32(exactly: $0) }) else {
        throw InkError.cutOff("flags")
      }
      flags = value
    }
    if fields & StrokeLayout.units != 0 {
      guard let value = header.varint().flatMap({ UInt32(exactly: $0) }),
        (1...InkLimits.unitsPerPoint).contains(value)
      else { throw InkError.cutOff("unitsPerPoint") }
      unitsPerPoint = value
    }
  }
}

extension InkError {
  /// The error for a header field that ends early or holds a number that nobody writes.
  static func cutOff(_ field: String) -> InkError {
    InkError(.malformed, "is cut off or out of range", column: field)
  }
}
