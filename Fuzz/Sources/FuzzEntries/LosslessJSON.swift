// SPDX-License-Identifier: Apache-2.0

/// JSON with its numbers as digits, so that not even the last of them can get lost unseen. Strict, UTF-8 only; of a key
/// that is there twice nothing is said, so such an object is not read.
struct LosslessJSON: Equatable, CustomStringConvertible {
  enum Value: Equatable {
    case word(String)
    case number(LosslessNumber)
    case string(String)
    case array([LosslessJSON])
    case object([String: LosslessJSON])
  }

  let value: Value

  init?(_ bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    var parser = LosslessParser(Array(text.unicodeScalars))
    guard let value = parser.document() else { return nil }
    self = value
  }

  init(_ value: Value) { self.value = value }

  subscript(key: String) -> LosslessJSON? { members[key] }

  var members: [String: LosslessJSON] { if case .object(let members) = value { members } else { [:] } }

  var array: [LosslessJSON]? { if case .array(let values) = value { values } else { nil } }

  var description: String { "\(value)" }
}

/// sign × 0.digits × 10^exponent, digits without zeros at either end: one form for each number.
struct LosslessNumber: Equatable, CustomStringConvertible {
  private var isNegative: Bool
  private var digits: [UInt8] = []
  private var exponent = 0
  let description: String

  init?(_ text: [Unicode.Scalar]) {
    description = String(String.UnicodeScalarView(text))
    var rest = text[...]
    isNegative = rest.first == "-"
    if isNegative { rest.removeFirst() }
    let whole = rest.prefix { ("0"..."9").contains($0) }
    rest = rest.dropFirst(whole.count)
    guard !whole.isEmpty, whole.count == 1 || whole.first != "0" else { return nil }
    var fraction: ArraySlice<Unicode.Scalar> = []
    if rest.first == "." {
      fraction = rest.dropFirst().prefix { ("0"..."9").contains($0) }
      guard !fraction.isEmpty else { return nil }
      rest = rest.dropFirst(1 + fraction.count)
    }
    var power = 0
    if rest.first == "e" || rest.first == "E" {
      rest = rest.dropFirst()
      let sign = rest.first == "-" ? -1 : 1
      if rest.first == "-" || rest.first == "+" { rest = rest.dropFirst() }
      guard !rest.isEmpty, rest.count < 10, rest.allSatisfy({ ("0"..."9").contains($0) }) else { return nil }
      power = sign * rest.reduce(0) { $0 * 10 + Int($1.value - 48) }
      rest = []
    }
    guard rest.isEmpty else { return nil }
    var digits = (whole + fraction).map { UInt8($0.value - 48) }
    exponent = whole.count + power
    let zeros = digits.prefix { $0 == 0 }.count
    digits.removeFirst(zeros)
    exponent -= zeros
    while digits.last == 0 { digits.removeLast() }
    if digits.isEmpty { (isNegative, exponent) = (false, 0) }
    self.digits = digits
  }

  /// Of more digits, or of such an exponent, only what a Double holds is kept.
  private var isKept: Bool { digits.count <= 38 && abs(exponent) < 85 }

  static func == (left: LosslessNumber, right: LosslessNumber) -> Bool {
    guard left.isKept, right.isKept else { return Double(left.description) == Double(right.description) }
    return left.isNegative == right.isNegative && left.digits == right.digits
      && left.exponent == right.exponent
  }
}

private struct LosslessParser {
  private let text: [Unicode.Scalar]
  private var place = 0
  private var depth = 0

  init(_ text: [Unicode.Scalar]) { self.text = text }

  mutating func document() -> LosslessJSON? {
    guard let value = value() else { return nil }
    skipSpace()
    return place == text.count ? value : nil
  }

  private mutating func skipSpace() {
    while place < text.count, [" ", "\t", "\r", "\n"].contains(text[place]) { place += 1 }
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    skipSpace()
    guard place < text.count, text[place] == scalar else { return false }
    place += 1
    return true
  }

  private mutating func value() -> LosslessJSON? {
    depth += 1
    defer { depth -= 1 }
    guard depth < 500 else { return nil }
    if take("{") { return object() }
    if take("[") { return array() }
    if take("\"") { return string().map { LosslessJSON(.string($0)) } }
    let start = place
    while place < text.count, !["\"", ",", "]", "}", " ", "\t", "\r", "\n"].contains(text[place]) {
      place += 1
    }
    let word = Array(text[start..<place])
    let spelled = String(String.UnicodeScalarView(word))
    if ["true", "false", "null"].contains(spelled) { return LosslessJSON(.word(spelled)) }
    return LosslessNumber(word).map { LosslessJSON(.number($0)) }
  }

  private mutating func array() -> LosslessJSON? {
    var values: [LosslessJSON] = []
    if take("]") { return LosslessJSON(.array([])) }
    repeat {
      guard let value = value() else { return nil }
      values.append(value)
    } while take(",")
    return take("]") ? LosslessJSON(.array(values)) : nil
  }

  private mutating func object() -> LosslessJSON? {
    var members: [String: LosslessJSON] = [:]
    if take("}") { return LosslessJSON(.object([:])) }
    repeat {
      guard take("\""), let key = string(), take(":"), let value = value(),
        members.updateValue(value, forKey: key) == nil
      else { return nil }
    } while take(",")
    return take("}") ? LosslessJSON(.object(members)) : nil
  }

  private mutating func string() -> String? {
    var units: [UInt16] = []
    while place < text.count {
      let scalar = text[place]
      place += 1
      switch scalar {
      case "\"": return String(validating: units, as: UTF16.self)
      case "\\":
        guard let unit = escape() else { return nil }
        units.append(unit)
      default:
        guard scalar.value >= 0x20 else { return nil }
        units += Array(UTF16.encode(scalar) ?? UTF16.EncodedScalar())
      }
    }
    return nil
  }

  private mutating func escape() -> UInt16? {
    guard place < text.count else { return nil }
    place += 1
    switch text[place - 1] {
    case "b": return 8
    case "f": return 12
    case "n": return 10
    case "r": return 13
    case "t": return 9
    case "\"", "\\", "/": return UInt16(text[place - 1].value)
    case "u":
      guard place + 4 <= text.count else { return nil }
      place += 4
      let digits = String(String.UnicodeScalarView(text[(place - 4)..<place]))
      return digits.first == "+" || digits.first == "-" ? nil : UInt16(digits, radix: 16)
    default: return nil
    }
  }
}
