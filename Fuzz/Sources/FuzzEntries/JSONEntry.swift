// SPDX-License-Identifier: Apache-2.0

import LNote
import LNoteFormats

/// The reader of records and the one of imports agree on what is JSON and what it says, and written JSON reads the same.
enum JSONEntry {
  static func check(_ bytes: [UInt8]) throws {
    let kept = JSON(parsing: bytes)
    do {
      let value = try JSONValue(parsing: bytes)
      guard let kept else { throw BrokenProperty("an import reads it, a record does not") }
      try require(isSame(kept, value), "read as \(kept) and as \(value)")
    } catch let error as FormatError {
      try requireSentence(error.description)
      let isDeep = error.cause.contains("nested too deeply")
      try require(kept == nil || isDeep, "a record reads it, an import says: \(error)")
    }
    guard let kept else { return }
    for pretty in [false, true] {
      let text = kept.text(pretty: pretty)
      let again = JSON(parsing: text)
      try require(again == kept, "written and read again: \(String(describing: again)) instead of \(kept)")
      try require(again?.text(pretty: pretty) == text, "written twice, the text differs")
    }
  }

  /// Numbers are the same when they are the same Double, or the same integer where both say that it is one.
  private static func isSame(_ left: JSON, _ right: JSONValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
    case (.integer(let left), .integer(let right)): left == right
    case (.integer, .number), (.number, .integer), (.number, .number), (.decimal, .integer),
      (.decimal, .number):
      left.number?.bitPattern == right.double?.bitPattern || (left.number == 0 && right.double == 0)
    case (.array(let left), .array(let right)):
      left.count == right.count && zip(left, right).allSatisfy { isSame($0, $1) }
    case (.object(let left), .object(let right)):
      left.count == right.count
        && left.allSatisfy { key, value in
          if case .null = value { return right.keys.contains(key) }
          return right[key].map { isSame(value, $0) } ?? false
        }
    default: false
    }
  }
}
