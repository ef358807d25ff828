// SPDX-License-Identifier: Apache-2.0

import Foundation
import FuzzEntries
import Testing

/// What the fuzzers have found so far, and what they begin with, through the same doors.
@Suite struct FuzzCaseTests {
  private static let folder = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../Fuzz")
    .standardizedFileURL

  private static func files(_ kind: String, _ target: String) -> [URL] {
    let place = folder.appendingPathComponent("\(kind)/\(target)")
    let found = try? FileManager.default.contentsOfDirectory(at: place, includingPropertiesForKeys: nil)
    return (found ?? []).sorted { $0.path < $1.path }
  }

  @Test(arguments: FuzzTarget.all.map(\.name))
  func everyCaseThatOnceFailedAndEverySeedKeepsTheProperties(_ name: String) throws {
    let target = try #require(FuzzTarget.all.first { $0.name == name })
    let files = Self.files("FailCases", name) + Self.files("Corpora", name)
    #expect(files.count > 0, "\(name) has neither a case nor a seed")
    for file in files {
      do {
        try target.check([UInt8](try Data(contentsOf: file)))
      } catch {
        Issue.record("\(file.path): \(error)")
      }
    }
  }

  @Test func everyFolderIsATarget() throws {
    let names = Set(FuzzTarget.all.map(\.name))
    for kind in ["FailCases", "Corpora"] {
      let found = try FileManager.default.contentsOfDirectory(
        at: Self.folder.appendingPathComponent(kind), includingPropertiesForKeys: nil
      ).filter(\.hasDirectoryPath).map(\.lastPathComponent)
      #expect(Set(found).isSubset(of: names), "\(kind)")
    }
    let dictionaries = try FileManager.default.contentsOfDirectory(
      at: Self.folder.appendingPathComponent("Dictionaries"), includingPropertiesForKeys: nil
    ).map { $0.deletingPathExtension().lastPathComponent }
    #expect(Set(dictionaries).isSubset(of: names), "Dictionaries")
  }

  @Test func aBrokenPropertyIsThrown() {
    let broken = FuzzTarget("broken", "for this test") { bytes in
      try require(bytes.isEmpty, "there are \(bytes.count) bytes")
    }
    #expect(throws: Never.self) { try broken.check([]) }
    #expect(throws: BrokenProperty.self) { try broken.check([1]) }
  }
}
