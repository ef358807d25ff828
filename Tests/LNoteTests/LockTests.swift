// SPDX-License-Identifier: Apache-2.0

import DocumentExplorer
import Foundation
import LNote
import PageJournal
import PageJournalFaults
import Testing

@Suite struct LockTests {
  @Test func aSecondWriterIsRefusedAtOnceOrAfterItsWait() throws {
    var bench = Bench()
    try bench.closedDocument(pages: 1)
    let first = try bench.open()
    #expect(code { _ = try bench.open() } == .locked)
    let waited = Locked(Duration.zero)
    bench.environment.lockWait = .seconds(1)
    bench.environment.pause = { duration in waited.with { $0 += duration } }
    #expect(code { _ = try bench.open() } == .locked)
    #expect(waited.value == .seconds(1))
    // One that gets free while the other waits is taken.
    waited.with { $0 = .zero }
    bench.environment.pause = { duration in
      waited.with { $0 += duration }
      if waited.value >= .milliseconds(500) { try? first.close() }
    }
    let second = try bench.open()
    #expect(waited.value == .milliseconds(500))
    try second.close()
  }

  @Test func aDocumentThatIsLetGoWithoutACloseGivesTheLockBack() throws {
    let bench = Bench()
    try bench.closedDocument(pages: 1)
    do { _ = try bench.open() }
    try bench.open().close()
  }

  @Test func aFailedOpenGivesTheLockBack() throws {
    let system = SimulatedFileSystem(recordsEvents: false)
    let faulting = FaultingFileSystem(system)
    let bench = Bench(faulting)
    try bench.closedDocument(pages: 1, elements: 1)
    var failures = 0
    for call in 1...1000 {
      faulting.plan = [FaultRule(Set(FileOperation.allCases), call: call, effect: .error(.io))]
      let document = try? bench.open()
      let isFaulty = !faulting.fired.isEmpty
      faulting.plan = []
      if document == nil { failures += 1 }
      document?.abandon()
      #expect(throws: Never.self, "call \(call)") { try bench.open().close() }
      if !isFaulty { break }
    }
    #expect(failures > 5)
  }

  @Test func readingBesideALiveWriterShowsWhatIsWritten() throws {
    let bench = Bench()
    let document = try bench.create()
    let page = try document.addPage(width: 1, height: 1)
    try page.add(1)
    #expect(try bench.inspect().inspect(page.id).view?.count == 0)
    try page.write()
    let seen = try bench.inspect()
    #expect(seen.pages == [page.id])
    #expect(seen.unlisted == [])
    #expect(seen.inspect(page.id).view?.count == 1)
    #expect(seen.inspect(page.id).report.verdict == .leftOpen)
    try page.compact()
    #expect(try bench.inspect().inspect(page.id).report.verdict == .clean)
    try document.close()
  }

  @Test func readersBesideALiveWriterNeverSeeAPageThatNobodyListsOrAShorterList() async throws {
    let folder = NSTemporaryDirectory() + "lnote-" + UUID().uuidString.lowercased()
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/n.lnote"
    let document = try NoteDocument.create(at: path)
    let isDone = Locked(false)
    let hasEnded = Locked(false)
    let readings = Locked(0)
    let reader = Thread {
      while !isDone.value {
        if let seen = try? NoteInspection(path) {
          if case .failure(let error) = seen.record { Issue.record("\(error)") }
          for id in seen.pages {
            let report = seen.inspect(id).report
            // A page may be removed between the list and the look.
            let isListed = document.isListed(id)
            if isListed, report.verdict > .leftOpen { Issue.record("\(report)") }
          }
          readings.with { $0 += 1 }
        }
      }
      hasEnded.with { $0 = true }
    }
    reader.start()
    for round in 0..<30 {
      let page = try document.addPage(width: 1, height: 1)
      try page.add(UInt8(round))
      try page.sync()
      if round % 3 == 2 { try document.removePage(document.pages[0].id) }
      if round % 5 == 4 { try page.compact() }
    }
    while readings.value == 0 { await Task.yield() }
    isDone.with { $0 = true }
    // The folder goes at the end of this test.
    while !hasEnded.value { await Task.yield() }
    try document.close()
    #expect(try NoteInspection(path).unlisted == [])
  }

  @Test func callsFromManyThreadsNeitherDeadlockNorOpenAPageTwice() async throws {
    let folder = NSTemporaryDirectory() + "lnote-" + UUID().uuidString.lowercased()
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var environment = NoteEnvironment()
    environment.options.compactionThreshold = 512
    let path = folder + "/n.lnote"
    var ids: [PageID] = []
    do {
      let document = try NoteDocument.create(at: path, environment: environment)
      for _ in 0..<4 { ids.append(try document.addPage(width: 1, height: 1).id) }
      try document.close()
    }
    let document = try NoteDocument.open(path, environment: environment)
    let pages = ids
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<4 {
        group.addTask {
          for round in 0..<40 {
            let page = try #require(try document.page(pages[round % 4]).page)
            let payload = [UInt8](repeating: UInt8(worker), count: 64)
            let (_, ticket) = try page.append(kind: 200, payload: payload.span)
            if round % 8 == worker { try page.sync(ticket) }
            if round % 10 == worker { try document.setTitle("\(worker) \(round)") }
            if round % 16 == worker {
              let extra = try document.addPage(width: 1, height: 1)
              try document.movePage(extra.id, to: 0)
              try document.removePage(extra.id)
            }
            if round % 13 == worker { _ = try document.addAsset([1], type: "png") }
          }
        }
      }
      try await group.waitForAll()
    }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<3 { group.addTask { try? document.close() } }
    }
    let inspection = try NoteInspection(path)
    #expect(inspection.pages == ids)
    #expect(inspection.unlisted == [])
    var count = 0
    for id in ids {
      let opened = inspection.inspect(id)
      #expect(opened.report.verdict == .clean)
      count += opened.view?.count ?? 0
    }
    #expect(count == 160)
  }

  @Test func aClosedDocumentRefusesEverythingAndClosesTwice() throws {
    let bench = Bench()
    let ids = try bench.closedDocument(pages: 1, elements: 1)
    let document = try bench.open()
    let page = try #require(try document.page(ids[0]).page)
    try document.close()
    try document.close()
    #expect(code { _ = try document.page(ids[0]) } == .closed)
    #expect(code { _ = try document.addPage(width: 1, height: 1) } == .closed)
    #expect(code { try document.removePage(ids[0]) } == .closed)
    #expect(code { try document.setTitle("x") } == .closed)
    #expect(code { _ = try document.addAsset([1], type: "png") } == .closed)
    #expect(code { try page.add(1) } == .closed)
    #expect(page.count == 1)
  }
}
