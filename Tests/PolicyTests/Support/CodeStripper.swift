// SPDX-License-Identifier: Apache-2.0

/// Blanks out comments and the insides of string literals, so that a rule about code does not read prose. What an
/// interpolation holds is code and stays.
struct CodeStripper {
  private let characters: [Character]
  private var at = 0
  private var output = ""

  init(_ text: String) {
    characters = Array(text)
  }

  mutating func lines() -> [String] {
    code(untilParenthesis: false)
    return output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  private func sees(_ text: String) -> Bool {
    var index = at
    for character in text {
      guard index < characters.count, characters[index] == character else { return false }
      index += 1
    }
    return true
  }

  /// Passes characters over; only ends of lines are kept.
  private mutating func skip(_ count: Int) {
    for _ in 0..<count where at < characters.count {
      if characters[at].isNewline { output.append("\n") }
      at += 1
    }
  }

  private mutating func code(untilParenthesis: Bool) {
    var depth = 0
    while at < characters.count {
      if sees("//") {
        while at < characters.count, !characters[at].isNewline { at += 1 }
      } else if sees("/*") {
        comment()
      } else if let hashes = literalHashes() {
        literal(hashes)
      } else {
        let character = characters[at]
        if character == "(" { depth += 1 }
        if character == ")" {
          depth -= 1
          if untilParenthesis, depth < 0 { return }
        }
        output.append(character.isNewline ? "\n" : character)
        at += 1
      }
    }
  }

  /// Block comments nest in Swift.
  private mutating func comment() {
    var depth = 0
    repeat {
      if sees("/*") {
        depth += 1
        skip(2)
      } else if sees("*/") {
        depth -= 1
        skip(2)
      } else {
        skip(1)
      }
    } while depth > 0 && at < characters.count
  }

  /// How many "#" stand before the quotation mark here; nil when no literal begins.
  private func literalHashes() -> Int? {
    var index = at
    while index < characters.count, characters[index] == "#" { index += 1 }
    return index < characters.count && characters[index] == "\"" ? index - at : nil
  }

  private mutating func literal(_ hashes: Int) {
    let marks = String(repeating: "#", count: hashes)
    skip(hashes)
    let quote = sees("\"\"\"") ? "\"\"\"" : "\""
    skip(quote.count)
    output.append("\"\"")
    while at < characters.count, !sees(quote + marks) {
      if sees("\\" + marks + "(") {
        skip(hashes + 2)
        output.append(" ")
        code(untilParenthesis: true)
        skip(1)
        output.append(" ")
      } else if sees("\\" + marks) {
        skip(hashes + 2)
      } else if quote.count == 1, characters[at].isNewline {
        return
      } else {
        skip(1)
      }
    }
    skip(quote.count + hashes)
  }
}
