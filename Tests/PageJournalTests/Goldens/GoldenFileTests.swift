// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import PageJournal

/// The golden files beside this source: made once, read for ever. A change of the format shows here first.
///
/// `PAGEJOURNAL_WRITE_GOLDENS=1 swift test --filter GoldenFileTests` writes them anew, for a change that is meant.
@Suite struct GoldenFileTests {
  private static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Files")

  private func url(_ golden: String, _ name: String) -> URL {
    Self.directory.appendingPathComponent(golden).appendingPathComponent(name)
  }

  /// What a reader has to find, as text.
  private func expectation(_ files: PageFiles) -> String {
    let found = Recovery(files)
    let page = PlainPage(found.state)
    func base64(_ bytes: [UInt8]) -> String { "\"" + Data(bytes).base64EncodedString() + "\"" }
    let attributes = page.attributes.keys.sorted().map {
      "    \"\($0)\": \(base64(page.attributes[$0] ?? []))"
    }
    let elements = page.items.map {
      "    {\"id\": \($0.id), \"kind\": \($0.kind), \"payload\": \(base64($0.payload))}"
    }
    return """
      {
        "page": "\(files.page)",
        "verdict": "\(found.report.verdict.rawValue)",
        "generation": \(found.generation),
        "commit": \(page.commit),
        "nextID": \(page.nextID),
        "framesApplied": \(found.report.framesApplied),
        "bytesSetAside": \(found.report.bytesSetAside),
        "attributes": {
      \(attributes.joined(separator: ",\n"))
        },
        "elements": [
      \(elements.joined(separator: ",\n"))
        ]
      }

      """
  }

  private func committed(_ golden: Golden) throws -> Golden {
    var found = golden
    found.files = [:]
    let directory = Self.directory.appendingPathComponent(golden.name).path
    for name in try FileManager.default.contentsOfDirectory(atPath: directory) where name != "expected.json" {
      found.files[name] = [UInt8](try Data(contentsOf: url(golden.name, name)))
    }
    return found
  }

  @Test func theFilesAreWhatTheEngineWritesToday() throws {
    let isWriting = ProcessInfo.processInfo.environment["PAGEJOURNAL_WRITE_GOLDENS"] == "1"
    for golden in try GoldenMaker.all() {
      if isWriting {
        let directory = Self.directory.appendingPathComponent(golden.name)
        try? FileManager.default.removeItem(at: directory)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        for (name, bytes) in golden.files { try Data(bytes).write(to: url(golden.name, name)) }
        try Data(expectation(golden.pageFiles).utf8).write(to: url(golden.name, "expected.json"))
      }
      let found = try committed(golden)
      #expect(found.files.keys.sorted() == golden.files.keys.sorted(), "\(golden.name)")
      // How a deflated block comes out is the business of the zlib at hand; that it is read is not.
      if golden.name != "closed-deflated" {
        for (name, bytes) in golden.files { #expect(found.files[name] == bytes, "\(golden.name)/\(name)") }
      }
    }
  }

  @Test func theFilesAreReadAsTheyWereMeant() throws {
    let verdicts: [String: Verdict] = [
      "closed": .clean, "closed-deflated": .clean, "left-open": .leftOpen, "two-journals": .leftOpen,
      "torn-tail": .tornTail, "merge-cut-off": .leftOpen,
    ]
    for made in try GoldenMaker.all() {
      let golden = try committed(made)
      let recovery = Recovery(golden.pageFiles)
      #expect(recovery.report.verdict == verdicts[golden.name], "\(golden.name)")
      let text = try String(contentsOf: url(golden.name, "expected.json"), encoding: .utf8)
      #expect(expectation(golden.pageFiles) == text, "\(golden.name)")
      let json = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
      #expect((json?["elements"] as? [Any])?.count == recovery.state.count)
      let last = golden.history.count - (golden.name == "torn-tail" ? 2 : 1)
      #expect(PlainPage(recovery.state) == golden.history[last], "\(golden.name)")
      // As a program reads them: from the disk.
      let directory = Self.directory.appendingPathComponent(golden.name).path
      let opened = try PageInspector.inspect(golden.page, in: directory)
      #expect(opened.report == recovery.report)
      #expect(try WritableOpen.complaint(golden.pageFiles) == nil, "\(golden.name)")
    }
  }

  @Test func theFilesHoldWhatTheirNamesSay() throws {
    let all = Dictionary(uniqueKeysWithValues: try GoldenMaker.all().map { ($0.name, $0) })
    func frames(_ golden: String, _ name: (Golden) -> String?) throws -> [Frame] {
      let golden = try #require(all[golden])
      let name = try #require(name(golden))
      return FrameListing(try #require(golden.files[name])).frames
    }
    let closed = try frames("closed") { $0.snapshotName }
    #expect(closed.count { $0.type == .end } == 3)
    #expect(closed.contains { $0.type == .takeOut })
    #expect(closed.contains { $0.type == .attributes })
    #expect(try frames("closed-deflated") { $0.snapshotName }.count { $0.type == .end } == 3)
    let open = try frames("left-open") { $0.journalNames.first }
    #expect(open.count { $0.isMarked } >= 5)
    #expect(open.contains { $0.type == .mark })
    #expect(Set(open.compactMap(\.type)).isSuperset(of: FrameType.allCases.filter(\.isCommit)))
    #expect(all["two-journals"]?.journalNames.count == 2)
    for index in 0...1 {
      #expect(try frames("two-journals") { $0.journalNames[index] }.count { $0.isMarked } >= 2)
    }
    #expect(all["merge-cut-off"]?.journalNames.count == 2)
  }
}
