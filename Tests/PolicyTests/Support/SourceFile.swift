// SPDX-License-Identifier: Apache-2.0

/// A file that rules look at.
struct SourceFile: Sendable {
  /// From the root of the repository.
  var path: String
  var text: String
  /// The text without comments and without what stands in string literals, line for line.
  var code: [String]

  init(path: String, text: String) {
    self.path = path
    self.text = text
    var stripper = CodeStripper(text)
    code = stripper.lines()
  }

  var lines: [Substring] {
    var all = text.split(separator: "\n", omittingEmptySubsequences: false)
    if all.last?.isEmpty == true { all.removeLast() }
    return all
  }

  /// The words of the code with the numbers of their lines, counted from 1. A word is letters, digits and "_".
  var words: [(word: Substring, line: Int)] {
    code.enumerated().flatMap { index, line in line.identifiers.map { ($0, index + 1) } }
  }

  /// The parts of the path.
  var parts: [Substring] { path.split(separator: "/") }
}

extension StringProtocol {
  /// The maximal runs of letters, digits and "_".
  var identifiers: [SubSequence] {
    split { !($0.isLetter || $0.isNumber || $0 == "_") }
  }
}

/// What a rule found.
struct Finding: CustomStringConvertible, Equatable {
  var path: String
  var line: Int
  var what: String

  var description: String { "\(path):\(line): \(what)" }
}

extension [Finding] {
  /// One a line, for the message of a test.
  var listed: String { isEmpty ? "nothing" : map(\.description).joined(separator: "\n") }
}
