// SPDX-License-Identifier: Apache-2.0

/// Writes JSON text, keys sorted by their bytes.
struct JSONWriter {
  private(set) var bytes: [UInt8] = []
  /// Whether there was a number that JSON cannot hold.
  private(set) var isRefused = false
  private let isPretty: Bool

  init(isPretty: Bool) { self.isPretty = isPretty }

  mutating func write(_ value: JSON, indentation: Int) {
    switch value {
    case .null: append("null")
    case .bool(let value): append(value ? "true" : "false")
    case .integer(let value): append(value.description)
    case .number(let value):
      if !value.isFinite { isRefused = true }
      let text = value.description
      append(text.hasSuffix(".0") ? text.dropLast(2) : text[...])
    case .string(let text): write(text)
    case .array(let members):
      append("[")
      for (index, member) in members.enumerated() {
        separate(index, indentation)
        write(member, indentation: indentation + 2)
      }
      end("]", isEmpty: members.isEmpty, indentation)
    case .object(let keys):
      append("{")
      let sorted = keys.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      for (index, member) in sorted.enumerated() {
        separate(index, indentation)
        write(member.key)
        append(isPretty ? " : " : ":")
        write(member.value, indentation: indentation + 2)
      }
      end("}", isEmpty: keys.isEmpty, indentation)
    }
  }

  private mutating func separate(_ index: Int, _ indentation: Int) {
    if index > 0 { append(",") }
    breakLine(indentation + 2)
  }

  private mutating func end(_ closing: String, isEmpty: Bool, _ indentation: Int) {
    if isEmpty { breakLine(0) }
    breakLine(indentation)
    append(closing)
  }

  private mutating func breakLine(_ indentation: Int) {
    guard isPretty else { return }
    bytes.append(0x0A)
    bytes.append(contentsOf: repeatElement(0x20, count: indentation))
  }

  private mutating func append(_ text: some StringProtocol) { bytes.append(contentsOf: text.utf8) }

  private mutating func write(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""): append("\\\"")
      case UInt8(ascii: "\\"): append("\\\\")
      case 0x08: append("\\b")
      case 0x0C: append("\\f")
      case 0x0A: append("\\n")
      case 0x0D: append("\\r")
      case 0x09: append("\\t")
      case 0..<0x20: append(byte < 0x10 ? "\\u000" : "\\u00"); append(String(byte, radix: 16))
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
