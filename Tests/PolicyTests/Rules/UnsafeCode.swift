// SPDX-License-Identifier: Apache-2.0

/// Unsafe code stands in few files, each of which says why.
enum UnsafeCode {
  static let allowed: Set<String> = [
    PlatformRoom.path + "PosixFile.swift", PlatformRoom.path + "PosixFileSystem.swift",
    PlatformRoom.path + "WorkerThread.swift", "Sources/PageJournal/Bytes/Checksum.swift",
    "Sources/PageJournal/Bytes/Deflate.swift", "Sources/PageJournal/Bytes/SpanCopies.swift",
    "Sources/LNoteFormats/Import/Gunzip.swift",
  ]
  static let reason = "On the list of files that may use unsafe code"

  /// `unsafe` finds every use of unsafe code, because the compiler asks for the word there.
  private static let words: Set<Substring> = ["unsafe", "unchecked", "unowned", "safe"]

  static func findings(_ files: [SourceFile], allowed: Set<String> = allowed) -> [Finding] {
    var found: [Finding] = []
    var users: Set<String> = []
    for file in files {
      for (word, line) in file.words where isUnsafe(word, file.code[line - 1]) {
        users.insert(file.path)
        if !allowed.contains(file.path) {
          found.append(
            Finding(path: file.path, line: line, what: "\(word) in a file that is not on the list"))
        }
      }
      if allowed.contains(file.path), !file.text.contains(reason) {
        found.append(Finding(path: file.path, line: 3, what: "a comment “\(reason): …” has to say why"))
      }
    }
    for path in allowed.subtracting(users).sorted() {
      found.append(Finding(path: path, line: 1, what: "is on the list and has no unsafe code"))
    }
    return found
  }

  /// `@safe`, `@unchecked` and `unowned(unsafe)` are claims; a `safe` of another kind is a name.
  private static func isUnsafe(_ word: Substring, _ line: String) -> Bool {
    switch word {
    case "unsafe": true
    case "safe", "unchecked": line.contains("@" + word)
    case "unowned": line.contains("unowned(unsafe)")
    default: false
    }
  }
}
