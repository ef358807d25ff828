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
      guard let number = number(bytes[start..<at]) else {
        let text = String(decoding: bytes[start..<min(at, start + 24)], as: UTF8.self)
        throw Fault(index: numbers.count, text: text)
      }
      numbers.append(number)
    }
  }

  /// The number that all of a word spells: sign, digits, point, exponent; nil for anything else that Swift
  /// would accept, such as "nan" or "0x1", and for a number beyond Double. A comma is a point, because old
  /// versions of Xournal wrote the one of the user's language.
  private static func number(_ word: ArraySlice<UInt8>) -> Double? {
    var hasComma = false
    for byte in word {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "e"), UInt8(ascii: "E"):
        break
      case UInt8(ascii: ","): hasComma = true
      default: return nil
      }
    }
    let text = String(decoding: word, as: UTF8.self)
    guard let value = Double(hasComma ? text.replacing(",", with: ".") : text), value.isFinite else {
      return nil
    }
    return value
  }
}
