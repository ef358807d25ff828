// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A JSON value to print: keys keep the order in which they were said, bytes become base64.
enum Value {
  case null
  case bool(Bool)
  case integer(Int)
  case counter(UInt64)
  case number(Double)
  case text(String)
  case base64([UInt8])
  indirect case list([Value])
  indirect case object([(String, Value)])

  static func optional(_ text: String?) -> Value { text.map { .text($0) } ?? .null }
  static func optional(_ number: Int?) -> Value { number.map { .integer($0) } ?? .null }

  /// The text: in one line, or with a line for each member.
  func bytes(pretty: Bool = false) -> [UInt8] {
    var bytes: [UInt8] = []
    write(into: &bytes, indent: pretty ? 0 : nil)
    return bytes
  }

  private func write(into bytes: inout [UInt8], indent: Int?) {
    switch self {
    case .null: bytes += "null".utf8
    case .bool(let value): bytes += (value ? "true" : "false").utf8
    case .integer(let value): bytes += String(value).utf8
    case .counter(let value): bytes += String(value).utf8
    case .number(let value):
      // JSON has no word for what is not finite.
      let whole = Int64(exactly: value).map { String($0) }
      bytes += (value.isFinite ? whole ?? String(value) : "null").utf8
    case .text(let value): Self.quote(value, into: &bytes)
    case .base64(let value):
      bytes.append(UInt8(ascii: "\""))
      bytes += Data(value).base64EncodedData()
      bytes.append(UInt8(ascii: "\""))
    case .list(let values):
      Self.enclose("[", "]", values, into: &bytes, indent) { $0.write(into: &$1, indent: $2) }
    case .object(let members):
      Self.enclose("{", "}", members, into: &bytes, indent) { member, bytes, indent in
        Self.quote(member.0, into: &bytes)
        bytes += (indent == nil ? ":" : ": ").utf8
        member.1.write(into: &bytes, indent: indent)
      }
    }
  }

  private static func enclose<Member>(
    _ open: String, _ close: String, _ members: [Member], into bytes: inout [UInt8], _ indent: Int?,
    _ write: (Member, inout [UInt8], Int?) -> Void
  ) {
    bytes += open.utf8
    let inner = indent.map { $0 + 2 }
    for (index, member) in members.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      if let inner { breakLine(inner, into: &bytes) }
      write(member, &bytes, inner)
    }
    if let indent, !members.isEmpty { breakLine(indent, into: &bytes) }
    bytes += close.utf8
  }

  private static func breakLine(_ indent: Int, into bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\n"))
    bytes += repeatElement(UInt8(ascii: " "), count: indent)
  }

  private static func quote(_ text: String, into bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""): bytes += "\\\"".utf8
      case UInt8(ascii: "\\"): bytes += "\\\\".utf8
      case UInt8(ascii: "\n"): bytes += "\\n".utf8
      case UInt8(ascii: "\t"): bytes += "\\t".utf8
      case 0..<0x20, 0x7F:
        let digits = String(byte, radix: 16)
        bytes += ("\\u00" + (digits.utf8.count == 1 ? "0" : "") + digits).utf8
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
