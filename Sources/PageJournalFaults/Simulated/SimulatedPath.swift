// SPDX-License-Identifier: Apache-2.0

/// Paths of the simulated file systems: "/" is the root and also the working directory.
enum SimulatedPath {
  /// The components of a path: empty ones and "." dropped, ".." resolved (there are no links that could mislead
  /// it); nil for an empty path, which names nothing.
  static func components(_ path: String) -> [String]? {
    guard !path.isEmpty else { return nil }
    var parts: [String] = []
    for part in path.utf8.split(separator: UInt8(ascii: "/")) {
      let name = String(Substring(part))
      switch name {
      case ".": continue
      case "..": _ = parts.popLast()
      default: parts.append(name)
      }
    }
    return parts
  }

  /// The one spelling that images use: absolute, without doubled or trailing separators.
  static func normalised(_ path: String) -> String {
    "/" + (components(path) ?? []).joined(separator: "/")
  }
}
