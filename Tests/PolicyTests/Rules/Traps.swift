// SPDX-License-Identifier: Apache-2.0

/// Nothing that ends the process on what a file or a caller hands in. Force unwraps are found by the lint.
enum Traps {
  /// Words that end the process in a release build as well.
  static let words: Set<Substring> = ["fatalError", "precondition", "preconditionFailure", "abort", "exit"]
  /// Where a process may be ended: the command line's last line, and where it is asked to leave files open.
  static let endings: Set<String> = [
    "Sources/LNoteCommand/Main.swift", "Sources/LNoteCommand/ApplyVerb.swift",
  ]

  static func findings(_ files: [SourceFile]) -> [Finding] {
    files.flatMap { file in
      file.code.enumerated().flatMap { index, line -> [Finding] in
        var found: [Finding] = []
        for operation in ["try!", "as!"] where contains(line, operation) {
          found.append(Finding(path: file.path, line: index + 1, what: operation))
        }
        guard file.path.hasPrefix("Sources/"), !endings.contains(file.path) else { return found }
        for word in words where contains(line, word + "(") {
          found.append(Finding(path: file.path, line: index + 1, what: String(word)))
        }
        return found
      }
    }
  }

  /// Whether a line has the text where no word goes on before it. A method of that name is something else.
  private static func contains(_ line: String, _ text: String) -> Bool {
    line.ranges(of: text).contains { range in
      guard range.lowerBound > line.startIndex else { return true }
      let before = line[line.index(before: range.lowerBound)]
      return !(before.isLetter || before.isNumber || before == "_" || before == ".")
        && !line[..<range.lowerBound].hasSuffix("func ")
    }
  }
}
