// SPDX-License-Identifier: Apache-2.0

import DocumentExplorer
import PageJournal
import PageJournalFaults
import Testing

#if DEBUG
  @testable import LNote
#else
  import LNote
#endif

@Suite struct FloorTests {
  @Test func aMergeRaisesTheFloorInTheRecord() throws {
    let bench = Bench()
    let document = try bench.create()
    let page = try document.addPage(width: 1, height: 1)
    try page.add(1)
    try page.sync()
    #expect(document.pages[0].floor == PageFloor(generation: 1, commit: 0))
    try page.compact()
    #expect(document.pages[0].floor == PageFloor(generation: 2, commit: 1))
    #expect(document.pages[0].elements == 1)
    // It is on disk already, without a close.
    guard case .success(let record) = try bench.inspect().record else {
      Issue.record("no record")
      return
    }
    #expect(record.pages[0].floor == PageFloor(generation: 2, commit: 1))
    try document.close()
  }

  @Test func askingAgainForAPageThatWasRecoveredDoesNotRaiseTheFloorAboveItsSnapshot() throws {
    let system = SimulatedFileSystem()
    let bench = Bench(system)
    let ids = try bench.closedDocument(pages: 1, elements: 2)
    do {
      let document = try bench.open()
      try #require(try document.page(ids[0]).page).add(9)
      try document.sync()
      document.abandon()
    }
    let document = try bench.open()
    let page = try #require(try document.page(ids[0]).page)
    #expect(page.report.verdict == .leftOpen)
    try page.add(10)
    try page.sync()
    _ = try document.page(ids[0])
    try document.setTitle("saved")
    // Power cut with the journal still there.
    let after = Bench(SimulatedFileSystem.restart(from: system.durableImage()))
    let found = try after.inspect().inspect(ids[0])
    #expect(found.report.verdict == .leftOpen)
    #expect(found.view?.count == 4)
    document.abandon()
  }

  #if DEBUG
    @Test func aFloorNeverFallsWhenMergesAreReportedLate() throws {
      let bench = Bench()
      let document = try bench.create()
      let page = try document.addPage(width: 1, height: 1)
      try page.add(1)
      try page.compact()
      try page.add(1)
      try page.compact()
      let highest = document.pages[0].floor
      #expect(highest == PageFloor(generation: 3, commit: 2))
      document.noteMerge(page.id, PageFloor(generation: 2, commit: 1))
      #expect(document.pages[0].floor == highest)
      try document.close()
    }
  #endif

  @Test func aPageFileReplacedByAnOlderCopyIsADamagedSnapshotAndTheOthersAreFine() throws {
    let bench = Bench()
    let ids = try bench.closedDocument(pages: 3, elements: 1)
    let name = "pages/\(ids[1]).content"
    let old = try bench.bytes(name)
    do {
      let document = try bench.open()
      for id in ids { try #require(try document.page(id).page).add(7) }
      try document.close()
    }
    let new = try bench.bytes(name)
    try bench.put(old, name)
    #expect(try bench.inspect().inspect(ids[1]).report.verdict == .damagedSnapshot)
    let document = try bench.open()
    let opened = try document.page(ids[1])
    #expect(opened.report.verdict == .damagedSnapshot)
    #expect(opened.page == nil)
    #expect(opened.view?.count == 1)
    for id in [ids[0], ids[2]] {
      let page = try #require(try document.page(id).page)
      #expect(page.report.verdict == .clean)
      #expect(page.count == 2)
    }
    try document.close()
    #expect(try bench.bytes(name) == old)
    try bench.put(new, name)
    #expect(try bench.inspect().inspect(ids[1]).report.verdict == .clean)
  }

  @Test func aPageTakenAsItIsUnderThePolicyDropIsNotDamagedAgainAfterACrash() throws {
    let system = SimulatedFileSystem()
    var bench = Bench(system)
    let ids = try bench.closedDocument(pages: 1, elements: 1)
    let name = "pages/\(ids[0]).content"
    let old = try bench.bytes(name)
    for _ in 0..<3 {
      let document = try bench.open()
      try #require(try document.page(ids[0]).page).add(7)
      try document.close()
    }
    try bench.put(old, name)
    bench.environment.options.policy = .drop
    let document = try bench.open()
    let page = try #require(try document.page(ids[0]).page)
    #expect(page.report.verdict == .damagedSnapshot)
    #expect(page.count == 1)
    let after = Bench(SimulatedFileSystem.restart(from: system.durableImage()))
    #expect(try after.inspect().inspect(ids[0]).report.verdict == .clean)
    try page.add(1)
    try document.close()
    #expect(try bench.inspect().inspect(ids[0]).report.verdict == .clean)
  }

  @Test func aMissingPageFileIsADamagedSnapshotAndStaysInTheList() throws {
    let bench = Bench()
    let ids = try bench.closedDocument(pages: 2, elements: 1)
    try bench.fileSystem.remove("\(bench.path)/pages/\(ids[0]).content")
    let inspection = try bench.inspect()
    #expect(inspection.pages == ids)
    #expect(inspection.inspect(ids[0]).report.verdict == .damagedSnapshot)
    for _ in 0..<2 {
      let document = try bench.open()
      let opened = try document.page(ids[0])
      #expect(opened.report.verdict == .damagedSnapshot)
      #expect(opened.view == nil)
      #expect(try document.page(ids[1]).report.verdict == .clean)
      #expect(document.pages.map(\.id) == ids)
      try document.setTitle("another")
      try document.movePage(ids[0], to: 1)
      try document.movePage(ids[0], to: 0)
      try document.close()
    }
    #expect(try bench.names("pages") == ["\(ids[1]).content"])
  }
}
