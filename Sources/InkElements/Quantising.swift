// SPDX-License-Identifier: Apache-2.0

/// Rounding of measured numbers to the steps that are stored, half a step away from zero.
enum Quantising {
  /// A column in steps of `1 / scale`, into as many entries from `base` on. Non-finite and out of range is
  /// refused with the sample named.
  static func coordinates(
    _ column: Span<Double>, _ name: String, scale: Double, into steps: inout MutableSpan<Int64>, at base: Int
  ) throws(InkError) {
    for index in 0..<column.count {
      let scaled = column[index] * scale
      // Written so that NaN fails it as well.
      guard scaled > -2_147_483_648.5, scaled < 2_147_483_647.5 else {
        throw refusal(column[index], name, index)
      }
      steps[base &+ index] = rounded(scaled)
    }
  }

  /// A pressure column in thousandths. Digitisers report "no pressure" as zero, as minus zero and as tiny
  /// or plain negative numbers; all of them are 0.
  static func pressures(_ column: Span<Double>, into steps: inout MutableSpan<Int64>, at base: Int)
    throws(InkError)
  {
    for index in 0..<column.count {
      let value = column[index]
      guard value.isFinite, value <= InkLimits.pressure else { throw refusal(value, "pressure", index) }
      steps[base &+ index] = value > 0 ? rounded(value * InkLimits.pressureSteps) : 0
    }
  }

  /// A time column, as it is.
  static func times(_ column: Span<Int64>, into steps: inout MutableSpan<Int64>, at base: Int)
    throws(InkError)
  {
    for index in 0..<column.count {
      guard InkLimits.times.contains(column[index]) else {
        throw InkError(
          .unstorable, "is \(column[index]) ms, more than 2^53 ms from 0", column: "time", sample: index)
      }
      steps[base &+ index] = column[index]
    }
  }

  /// A width in steps.
  static func width(_ width: Double) throws(InkError) -> UInt64 {
    let scaled = width * InkLimits.widthSteps
    guard scaled > -0.5, scaled < 2_147_483_647.5 else { throw refusal(width, "width", nil) }
    return UInt64(rounded(scaled))
  }

  /// The error for a number that cannot be stored.
  static func refusal(_ value: Double, _ name: String, _ sample: Int?) -> InkError {
    value.isFinite
      ? InkError(.unstorable, "is \(value), outside the range that is stored", column: name, sample: sample)
      : InkError(.nonFinite, "is \(value), not a finite number", column: name, sample: sample)
  }

  /// `rounded()` is a library call on some processors; this is an addition and a conversion. The caller has
  /// bounded the value far inside `Int64`.
  @inline(__always)
  private static func rounded(_ value: Double) -> Int64 { Int64(value + (value < 0 ? -0.5 : 0.5)) }
}
