// SPDX-License-Identifier: Apache-2.0

/// Modules know only modules to their left (the table of the README), and the engine's know no Foundation.
enum Imports {
  /// What each module may import of ours.
  static let allowed: [String: Set<String>] = [
    "PageJournal": ["CZlib"],
    "PageJournalFaults": ["PageJournal"],
    "InkElements": ["PageJournal"],
    "LNote": ["PageJournal", "InkElements"],
    "LNoteFormats": ["CZlib", "PageJournal", "InkElements", "LNote"],
    "LNoteSQLite": ["CSQLite", "PageJournal", "InkElements", "LNote"],
    "LNoteCommand": ["PageJournal", "InkElements", "LNote", "LNoteFormats", "LNoteSQLite"],
  ]
  static let withoutFoundation: Set<String> = ["PageJournal", "PageJournalFaults", "InkElements"]
  /// The C libraries are behind the engine's own room for them.
  static let systemModules: Set<String> = ["Glibc", "Musl", "Darwin", "Dispatch"]

  private static let ours = Set(allowed.keys).union(["CZlib", "CSQLite"])

  static func findings(_ files: [SourceFile]) -> [Finding] {
    files.flatMap { file -> [Finding] in
      guard file.parts.count > 2, file.parts[0] == "Sources" else { return [] }
      let module = String(file.parts[1])
      guard let allowed = allowed[module] else {
        return [Finding(path: file.path, line: 1, what: "the module \(module) is not in the table of layers")]
      }
      return file.code.enumerated().compactMap { index, line in
        guard let imported = importedModule(line) else { return nil }
        var fault: String?
        if ours.contains(imported), !allowed.contains(imported) {
          fault = "\(module) may not know \(imported)"
        }
        if withoutFoundation.contains(module), imported.hasPrefix("Foundation") {
          fault = "\(module) does without \(imported)"
        }
        if withoutFoundation.contains(module), systemModules.contains(imported),
          !PlatformRoom.isInside(file.path)
        {
          fault = "\(imported) is imported only in \(PlatformRoom.path)"
        }
        return fault.map { Finding(path: file.path, line: index + 1, what: $0) }
      }
    }
  }

  /// "Foundation" of "public import struct Foundation.Data"; nil where nothing is imported.
  static func importedModule(_ line: String) -> String? {
    var words = line.split { $0 == " " || $0 == "\t" }[...]
    while let first = words.first, first != "import" {
      guard
        first.hasPrefix("@") || ["public", "package", "internal", "fileprivate", "private"].contains(first)
      else { return nil }
      words = words.dropFirst()
    }
    words = words.dropFirst()
    if words.count > 1 { words = words.dropFirst() }
    return words.first?.split(separator: ".").first.map(String.init)
  }
}
