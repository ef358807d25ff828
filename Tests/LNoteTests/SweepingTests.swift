// SPDX-License-Identifier: Apache-2.0

import DocumentExplorer
import LNote
import PageJournal
import PageJournalFaults
import Testing

/// What a writable open removes, finishes, reports and leaves alone.
@Suite struct SweepingTests {
  let bench = Bench()

  /// Takes pages out of the record, as if it had been saved before they were added.
  private func unlist(_ ids: [PageID]) throws {
    var keys = try #require(JSON(parsing: try bench.bytes("document.json"))?.object)
    keys["pages"] = .array(
      (keys["pages"]?.array ?? []).filter { page in
        !ids.contains { $0.description == page["id"]?.string }
      })
    try bench.put(JSON.object(keys).text(pretty: true), "document.json")
  }

  @Test func anUnlistedPageWithContentIsReportedAndKept() throws {
    let ids = try bench.closedDocument(pages: 2, elements: 1)
    try unlist([ids[0]])
    let file = try bench.bytes("pages/\(ids[0]).content")
    #expect(try bench.inspect().unlisted == [ids[0]])
    for _ in 0..<2 {
      let document = try bench.open()
      #expect(document.unlisted == [ids[0]])
      #expect(document.pages.map(\.id) == [ids[1]])
      #expect(code { _ = try document.page(ids[0]) } == .notFound)
      #expect(code { try document.removePage(ids[0]) } == .notFound)
      try document.setTitle("another")
      try document.close()
    }
    #expect(try bench.bytes("pages/\(ids[0]).content") == file)
    #expect(try bench.inspect().inspect(ids[0]).view?.count == 1)
  }

  @Test func theRestOfACreationIsRemoved() throws {
    let ids = try bench.closedDocument(pages: 2)
    try unlist([ids[0]])
    let document = try bench.open()
    #expect(document.unlisted == [])
    try document.close()
    #expect(try bench.names("pages") == ["\(ids[1]).content"])
  }

  @Test func anUnlistedPageOfCommitZeroIsKeptWhenItHasAnotherFileOrIsDamaged() throws {
    let ids = try bench.closedDocument(pages: 3)
    try unlist(ids)
    let journal = "\(ids[0]).1.journal"
    try bench.put([], "pages/\(journal)")
    try bench.put([1, 2, 3], "pages/\(ids[1]).1.0.quarantine")
    var bytes = try bench.bytes("pages/\(ids[2]).content")
    bytes[bytes.count - 1] ^= 1
    try bench.put(bytes, "pages/\(ids[2]).content")
    let names = try bench.names("pages")
    let document = try bench.open()
    #expect(document.unlisted == ids.sorted())
    try document.close()
    #expect(try bench.names("pages") == names)
  }

  @Test func aRemovalThatWasCutOffIsFinished() throws {
    let system = SimulatedFileSystem()
    let bench = Bench(system)
    let ids = try bench.closedDocument(pages: 3, elements: 1)
    let states = Locked<[Image]>([])
    system.observeSyncs { system, _ in
      let image = system.kill()
      states.with { $0.append(image) }
    }
    let document = try bench.open()
    try #require(try document.page(ids[1]).page).add(1)
    try document.sync()
    try document.removePage(ids[1])
    system.observeSyncs(nil)
    var listed = 0
    var removed = 0
    for image in states.value {
      let after = Bench(SimulatedFileSystem.restart(from: image), seed: 4)
      let document = try after.open()
      try document.close()
      if document.pages.map(\.id) == ids {
        listed += 1
        continue
      }
      removed += 1
      #expect(document.pages.map(\.id) == [ids[0], ids[2]])
      #expect(document.record.removed == [])
      #expect(try after.names("pages") == [ids[0], ids[2]].map { "\($0).content" }.sorted())
      #expect(try !after.text("document.json").contains("removed"))
    }
    #expect(listed > 2)
    #expect(removed > 5)
    document.abandon()
  }

  @Test func filesOfOtherProgramsAreLeftAloneAndIgnored() throws {
    let ids = try bench.closedDocument(pages: 1, elements: 1)
    let asset: PageID
    do {
      let document = try bench.open()
      asset = try document.addAsset([1, 2], type: "png")
      try document.close()
    }
    let upper = ids[0].description.uppercased()
    let foreign = [
      ".DS_Store", "Icon\r", "pages/.DS_Store", "pages/\(ids[0]) 2.content", "pages/\(ids[0]).content 2",
      "pages/\(ids[0]).sync-conflict-20250101-120000-ABCDEFG.content", "pages/\(upper)A.content",
      "pages/\(ids[0]).01.journal", "pages/x.content", "pages/.content", "pages/\(ids[0]).content.bak",
      "pages/\(ids[0]).1.journal~", "assets/.DS_Store", "assets/\(asset) 2.png",
      "assets/\(asset).sync-conflict.png", "assets/\(asset).PNG", "assets/other.tmp", "thumbnails/a.tmp",
      "assets/\(asset)", "document 2.json", "document.sync-conflict.json",
    ]
    for name in foreign { try bench.put([7], name) }
    let before = try bench.image()
    let inspection = try bench.inspect()
    #expect(inspection.pages == ids)
    #expect(inspection.unlisted == [])
    #expect(inspection.inspect(ids[0]).report.verdict == .clean)
    #expect(inspection.assetName(asset) == "\(asset).png")
    #expect(try inspection.asset(asset).bytes == [1, 2])
    let document = try bench.open()
    #expect(document.unlisted == [])
    #expect(try document.page(ids[0]).report.verdict == .clean)
    try document.close()
    #expect(try bench.image() == before)
    let again = try bench.open()
    try #require(try again.page(ids[0]).page).add(1)
    try again.close()
    for name in foreign { #expect(try bench.bytes(name) == [7], "\(name)") }
  }

  @Test func aPackageWhoseEmptyFoldersWereLeftOutIsStillADocument() throws {
    let ids = try bench.closedDocument(pages: 0)
    #expect(ids == [])
    for folder in ["pages", "assets", "thumbnails"] {
      try bench.fileSystem.removeDirectory("\(bench.path)/\(folder)")
    }
    let document = try bench.open()
    let page = try document.addPage(width: 1, height: 1)
    let asset = try document.addAsset([1], type: "png")
    try document.close()
    let inspection = try bench.inspect()
    #expect(inspection.inspect(page.id).report.verdict == .clean)
    #expect(try inspection.asset(asset).bytes == [1])
  }

  @Test func whatIsNoPackageIsRefusedAndLeftAlone() throws {
    let system = SimulatedFileSystem()
    let bench = Bench(system)
    #expect(code { _ = try bench.open() } == .notFound)
    try system.createDirectory(bench.path)
    #expect(code { _ = try bench.open() } == .wrongKind)
    #expect(code { _ = try bench.inspect() } == .wrongKind)
    #expect(try system.names(in: bench.path) == [])
    try system.removeDirectory(bench.path)
    try Image([bench.path: [1]]).export(to: system, at: "")
    #expect(code { _ = try bench.open() } == .wrongKind)
    #expect(code { _ = try bench.inspect() } == .wrongKind)
  }
}
