// SPDX-License-Identifier: Apache-2.0

/// The columns of one stroke as whole numbers, one behind the other, with the mode chosen for each.
/// Everything that can be refused is refused while columns are added, so that writing cannot fail half way.
struct QuantisedColumns {
  /// The payload's second varint.
  private(set) var modes: UInt64 = 0
  private let count: Int
  private var steps: [Int64]
  /// The modes in the order of the columns, two bits each.
  private var order: UInt64 = 0
  private var added = 0
  private var groups = 0

  /// Room for columns of `count` values, which is at least 1.
  init(count: Int, columns: Int) {
    self.count = count
    steps = [Int64](repeating: 0, count: count * columns)
  }

  /// Adds a column of coordinates or radii.
  mutating func add(
    _ column: Span<Double>, _ name: String, scale: Double, mode shift: UInt64
  ) throws(InkError) {
    let base = added * count
    var room = steps.mutableSpan
    try Quantising.coordinates(column, name, scale: scale, into: &room, at: base)
    choose(shift)
  }

  /// Adds the column of pressures.
  mutating func add(pressure column: Span<Double>) throws(InkError) {
    let base = added * count
    var room = steps.mutableSpan
    try Quantising.pressures(column, into: &room, at: base)
    choose(StrokeLayout.pressureShift)
  }

  /// Adds the column of times.
  mutating func add(time column: Span<Int64>) throws(InkError) {
    let base = added * count
    var room = steps.mutableSpan
    try Quantising.times(column, into: &room, at: base)
    choose(StrokeLayout.timeShift)
  }

  /// Appends all columns as one nibble stream.
  func write(to bytes: inout [UInt8]) {
    let start = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: (groups + 1) / 2))
    var all = bytes.mutableSpan
    var writer = NibbleWriter(at: start)
    for index in 0..<added {
      let mode = ColumnMode(rawValue: UInt8(truncatingIfNeeded: order >> UInt64(2 * index)) & 3)
      let column = steps.span.extracting(index * count..<(index + 1) * count)
      (mode ?? .firstDifferences).encode(column, with: &writer, to: &all)
    }
    writer.finish(&all)
  }

  private mutating func choose(_ shift: UInt64) {
    let best = best(constantAllowed: shift != StrokeLayout.xShift)
    modes |= UInt64(best.mode.rawValue) << shift
    order |= UInt64(best.mode.rawValue) << UInt64(2 * added)
    groups += best.groups
    added += 1
  }

  /// The best mode of the column that is being added.
  private func best(constantAllowed: Bool) -> (mode: ColumnMode, groups: Int) {
    let column = steps.span.extracting(added * count..<(added + 1) * count)
    return ColumnMode.best(for: column, constantAllowed: constantAllowed)
  }
}
