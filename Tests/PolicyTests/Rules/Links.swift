// SPDX-License-Identifier: Apache-2.0

/// A page that names a file of the repository names one that is there.
enum Links {
  static func findings(_ pages: [SourceFile], exists: (String) -> Bool) -> [Finding] {
    pages.flatMap { page in
      page.lines.enumerated().flatMap { index, line in
        line.ranges(of: "](").compactMap { range -> Finding? in
          let rest = line[range.upperBound...]
          guard let end = rest.firstIndex(of: ")") else { return nil }
          let target = rest[..<end].prefix { $0 != "#" }
          guard !target.isEmpty, !target.contains(":") else { return nil }
          let folder = page.parts.dropLast().map { $0 + "/" }.joined()
          guard !exists(folder + target) else { return nil }
          return Finding(path: page.path, line: index + 1, what: "\(target) is not there")
        }
      }
    }
  }
}
