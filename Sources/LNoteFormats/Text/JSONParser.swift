// SPDX-License-Identifier: Apache-2.0

/// A strict JSON parser over a range of bytes.
struct JSONParser {
  /// Levels of arrays and objects; bounds the recursion.
  static let depthLimit = 128

  private let bytes: [UInt8]
  private let end: Int
  private var at: Int

  private init(_ bytes: [UInt8], _ range: Range<Int>) {
    self.bytes = bytes
    at = range.lowerBound
    end = range.upperBound
  }

  /// The one value in a range.
  static func parse(_ bytes: [UInt8], _ range: Range<Int>) throws(FormatError) -> JSONValue {
    var parser = JSONParser(bytes, range)
    let value = try parser.value(depth: 0)
    parser.skipWhiteSpace()
    guard parser.at == parser.end else { throw parser.fault("something follows the value") }
    return value
  }

  private func fault(_ cause: String) -> FormatError {
    FormatError(.malformed, offset: at, cause: at >= end ? "the JSON ends too early" : "no JSON: " + cause)
  }

  private mutating func skipWhiteSpace() {
    while at < end, isWhiteSpace(bytes[at]) { at += 1 }
  }

  private mutating func value(depth: Int) throws(FormatError) -> JSONValue {
    skipWhiteSpace()
    guard at < end else { throw fault("") }
    switch bytes[at] {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try array(depth: depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try literal("true", .bool(true))
    case UInt8(ascii: "f"): return try literal("false", .bool(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    default: return try number()
    }
  }

  private mutating func literal(_ text: StaticString, _ value: JSONValue) throws(FormatError) -> JSONValue {
    let word = text.description.utf8
    guard bytes[at..<end].starts(with: word) else { throw fault("an unknown word") }
    at += word.count
    return value
  }

  private mutating func object(depth: Int) throws(FormatError) -> JSONValue {
    guard depth < Self.depthLimit else { throw fault("nested too deeply") }
    at += 1
    var members: [String: JSONValue] = [:]
    skipWhiteSpace()
    if at < end, bytes[at] == UInt8(ascii: "}") {
      at += 1
      return .object(members)
    }
    while true {
      skipWhiteSpace()
      guard at < end, bytes[at] == UInt8(ascii: "\"") else { throw fault("a key is missing") }
      let key = try string()
      skipWhiteSpace()
      guard at < end, bytes[at] == UInt8(ascii: ":") else { throw fault("\":\" is missing") }
      at += 1
      let value = try value(depth: depth + 1)
      guard members.updateValue(value, forKey: key) == nil else {
        throw fault("the key \"\(key.prefix(40))\" is there twice")
      }
      skipWhiteSpace()
      if at < end, bytes[at] == UInt8(ascii: ",") {
        at += 1
      } else if at < end, bytes[at] == UInt8(ascii: "}") {
        at += 1
        return .object(members)
      } else {
        throw fault("\",\" or \"}\" is missing")
      }
    }
  }

  private mutating func array(depth: Int) throws(FormatError) -> JSONValue {
    guard depth < Self.depthLimit else { throw fault("nested too deeply") }
    at += 1
    var values: [JSONValue] = []
    skipWhiteSpace()
    if at < end, bytes[at] == UInt8(ascii: "]") {
      at += 1
      return .array(values)
    }
    while true {
      values.append(try value(depth: depth + 1))
      skipWhiteSpace()
      if at < end, bytes[at] == UInt8(ascii: ",") {
        at += 1
      } else if at < end, bytes[at] == UInt8(ascii: "]") {
        at += 1
        return .array(values)
      } else {
        throw fault("\",\" or \"]\" is missing")
      }
    }
  }

  private mutating func number() throws(FormatError) -> JSONValue {
    let start = at
    var whole = true
    if at < end, bytes[at] == UInt8(ascii: "-") { at += 1 }
    let first = at
    guard skipDigits() else { throw fault("no value") }
    guard at - first == 1 || bytes[first] != UInt8(ascii: "0") else { throw fault("a number begins with 0") }
    if at < end, bytes[at] == UInt8(ascii: ".") {
      whole = false
      at += 1
      guard skipDigits() else { throw fault("no digit behind the point") }
    }
    if at < end, bytes[at] | 0x20 == UInt8(ascii: "e") {
      whole = false
      at += 1
      if at < end, bytes[at] == UInt8(ascii: "-") || bytes[at] == UInt8(ascii: "+") { at += 1 }
      guard skipDigits() else { throw fault("no digit in the exponent") }
    }
    if whole, let value = integer(start..<at) { return .integer(value) }
    guard let value = DecimalReading.number(bytes, start..<at) else {
      throw fault("a number is too large")
    }
    return .number(value)
  }

  private mutating func skipDigits() -> Bool {
    let start = at
    while at < end, bytes[at] >= UInt8(ascii: "0"), bytes[at] <= UInt8(ascii: "9") { at += 1 }
    return at > start
  }

  /// The integer of a range that holds digits and perhaps a minus; nil where it does not fit.
  private func integer(_ range: Range<Int>) -> Int64? {
    let negative = bytes[range.lowerBound] == UInt8(ascii: "-")
    var value: Int64 = 0
    for index in (negative ? range.lowerBound + 1 : range.lowerBound)..<range.upperBound {
      let digit = Int64(bytes[index] - UInt8(ascii: "0"))
      let (tenfold, tooLarge) = value.multipliedReportingOverflow(by: 10)
      let (sum, overflow) = tenfold.subtractingReportingOverflow(digit)
      guard !tooLarge, !overflow else { return nil }
      value = sum
    }
    // Gathered as a negative number, because Int64 has one more of those.
    return negative ? value : (value == .min ? nil : -value)
  }

  private mutating func string() throws(FormatError) -> String {
    at += 1
    let start = at
    while at < end, bytes[at] != UInt8(ascii: "\""), bytes[at] != UInt8(ascii: "\\"), bytes[at] >= 0x20 {
      at += 1
    }
    var raw = Array(bytes[start..<at])
    while true {
      guard at < end else { throw fault("") }
      let byte = bytes[at]
      guard byte >= 0x20 else { throw fault("a control character in a string") }
      at += 1
      if byte == UInt8(ascii: "\"") { break }
      if byte == UInt8(ascii: "\\") {
        raw += String(try escape()).utf8
      } else {
        raw.append(byte)
      }
    }
    guard let text = String(validating: raw, as: UTF8.self) else { throw fault("a string is not UTF-8") }
    return text
  }

  private mutating func escape() throws(FormatError) -> Unicode.Scalar {
    guard at < end else { throw fault("") }
    let byte = bytes[at]
    at += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): break
    default: throw fault("an unknown escape")
    }
    var code = try fourDigits()
    if code & 0xFC00 == 0xD800, bytes[at..<end].starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]) {
      at += 2
      let low = try fourDigits()
      guard low & 0xFC00 == 0xDC00 else { throw fault("half a surrogate pair") }
      code = 0x10000 + (code & 0x3FF) << 10 + (low & 0x3FF)
    }
    guard let scalar = Unicode.Scalar(code) else { throw fault("half a surrogate pair") }
    return scalar
  }

  private mutating func fourDigits() throws(FormatError) -> UInt32 {
    guard end - at >= 4,
      let value = InkColor.parse(hex: "#0000" + String(decoding: bytes[at..<at + 4], as: UTF8.self))
    else { throw fault("four hexadecimal digits are missing") }
    at += 4
    return value
  }
}
