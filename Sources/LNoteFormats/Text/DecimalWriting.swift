// SPDX-License-Identifier: Apache-2.0

/// Numbers as text, appended to bytes.
enum DecimalWriting {
  /// The shortest text that reads back as `value`, which has to be finite. A value within four units in the
  /// last place of one with at most six decimals prints as that one: 0.30000000000000004 is 0.3.
  static func appendShortest(_ value: Double, to text: inout [UInt8]) {
    let millionths = (value * 1e6).rounded()
    if abs(millionths) < 9e15, abs(millionths / 1e6 - value) <= 4 * value.ulp {
      append(Int64(millionths), decimals: 6, to: &text)
    } else {
      text += value.description.utf8
    }
  }

  /// `value` as an integer.
  static func append(_ value: Int64, to text: inout [UInt8]) {
    text += String(value).utf8
  }

  /// `scaled` / 10^`decimals`, without zeros at the end; with `bare`, also without one before the point.
  static func append(_ scaled: Int64, decimals: Int, bare: Bool = false, to text: inout [UInt8]) {
    var rest = scaled.magnitude
    var left = decimals
    while left > 0, rest % 10 == 0 {
      rest /= 10
      left -= 1
    }
    // Digits come last first; turning them round in place spares an array for each number.
    let start = text.count
    while left > 0 {
      text.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
      left -= 1
      if left == 0 { text.append(UInt8(ascii: ".")) }
    }
    if rest > 0 || text.count == start || !bare {
      repeat {
        text.append(UInt8(ascii: "0") + UInt8(rest % 10))
        rest /= 10
      } while rest > 0
    }
    if scaled < 0 { text.append(UInt8(ascii: "-")) }
    text[start...].reverse()
  }
}
