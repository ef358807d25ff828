// SPDX-License-Identifier: Apache-2.0

/// A file that has grown long has more than one job.
enum FileLength {
  static let limit = 400

  static func findings(_ files: [SourceFile]) -> [Finding] {
    files.filter { $0.lines.count > limit }.map {
      Finding(path: $0.path, line: limit + 1, what: "\($0.lines.count) lines, \(limit) are allowed")
    }
  }
}
