// SPDX-License-Identifier: Apache-2.0

/// Decimal numbers out of text bytes. The result is always the nearest Double, and always finite.
enum DecimalReading {
  /// A number that is none, by its place in the list and its text (shortened).
  struct Fault: Error, Equatable {
    var index: Int
    var text: String
  }

  /// The numbers of a list that is separated by XML white space.
  static func list(_ bytes: [UInt8]) throws(Fault) -> [Double] {
    var numbers: [Double] = []
    var at = 0
    while true {
      while at < bytes.count, isWhiteSpace(bytes[at]) { at += 1 }
      guard at < bytes.count else { return numbers }
      let start = at
      while at < bytes.count, !isWhiteSpace(bytes[at]) { at += 1 }
      guard let number = number(bytes, start..<at) else {
        let text = String(decoding: bytes[start..<min(at, start + 24)], as: UTF8.self)
        throw Fault(index: numbers.count, text: text)
      }
      numbers.append(number)
    }
  }

  /// The number that all of a range spells: sign, digits, point, exponent; nil for anything else, such as
  /// "nan", "0x1", "1,5", or a number beyond Double.
  static func number(_ bytes: [UInt8], _ range: Range<Int>) -> Double? {
    var at = range.lowerBound
    let end = range.upperBound
    var negative = false
    if at < end, bytes[at] == UInt8(ascii: "-") || bytes[at] == UInt8(ascii: "+") {
      negative = bytes[at] == UInt8(ascii: "-")
      at += 1
    }
    var mantissa: UInt64 = 0
    var digits = 0
    var exponent = 0
    var exact = true
    var point = false
    while at < end {
      let character = bytes[at]
      if character == UInt8(ascii: "."), !point {
        point = true
      } else if character >= UInt8(ascii: "0"), character <= UInt8(ascii: "9") {
        digits += 1
        if mantissa < 900_000_000_000_000_000 {
          mantissa = mantissa * 10 + UInt64(character - UInt8(ascii: "0"))
          if point { exponent -= 1 }
        } else {
          exact = false
        }
      } else {
        break
      }
      at += 1
    }
    guard digits > 0 else { return nil }
    if at < end {
      guard let power = exponentPart(bytes, at..<end) else { return nil }
      exponent += power
    }
    // Both factors are exact below these bounds, so that the one rounding is the right one.
    if exact, mantissa <= 1 << 53, abs(exponent) < powers.count {
      let value = exponent < 0 ? Double(mantissa) / powers[-exponent] : Double(mantissa) * powers[exponent]
      return negative ? -value : value
    }
    guard let value = Double(String(decoding: bytes[range], as: UTF8.self)), value.isFinite else {
      return nil
    }
    return value
  }

  /// The value of "e-5"; huge ones are cut where they no longer make a difference.
  private static func exponentPart(_ bytes: [UInt8], _ range: Range<Int>) -> Int? {
    var at = range.lowerBound
    guard bytes[at] | 0x20 == UInt8(ascii: "e") else { return nil }
    at += 1
    var negative = false
    if at < range.upperBound, bytes[at] == UInt8(ascii: "-") || bytes[at] == UInt8(ascii: "+") {
      negative = bytes[at] == UInt8(ascii: "-")
      at += 1
    }
    guard at < range.upperBound else { return nil }
    var power = 0
    while at < range.upperBound {
      guard bytes[at] >= UInt8(ascii: "0"), bytes[at] <= UInt8(ascii: "9") else { return nil }
      power = min(power * 10 + Int(bytes[at] - UInt8(ascii: "0")), 100_000)
      at += 1
    }
    return negative ? -power : power
  }

  private static let powers: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
  ]
}
