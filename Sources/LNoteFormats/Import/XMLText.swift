// SPDX-License-Identifier: Apache-2.0

/// Text as XML writes it.
enum XMLText {
  /// The text of a range with its references replaced: the five that XML names, and characters by number.
  /// Nil where a reference is of any other kind, so that nothing can expand.
  static func unescaped(_ bytes: [UInt8], _ range: Range<Int>) -> [UInt8]? {
    guard bytes[range].contains(UInt8(ascii: "&")) else { return Array(bytes[range]) }
    var text: [UInt8] = []
    var at = range.lowerBound
    while at < range.upperBound {
      guard bytes[at] == UInt8(ascii: "&") else {
        text.append(bytes[at])
        at += 1
        continue
      }
      // The longest reference that means anything is &#x10FFFF; with some leading zeros.
      guard let end = bytes[at..<min(range.upperBound, at + 16)].firstIndex(of: UInt8(ascii: ";")),
        let scalar = scalar(String(decoding: bytes[at + 1..<end], as: UTF8.self))
      else { return nil }
      text += String(scalar).utf8
      at = end + 1
    }
    return text
  }

  private static func scalar(_ reference: String) -> Unicode.Scalar? {
    switch reference {
    case "lt": return "<"
    case "gt": return ">"
    case "amp": return "&"
    case "quot": return "\""
    case "apos": return "'"
    default: break
    }
    guard reference.hasPrefix("#") else { return nil }
    let digits = reference.dropFirst()
    let code = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    guard let code, code != 0 else { return nil }
    return Unicode.Scalar(code)
  }

  /// `text` for element content or a quoted attribute; what XML 1.0 cannot hold becomes U+FFFD.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "&": result += "&amp;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case "\t", "\n", "\r": result += "&#\(scalar.value);"
      case "\u{0}"..<"\u{20}", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
