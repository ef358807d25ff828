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
  /// Positions and radii are rounded to `1 / unitsPerPoint` point, the width and pressures to thousandths;
  /// pressures below zero become 0. A payload that was written here, read and written again, is the same bytes.
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

    let optional = fields & (StrokeLayout.pressure | StrokeLayout.time | StrokeLayout.radius)
    var columns = QuantisedColumns(count: count, columns: 2 + optional.nonzeroBitCount)
    let scale = Double(unitsPerPoint)
    try columns.add(x.span, "x", scale: scale, mode: StrokeLayout.xShift)
    try columns.add(y.span, "y", scale: scale, mode: StrokeLayout.yShift)
    if let pressure { try columns.add(pressure: pressure.span) }
    if let time { try columns.add(time: time.span) }
    if let radius { try columns.add(radius.span, "radius", scale: scale, mode: StrokeLayout.radiusShift) }

    if tool != .pen { fields |= StrokeLayout.tool }
    if flags != 0 { fields |= StrokeLayout.flags }
    if unitsPerPoint != InkLimits.defaultUnitsPerPoint { fields |= StrokeLayout.units }
    bytes.append(StrokeLayout.encoding)
    bytes.appendVarint(fields)
    bytes.appendVarint(columns.modes)
    bytes.appendVarint(UInt64(count))
    bytes.appendVarint(widthSteps)
    if let start { bytes.appendZigzag(start) }
    if let color { bytes.appendLittleEndian(color) }
    if tool != .pen { bytes.append(tool.rawValue) }
    if flags != 0 { bytes.appendVarint(UInt64(flags)) }
    if unitsPerPoint != InkLimits.defaultUnitsPerPoint { bytes.appendVarint(UInt64(unitsPerPoint)) }

    columns.write(to: &bytes)
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
}
