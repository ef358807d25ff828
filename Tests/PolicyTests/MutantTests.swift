// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The bugs that `crash-fuzz mutants` switches on are in no build but its own.
@Suite struct Mutants {
  private static let list = "Sources/PageJournal/Bytes/Mutant.swift"

  /// `case someBug = "some-bug"`.
  private static func names(in text: String) -> [String] {
    text.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
      return parts.count == 3 && line.contains("case ") ? String(parts[1]) : nil
    }
  }

  private static func found(_ names: [String], in bytes: Data) -> [String] {
    names.filter { bytes.range(of: Data($0.utf8)) != nil }
  }

  @Test func theirNamesAreLongEnoughToBeLookedFor() throws {
    let text = try String(contentsOf: Repository.root.appending(path: Self.list), encoding: .utf8)
    let names = Self.names(in: text)
    #expect(names.count >= 30)
    #expect(Set(names).count == names.count)
    // Shorter texts are part of the instructions of a program, where nobody finds them.
    #expect(names.filter { $0.utf8.count < 16 }.isEmpty)
    // What the next test looks for can be found.
    #expect(Self.found(names, in: Data(text.utf8)) == names)
    #expect(Self.found(["this-one-does-not-exist"], in: Data(text.utf8)).isEmpty)
  }

  @Test func everyPlaceOfOneIsOnlyCompiledForThem() {
    var depth = 0
    for file in Repository.sources where file.path.hasPrefix("Sources/") {
      depth = 0
      for (index, line) in file.code.enumerated() {
        let words = line.identifiers
        if line.contains("#if") { depth = depth > 0 || words.contains("Mutants") ? depth + 1 : 0 }
        if line.contains("#endif") { depth = max(0, depth - 1) }
        #expect(
          depth > 0 || !words.contains("Mutant"), "\(file.path):\(index + 1) names a mutant in every build")
      }
    }
  }

  /// `lnote` as it was built for the tests of the command line: these very tests, beside them.
  @Test func noneIsInWhatIsShipped() throws {
    let text = try String(contentsOf: Repository.root.appending(path: Self.list), encoding: .utf8)
    let places = [Bundle.main.executablePath ?? "", CommandLine.arguments.first ?? ""].map {
      URL(filePath: $0).deletingLastPathComponent().appending(path: "lnote")
    }
    let program = try #require(
      places.lazy.compactMap { try? Data(contentsOf: $0) }.first, "no lnote beside the tests")
    try Self.requireNone(in: program)
    #expect(Self.found(Self.names(in: text), in: program + Data(text.utf8)).count >= 30)
  }

  /// - Parameter program: a program that uses the engine.
  static func requireNone(in program: Data) throws {
    let text = try String(contentsOf: Repository.root.appending(path: list), encoding: .utf8)
    // A text of the engine: where that is not found, nothing else would be either.
    try #require(
      found(["another process or another part of this one is writing here"], in: program).count == 1)
    #expect(found(names(in: text), in: program) == [])
  }
}
