// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// What the pages for people say about the repository.
@Suite struct DocumentPolicies {
  private static let pages = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SPEC.md"]

  @Test func linksLeadSomewhere() throws {
    let pages = try Self.pages.map { SourceFile(path: $0, text: try #require(Repository.text($0), "\($0)")) }
    let findings = Links.findings(pages) { path in
      FileManager.default.fileExists(atPath: Repository.root.appendingPathComponent(path).path)
    }
    #expect(findings.isEmpty, "\(findings.listed)")
    let sample = SourceFile(
      path: "docs/a.md", text: "[a](b.md) [c](#d) [e](https://example.org) [f](../g.md#h)")
    #expect(Links.findings([sample]) { $0 == "docs/b.md" }.map(\.what) == ["../g.md is not there"])
  }

  /// The program whose size is measured is what the README shows: so the example compiles, and it runs.
  @Test func theExampleOfTheReadmeIsTheProgramThatIsBuilt() throws {
    let readme = try #require(Repository.text("README.md"))
    let program = try #require(Repository.text("Tests/Fixtures/LinkSize/Sources/WithEngine/main.swift"))
    let start = try #require(program.range(of: "import PageJournal"))
    #expect(readme.contains("```swift\n" + program[start.lowerBound...] + "```"))
  }

  /// `Scripts/test` builds and runs the snippet; the page shows just that.
  @Test func theCrashTestOfThePageIsTheSnippet() throws {
    let page = try #require(Repository.text("docs/crash-testing.md"))
    let snippet = try #require(Repository.text("Snippets/CrashTestYourApp.swift"))
    let shown = try #require(
      snippet.components(separatedBy: "// snippet.show\n").last?.components(separatedBy: "// snippet.hide")
        .first)
    #expect(page.contains("```swift\nimport PageJournal\nimport PageJournalFaults\n\n\(shown)```"))
  }
}
