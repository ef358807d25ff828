// SPDX-License-Identifier: Apache-2.0

internal import PageJournal

/// Reads JSON text (RFC 8259) of any bytes without trapping.
struct JSONParser {
  private static let levels = 512

  private let bytes: [UInt8]
  private var place = 0
  private var level = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The one value that the text is, or nil.
  mutating func document() -> JSON? {
    guard let value = value() else { return nil }
    skipSpace()
    return place == bytes.count ? value : nil
  }

  private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { place += 1 }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    place += 1
    return true
  }

  private mutating func value() -> JSON? {
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return nested { $0.object() }
    case UInt8(ascii: "["): return nested { $0.array() }
    case UInt8(ascii: "\""): return string().map { .string($0) }
    case UInt8(ascii: "t"): return word("true", .bool(true))
    case UInt8(ascii: "f"): return word("false", .bool(false))
    case UInt8(ascii: "n"): return word("null", .null)
    default: return number()
    }
  }

  private mutating func nested(_ body: (inout JSONParser) -> JSON?) -> JSON? {
    guard level < Self.levels else { return nil }
    level += 1
    place += 1
    defer { level -= 1 }
    return body(&self)
  }

  private mutating func word(_ text: StaticString, _ value: JSON) -> JSON? {
    for byte in text.description.utf8 where !take(byte) { return nil }
    return value
  }

  private mutating func array() -> JSON? {
    var members: [JSON] = []
    skipSpace()
    if take(UInt8(ascii: "]")) { return .array(members) }
    while let member = value() {
      members.append(member)
      skipSpace()
      if take(UInt8(ascii: "]")) { return .array(members) }
      guard take(UInt8(ascii: ",")) else { return nil }
    }
    return nil
  }

  private mutating func object() -> JSON? {
    var keys: [String: JSON] = [:]
    skipSpace()
    if take(UInt8(ascii: "}")) { return .object(keys) }
    while true {
      skipSpace()
      guard let key = string() else { return nil }
      skipSpace()
      guard take(UInt8(ascii: ":")), let value = value(), keys.updateValue(value, forKey: key) == nil
      else { return nil }
      skipSpace()
      if take(UInt8(ascii: "}")) { return .object(keys) }
      guard take(UInt8(ascii: ",")) else { return nil }
    }
  }

  // MARK: Numbers

  private mutating func number() -> JSON? {
    let start = place
    _ = take(UInt8(ascii: "-"))
    let first = place
    let digits = digits()
    guard digits > 0, digits == 1 || bytes[first] != UInt8(ascii: "0") else { return nil }
    var isInteger = true
    if take(UInt8(ascii: ".")) {
      isInteger = false
      guard self.digits() > 0 else { return nil }
    }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      isInteger = false
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      guard self.digits() > 0 else { return nil }
    }
    let text = String(decoding: bytes[start..<place], as: UTF8.self)
    if isInteger, let integer = Int64(text) { return .integer(integer) }
    return Double(text).flatMap { $0.isFinite ? .number($0) : nil }
  }

  private mutating func digits() -> Int {
    let start = place
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { place += 1 }
    return place - start
  }

  // MARK: Strings

  private mutating func string() -> String? {
    guard take(UInt8(ascii: "\"")) else { return nil }
    var start = place
    var text = ""
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        guard let tail = checked(start..<place) else { return nil }
        place += 1
        return text.isEmpty ? tail : text + tail
      case UInt8(ascii: "\\"):
        guard let head = checked(start..<place) else { return nil }
        text += head
        place += 1
        guard let scalar = escaped() else { return nil }
        text.unicodeScalars.append(scalar)
        start = place
      case 0..<0x20: return nil
      default: place += 1
      }
    }
    return nil
  }

  private func checked(_ range: Range<Int>) -> String? { String(validating: bytes[range], as: UTF8.self) }

  private mutating func escaped() -> Unicode.Scalar? {
    guard let byte = next else { return nil }
    place += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"):
      guard let unit = unit() else { return nil }
      guard unit & 0xFC00 == 0xD800 else { return Unicode.Scalar(unit) }
      guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")), let low = self.unit(), low & 0xFC00 == 0xDC00
      else { return nil }
      return Unicode.Scalar(0x10000 + (unit & 0x3FF) << 10 + low & 0x3FF)
    default: return nil
    }
  }

  /// Four hexadecimal digits.
  private mutating func unit() -> UInt32? {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
      unit = unit << 4 | UInt32(digit)
      place += 1
    }
    return unit
  }
}
