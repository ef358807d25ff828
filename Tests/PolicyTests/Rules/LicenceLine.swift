// SPDX-License-Identifier: Apache-2.0

/// Every file of ours says its licence in its first line; only what has to come before it may.
enum LicenceLine {
  static let text = "SPDX-License-Identifier: Apache-2.0"

  static func findings(_ files: [SourceFile]) -> [Finding] {
    files.compactMap { file in
      let head = file.lines.prefix(2)
      let isFirstTaken =
        head.first.map { $0.hasPrefix("#!") || $0.hasPrefix("// swift-tools-version") } ?? false
      let line = isFirstTaken ? head.dropFirst().first : head.first
      guard let line, line.drop(while: { $0 == "/" || $0 == "#" }) == " " + text else {
        return Finding(path: file.path, line: isFirstTaken ? 2 : 1, what: "“\(text)” has to stand here")
      }
      return nil
    }
  }
}
