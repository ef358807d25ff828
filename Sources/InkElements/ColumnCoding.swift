// SPDX-License-Identifier: Apache-2.0

/// How a column of whole numbers becomes a run of values in the nibble stream.
enum ColumnMode: UInt8 {
  /// The first value, then each value less the one before.
  case firstDifferences = 0
  /// The first value, the first difference, then each difference less the one before.
  case secondDifferences = 1
  /// One value that all samples have. Never used for x, so that the payload's size bounds the count.
  case constant = 2

  /// The mode with the fewest groups, and how many; on equal size the lowest number, so that the same column
  /// always gives the same bytes. The column has at least one value.
  static func best(for column: Span<Int64>, constantAllowed: Bool) -> (mode: ColumnMode, groups: Int) {
    var previous: Int64 = 0
    var step: Int64 = 0
    var first = 0
    var second = 0
    var moved: Int64 = 0
    for index in 0..<column.count {
      let value = column[index]
      let difference = value &- previous
      first &+= Nibbles.length(Nibbles.zigzag(difference))
      // The second value's change of step is its step: there is none before it.
      second &+= Nibbles.length(Nibbles.zigzag(index < 2 ? difference : difference &- step))
      if index > 0 { moved |= difference }
      step = difference
      previous = value
    }
    if constantAllowed, moved == 0, column.count > 1 {
      return (.constant, Nibbles.length(Nibbles.zigzag(column[0])))
    }
    return second < first ? (.secondDifferences, second) : (.firstDifferences, first)
  }

  /// The fewest groups that `count` values can take.
  func leastGroups(_ count: Int) -> Int { self == .constant ? 1 : count }

  /// Writes a column that has at least one value.
  func encode(_ column: Span<Int64>, with writer: inout NibbleWriter, to room: inout MutableSpan<UInt8>) {
    var cursor = writer
    defer { writer = cursor }
    var previous: Int64 = 0
    var step: Int64 = 0
    switch self {
    case .constant:
      cursor.append(Nibbles.zigzag(column[0]), to: &room)
    case .firstDifferences:
      for index in 0..<column.count {
        cursor.append(Nibbles.zigzag(column[index] &- previous), to: &room)
        previous = column[index]
      }
    case .secondDifferences:
      for index in 0..<column.count {
        let difference = column[index] &- previous
        cursor.append(Nibbles.zigzag(difference &- step), to: &room)
        step = index == 0 ? 0 : difference
        previous = column[index]
      }
    }
  }

  /// Reads `count` values, checks each against `range` and transforms it. Differences wrap, so hostile ones
  /// end in the check and never in a trap.
  @inline(__always)
  func decode<Value>(
    _ name: String, count: Int, in range: ClosedRange<Int64>, with reader: inout NibbleReader,
    from bytes: Span<UInt8>, transform: (Int64) -> Value
  ) throws(InkError) -> [Value] {
    let second = self == .secondDifferences
    let stored = self == .constant ? 1 : count
    var cursor = reader
    defer { reader = cursor }
    var value: Int64 = 0
    var step: Int64 = 0
    var values: [Value] = []
    values.reserveCapacity(count)
    for index in 0..<stored {
      guard let raw = cursor.next(bytes) else {
        throw InkError(.malformed, "is cut off or above 64 bits", column: name, sample: index)
      }
      let residual = Nibbles.unzigzag(raw)
      step = second && index > 1 ? step &+ residual : residual
      value = value &+ step
      guard range.contains(value) else {
        throw InkError(.malformed, "is outside the range of its column", column: name, sample: index)
      }
      values.append(transform(value))
    }
    while values.count < count { values.append(transform(value)) }
    return values
  }
}
