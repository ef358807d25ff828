// SPDX-License-Identifier: Apache-2.0

import PageJournal

extension Stroke {
  /// The stroke as payload bytes (kind `InkKind.stroke`).
  ///
  /// See `encode(into:)`.
  public func encoded() throws(InkError) -> [UInt8] {
    var bytes: [UInt8] = []
    // About one byte a value; a guess, the array grows where it is not enough.
    bytes.reserveCapacity(min(x.count, InkLimits.samples) * 4 + 24 + extra.count)
    try encode(into: &bytes)
    return bytes
  }

  /// Appends the stroke as payload bytes (kind `InkKind.stroke`).
  ///
  /// Positions and radii are rounded to `1 / unitsPerPoint` point, the width and pressures to thousandths; pressures
  /// below zero become 0. What was read from a payload is written back as the same bytes.
  ///
  /// Takes time linear in the samples, and one allocation of 8 bytes a value beside the growth of `bytes`.
  /// - Throws: `InkError` with the column and sample that cannot be stored: `nonFinite`, `unstorable`,
  ///   `shapeMismatch`, `empty`, `tooLarge`. `bytes` is then as it was.
  public func encode(into bytes: inout [UInt8]) throws(InkError) {
    let count = x.count
    var fields = try checkShape()
    let widthSteps = try Quantising.width(width)
    guard (1...InkLimits.unitsPerPoint).contains(unitsPerPoint) else {
      throw InkError(.unstorable, "is \(unitsPerPoint), not 1…1000000", column: "unitsPerPoint")
    }
    if let start, !InkLimits.times.contains(start) {
      throw InkError(.unstorable, "is \(start) ms, more than 2^53 ms from 0", column: "start")
    }

    var steps: [Int64] = []
    steps.reserveCapacity(
      count
        * (2 + (fields & StrokeLayout.pressure == 0 ? 0 : 1)
          + (fields & StrokeLayout.time == 0 ? 0 : 1) + (fields & StrokeLayout.radius == 0 ? 0 : 1)))
    var modes: UInt64 = 0
    let scale = Double(unitsPerPoint)
    try Quantising.append(x, "x", scale: scale, to: &steps)
    modes |= Self.mode(of: steps, count, constantAllowed: false) << StrokeLayout.xShift
    try Quantising.append(y, "y", scale: scale, to: &steps)
    modes |= Self.mode(of: steps, count) << StrokeLayout.yShift
    if let pressure {
      try Quantising.appendPressure(pressure, to: &steps)
      modes |= Self.mode(of: steps, count) << StrokeLayout.pressureShift
    }
    if let time {
      try Quantising.appendTime(time, to: &steps)
      modes |= Self.mode(of: steps, count) << StrokeLayout.timeShift
    }
    if let radius {
      try Quantising.append(radius, "radius", scale: scale, to: &steps)
      modes |= Self.mode(of: steps, count) << StrokeLayout.radiusShift
    }

    if tool != .pen { fields |= StrokeLayout.tool }
    if flags != 0 { fields |= StrokeLayout.flags }
    if unitsPerPoint != InkLimits.defaultUnitsPerPoint { fields |= StrokeLayout.units }
    bytes.append(StrokeLayout.encoding)
    bytes.appendVarint(fields)
    bytes.appendVarint(modes)
    bytes.appendVarint(UInt64(count))
    bytes.appendVarint(widthSteps)
    if let start { bytes.appendZigzag(start) }
    if let color { bytes.appendLittleEndian(color) }
    if tool != .pen { bytes.append(tool.rawValue) }
    if flags != 0 { bytes.appendVarint(UInt64(flags)) }
    if unitsPerPoint != InkLimits.defaultUnitsPerPoint { bytes.appendVarint(UInt64(unitsPerPoint)) }

    Self.write(steps, count, fields, modes, to: &bytes)
    bytes.append(contentsOf: extra)
  }

  /// The presence bits of start, color and the optional columns, once all columns have one length.
  private func checkShape() throws(InkError) -> UInt64 {
    let count = x.count
    guard count > 0 else { throw InkError(.empty, "has no samples") }
    guard count <= InkLimits.samples else {
      throw InkError(.tooLarge, "has \(count) samples, more than \(InkLimits.samples)")
    }
    var fields: UInt64 = 0
    func check(_ length: Int?, _ name: String, _ bit: UInt64) throws(InkError) {
      guard let length else { return }
      guard length == count else {
        throw InkError(.shapeMismatch, "has \(length) entries where x has \(count)", column: name)
      }
      fields |= bit
    }
    try check(y.count, "y", 0)
    try check(pressure?.count, "pressure", StrokeLayout.pressure)
    try check(time?.count, "time", StrokeLayout.time)
    try check(radius?.count, "radius", StrokeLayout.radius)
    if start != nil { fields |= StrokeLayout.start }
    if color != nil { fields |= StrokeLayout.color }
    return fields
  }

  /// The best mode for the last `count` steps.
  private static func mode(of steps: [Int64], _ count: Int, constantAllowed: Bool = true) -> UInt64 {
    let column = steps.span.extracting(last: count)
    return UInt64(ColumnMode.best(for: column, constantAllowed: constantAllowed).rawValue)
  }

  /// Writes all columns as one nibble stream.
  private static func write(
    _ steps: [Int64], _ count: Int, _ fields: UInt64, _ modes: UInt64, to bytes: inout [UInt8]
  ) {
    var writer = NibbleWriter()
    var offset = 0
    func write(_ mode: UInt64) {
      let column = steps.span.extracting(offset..<offset + count)
      (ColumnMode(rawValue: UInt8(mode & 3)) ?? .firstDifferences).encode(column, with: &writer, to: &bytes)
      offset += count
    }
    write(modes >> StrokeLayout.xShift & 1)
    write(modes >> StrokeLayout.yShift)
    if fields & StrokeLayout.pressure != 0 { write(modes >> StrokeLayout.pressureShift) }
    if fields & StrokeLayout.time != 0 { write(modes >> StrokeLayout.timeShift) }
    if fields & StrokeLayout.radius != 0 { write(modes >> StrokeLayout.radiusShift) }
    writer.finish(&bytes)
  }
}
