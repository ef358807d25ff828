// SPDX-License-Identifier: Apache-2.0

import DocumentExplorer
import InkElements
import LNote
import PageJournal
import PageJournalFaults
import Testing

@Suite struct EconomyTests {
  @Test func openingAndClosingAClosedDocumentWritesNothing() throws {
    let counting = CountingFileSystem(SimulatedFileSystem())
    let bench = Bench(counting)
    let ids = try bench.closedDocument(pages: 5, elements: 10)
    let before = try bench.image()
    counting.reset()
    let document = try bench.open()
    for id in ids { #expect(try document.page(id).report.verdict == .clean) }
    try document.sync()
    try document.close()
    let counts = counting.counts
    #expect(counts.bytesWritten == 0)
    for kind in [FileOperation.create, .write, .truncate, .rename, .remove, .createDirectory] {
      #expect(counts[kind] == 0, "\(kind)")
    }
    #expect(try bench.image() == before)
  }

  @Test func readingWithoutALockWritesAndCreatesNothing() throws {
    let counting = CountingFileSystem(SimulatedFileSystem())
    let bench = Bench(counting)
    let ids = try bench.closedDocument(pages: 2, elements: 1)
    do {
      let document = try bench.open()
      try #require(try document.page(ids[0]).page).add(1)
      try document.sync()
      document.abandon()
    }
    counting.reset()
    let inspection = try bench.inspect()
    #expect(inspection.inspect(ids[0]).view?.count == 2)
    #expect(counting.counts.mutatingCalls == 0)
    #expect(counting.counts[.lock] == 0)
  }

  private func stroke(_ random: inout SplitMix64) throws -> [UInt8] {
    var x = [Double.random(in: 0..<500, using: &random)]
    var y = [Double.random(in: 0..<700, using: &random)]
    for index in 0..<24 {
      x.append(x[index] + Double.random(in: -2..<2, using: &random))
      y.append(y[index] + Double.random(in: -2..<2, using: &random))
    }
    return try Stroke(width: 1.5, x: x, y: y).encoded()
  }

  @Test func afterAStrokeOnAPageOfTwoThousandAFewKilobytesAreWrittenUntilItIsClosed() throws {
    var random = SplitMix64(seed: 3)
    let counting = CountingFileSystem(SimulatedFileSystem())
    let bench = Bench(counting)
    let id = try bench.closedDocument(pages: 1)[0]
    do {
      let document = try bench.open()
      let page = try #require(try document.page(id).page)
      for _ in 0..<2000 {
        let payload = try stroke(&random)
        _ = try page.append(kind: InkKind.stroke, payload: payload.span)
      }
      try document.close()
    }
    let size = try bench.bytes("pages/\(id).content").count
    counting.reset()
    let document = try bench.open()
    let page = try #require(try document.page(id).page)
    #expect(page.count == 2000)
    let payload = try stroke(&random)
    let (_, ticket) = try page.append(kind: InkKind.stroke, payload: payload.span)
    try page.sync(ticket)
    try document.close()
    let counts = counting.counts
    let json = counting.counts(suffix: "json").bytesWritten + counting.counts(suffix: "tmp").bytesWritten
    print(
      "a stroke of \(payload.count) bytes on a page of \(size): \(counts.bytesWritten) bytes written,",
      "\(json) of them record and cache,",
      "\(counts[.synchronizeFile]) + \(counts[.synchronizeDirectory]) synchronisations")
    #expect(counts.bytesWritten < 8192)
    #expect(size > 8192)
    #expect(try bench.inspect().inspect(id).view?.count == 2001)
  }
}
