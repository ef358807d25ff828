// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The files of this repository, as the rules see them.
enum Repository {
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().standardizedFileURL

  /// Every Swift file, by its path from the root, "/" between the parts. Builds are left out.
  static let swiftFiles: [SourceFile] = files { $0.hasSuffix(".swift") }

  /// Swift files of the modules.
  static let sources: [SourceFile] = swiftFiles.filter { $0.path.hasPrefix("Sources/") }

  /// Every file that is a script, by its name or its first line.
  static let scripts: [SourceFile] = files { path in
    let name = path.split(separator: "/").last ?? ""
    return path.hasPrefix(".ci/") || path.hasPrefix("Scripts/") || name.hasSuffix(".sh")
      || name.hasSuffix(".py") || name.hasSuffix(".awk")
  }

  /// Headers and other C files.
  static let cFiles: [SourceFile] = files { $0.hasSuffix(".h") || $0.hasSuffix(".c") }

  /// The text of one file; nil when there is none.
  static func text(_ path: String) -> String? {
    (try? Data(contentsOf: root.appendingPathComponent(path))).map { String(decoding: $0, as: UTF8.self) }
  }

  private static let places = [
    "Package.swift", "Sources", "Tests", "Scripts", ".ci", "Benchmarks", "Fuzz", "Snippets",
  ]

  private static func files(where isWanted: (String) -> Bool) -> [SourceFile] {
    var found: [String] = []
    for place in places { collect(place, into: &found) }
    return found.filter(isWanted).sorted().compactMap { path in
      text(path).map { SourceFile(path: path, text: $0) }
    }
  }

  private static func collect(_ path: String, into found: inout [String]) {
    let full = root.appendingPathComponent(path).path
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: full, isDirectory: &isDirectory) else { return }
    guard isDirectory.boolValue else {
      found.append(path)
      return
    }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: full)) ?? []
    for name in names where name != ".build" && name != ".swiftpm" {
      collect(path + "/" + name, into: &found)
    }
  }
}
