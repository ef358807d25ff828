// SPDX-License-Identifier: Apache-2.0

/// Inside of the engine too, data flows one way: a file names only what its own folder and folders to the left declare.
enum Rooms {
  static let module = "Sources/PageJournal/"
  static let order = ["Bytes", "Frames", "Files", "Journal", "Pages"]

  private static let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "actor", "typealias"]

  static func findings(_ files: [SourceFile]) -> [Finding] {
    let files = files.filter { $0.path.hasPrefix(module) }
    // A name that two folders declare belongs to the left one: it can be meant wherever that one can be seen.
    var home: [String: Int] = [:]
    for file in files {
      guard let room = room(of: file) else { continue }
      for name in declarations(file) { home[name] = min(home[name] ?? room, room) }
    }
    return files.flatMap { file -> [Finding] in
      guard let room = room(of: file) else {
        return [Finding(path: file.path, line: 1, what: "is in none of the folders \(order)")]
      }
      return file.words.compactMap { word, line in
        guard let other = home[String(word)], other > room else { return nil }
        return Finding(
          path: file.path, line: line,
          what: "\(word) is declared in \(order[other]), which \(order[room]) may not know")
      }
    }
  }

  static func room(of file: SourceFile) -> Int? {
    file.parts.count > 3 ? order.firstIndex(of: String(file.parts[2])) : nil
  }

  /// Names of the types that stand outside of any braces and can be seen by other files.
  static func declarations(_ file: SourceFile) -> [String] {
    var depth = 0
    var names: [String] = []
    for line in file.code {
      if depth == 0, let name = declaredName(line) { names.append(name) }
      for character in line {
        if character == "{" { depth += 1 }
        if character == "}" { depth -= 1 }
      }
    }
    return names
  }

  private static func declaredName(_ line: String) -> String? {
    let words = line.identifiers
    guard let kind = words.firstIndex(where: { kinds.contains($0) }), kind + 1 < words.count,
      !words[..<kind].contains("private"), !words[..<kind].contains("fileprivate")
    else { return nil }
    return String(words[kind + 1])
  }
}
