// SPDX-License-Identifier: Apache-2.0

import DocumentExplorer
import LNote
import PageJournal
import PageJournalFaults
import Testing

@Suite struct RecordTests {
  private let page = "11111111-2222-4333-8444-555555555555"

  /// A record with keys that this version does not know, at every level, in a layout that it would not write.
  private func foreign(_ id: String) -> String {
    """
    {"zeta" : [1, {"deep" : null}], "schema":1, "title": "t", "id":"\(page)", "factor": 0.1,
     "created":5,"modified":6,"large":9007199254740993,
     "pages":[{"id":"\(id)", "width":10.5,"height":20, "created":1, "modified":2,
       "elements":0,"generation":1,"commit":0,"paper":{"lines":7.25,"name":"Ü\\n/"}}]}
    """
  }

  @Test func unknownKeysSurviveASaveAtEveryLevel() throws {
    let bench = Bench()
    let id = try bench.closedDocument(pages: 1)[0]
    try bench.put([UInt8](foreign(id.description).utf8), "document.json")
    let document = try bench.open()
    try document.setTitle("new")
    try document.close()
    let json = try #require(JSON(parsing: try bench.bytes("document.json")))
    #expect(json["title"] == .string("new"))
    #expect(json["zeta"] == .array([.integer(1), .object(["deep": .null])]))
    #expect(json["large"] == .integer(9_007_199_254_740_993))
    #expect(json["factor"] == .number(0.1))
    let page = try #require(json["pages"]?.array?.first)
    #expect(page["width"] == .number(10.5))
    #expect(page["paper"] == .object(["lines": .number(7.25), "name": .string("Ü\n/")]))
  }

  @Test func aRecordInAnotherLayoutIsLeftAloneByOpenAndClose() throws {
    let bench = Bench()
    let id = try bench.closedDocument(pages: 1)[0]
    try bench.put([UInt8](foreign(id.description).utf8), "document.json")
    try bench.open().close()
    #expect(try bench.text("document.json") == foreign(id.description))
  }

  @Test func aChangeToTheSameValueWritesNothing() throws {
    let system = SimulatedFileSystem()
    let bench = Bench(system)
    let ids = try bench.closedDocument(pages: 2)
    let document = try bench.open()
    let before = system.eventCount
    try document.setTitle("t")
    try document.movePage(ids[1], to: 1)
    try document.setPageSize(ids[0], width: 100, height: 200)
    #expect(system.eventCount == before)
    try document.close()
    #expect(system.eventCount == before)
  }

  /// Opens a document with these bytes as its record and checks that nothing is lost or overwritten.
  private func checkUnreadable(
    _ bytes: [UInt8]?, _ code: StorageError.Code, _ what: String, writesPages: Bool = true
  ) throws {
    let bench = Bench()
    let ids = try bench.closedDocument(pages: 2, elements: 1).sorted()
    if let bytes {
      try bench.put(bytes, "document.json")
    } else {
      try bench.fileSystem.remove("\(bench.path)/document.json")
    }
    let inspection = try bench.inspect()
    guard case .failure(let failure) = inspection.record else {
      Issue.record("\(what): was read")
      return
    }
    #expect(failure.code == code, "\(what): \(failure)")
    #expect(inspection.pages == ids, "\(what)")
    let before = try bench.image()
    let document = try bench.open()
    #expect(document.obstacle?.code == code, "\(what)")
    #expect(document.pages.map(\.id) == ids, "\(what)")
    for id in ids { #expect(try document.page(id).view?.count == 1, "\(what)") }
    #expect(DocumentExplorer.code { _ = try document.addPage(width: 1, height: 1) } == .readOnly, "\(what)")
    #expect(DocumentExplorer.code { try document.removePage(ids[0]) } == .readOnly, "\(what)")
    #expect(DocumentExplorer.code { try document.movePage(ids[0], to: 1) } == .readOnly, "\(what)")
    #expect(DocumentExplorer.code { try document.setTitle("x") } == .readOnly, "\(what)")
    #expect(DocumentExplorer.code { _ = try document.addAsset([1], type: "png") } == .readOnly, "\(what)")
    try document.sync()
    #expect(try bench.image() == before, "\(what)")
    if writesPages {
      try #require(try document.page(ids[0]).page).add(5)
      try document.sync()
    } else {
      #expect(try document.page(ids[0]).page == nil, "\(what)")
    }
    try document.close()
    #expect((try? bench.bytes("document.json")) == bytes, "\(what)")
    #expect(try bench.inspect().inspect(ids[0]).view?.count == (writesPages ? 2 : 1), "\(what)")
  }

  @Test func aRecordCutAtAnyByteIsNeverOverwrittenAndItsPagesAreOffered() throws {
    let bench = Bench()
    try bench.closedDocument(pages: 2, elements: 1)
    let whole = try bench.bytes("document.json")
    // Without its last byte, a line end, it is whole.
    for length in 0..<whole.count - 1 {
      try checkUnreadable(Array(whole[0..<length]), .damaged, "\(length) bytes")
    }
    for length in [1, 64, whole.count] {
      try checkUnreadable([UInt8](repeating: 0, count: length), .damaged, "\(length) zeros")
    }
    for cut in stride(from: 8, to: whole.count, by: 41) {
      var bytes = whole
      for index in cut..<whole.count { bytes[index] = 0 }
      try checkUnreadable(bytes, .damaged, "zeros from \(cut)")
    }
  }

  @Test func aRecordThatIsNoneIsNeverOverwritten() throws {
    let other = "99999999-2222-4333-8444-555555555555"
    let damaged = [
      "[]", "null", "\"x\"", "{}", "{\"schema\":1}",
      "{\"schema\":\"1\",\"id\":\"\(page)\",\"pages\":[]}",
      "{\"schema\":0,\"id\":\"\(page)\",\"pages\":[]}",
      "{\"schema\":1,\"pages\":[]}", "{\"schema\":1,\"id\":\"\(page)\"}",
      "{\"schema\":1,\"id\":\"\(page.uppercased())A\",\"pages\":[]}",
      "{\"schema\":1,\"id\":\"\(page)\",\"pages\":{}}",
      "{\"schema\":1,\"id\":\"\(page)\",\"pages\":[7]}",
      "{\"schema\":1,\"id\":\"\(page)\",\"pages\":[{}]}",
      "{\"schema\":1,\"id\":\"\(page)\",\"title\":7,\"pages\":[]}",
      "{\"schema\":1,\"id\":\"\(page)\",\"pages\":[],\"removed\":\"\(other)\"}",
      "{\"schema\":1,\"id\":\"\(page)\",\"pages\":[],\"removed\":[\"../\(other)\"]}",
      "{\"schema\":1,\"id\":\"\(page)\",\"pages\":[{\"id\":\"\(other)\",\"generation\":\"9\"}]}",
      "{\"schema\":1,\"id\":\"\(page)\",\"pages\":[{\"id\":\"\(other)\"}],\"removed\":[\"\(other)\"]}",
      // The same page twice.
      "{\"schema\":1,\"id\":\"\(page)\",\"pages\":[{\"id\":\"\(other)\"},{\"id\":\"\(other)\"}]}",
      // Ids that are paths, upper-case, or longer.
      "{\"schema\":1,\"id\":\"\(page)\",\"pages\":[{\"id\":\"../../etc/passwd\"}]}",
      "{\"schema\":1,\"id\":\"\(page)\",\"pages\":[{\"id\":\"../\(other)\"}]}",
      "{\"schema\":1,\"id\":\"\(page)\",\"pages\":[{\"id\":\"AAAAAAAA-2222-4333-8444-555555555555\"}]}",
      "{\"schema\":1,\"id\":\"\(page)\",\"pages\":[{\"id\":\"\(other) 2\"}]}",
      "{\"schema\":1,\"id\":\"AAAAAAAA-2222-4333-8444-555555555555\",\"pages\":[]}",
      // Deeper than any record.
      String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000),
      "{\"schema\":1,\"id\":\"\(page)\",\"pages\":[],\"x\":"
        + String(repeating: "{\"a\":", count: 5000) + "1" + String(repeating: "}", count: 5001),
    ]
    for text in damaged { try checkUnreadable([UInt8](text.utf8), .damaged, String(text.prefix(100))) }
    try checkUnreadable([0xFF, 0xFE, 0x7B], .damaged, "no text")
    try checkUnreadable(nil, .notFound, "no file")
  }

  @Test func aRecordOfANewerSchemaIsShownAndNothingIsTouched() throws {
    let text = "{\"schema\":2,\"id\":\"\(page)\",\"pages\":\"elsewhere\"}"
    try checkUnreadable([UInt8](text.utf8), .newerVersion, "schema 2", writesPages: false)
    let system = SimulatedFileSystem()
    let bench = Bench(system)
    let id = try bench.closedDocument(pages: 1, elements: 1)[0]
    do {
      let document = try bench.open()
      try #require(try document.page(id).page).add(1)
      try document.sync()
      document.abandon()
    }
    try bench.put([UInt8](text.utf8), "document.json")
    try bench.put([1], "document.json.tmp")
    try bench.put([1], "pages/\(id).content.tmp")
    let before = system.eventCount
    let document = try bench.open()
    #expect(try document.page(id).view?.count == 2)
    // It does not even hold the lock.
    #expect(try bench.open().obstacle?.code == .newerVersion)
    try document.close()
    #expect(system.eventCount == before)
  }

  @Test func aTemporaryRecordIsKeptBesideOneThatCannotBeRead() throws {
    let bench = Bench()
    try bench.closedDocument(pages: 1)
    let whole = try bench.bytes("document.json")
    try bench.put([], "document.json")
    try bench.put(whole, "document.json.tmp")
    try bench.open().close()
    #expect(try bench.bytes("document.json.tmp") == whole)
    try bench.put(whole, "document.json")
    try bench.put([1], "document.json.tmp")
    try bench.open().close()
    #expect(try !bench.names("").contains("document.json.tmp"))
  }

  @Test func aRecordOfAHundredThousandPagesIsRead() throws {
    let bench = Bench()
    try bench.create().close()
    var text = "{\"schema\":1,\"id\":\"\(page)\",\"pages\":["
    for index in 0..<100_000 {
      let id = PageID(high: UInt64(index), low: UInt64(index))
      if index > 0 { text += "," }
      text += "{\"id\":\"\(id)\",\"width\":100,\"height\":200.5,\"created\":1,\"modified\":2,\"elements\":3,"
      text += "\"generation\":4,\"commit\":5}"
    }
    try bench.put([UInt8]((text + "]}").utf8), "document.json")
    let clock = ContinuousClock()
    var pages = 0
    let time = try clock.measure {
      let document = try bench.open()
      pages = document.pages.count
      try document.close()
    }
    #expect(pages == 100_000)
    print("100,000 pages: opened in \(time)")
  }

  @Test func theCacheIsReconciledAndNeverNeeded() throws {
    let bench = Bench()
    let ids = try bench.closedDocument(pages: 2)
    let good = try bench.bytes("manifest.json")
    for bad in [nil, [], [0], [UInt8]("{\"pages\":9}".utf8)] as [[UInt8]?] {
      if let bad {
        try bench.put(bad, "manifest.json")
      } else {
        try bench.fileSystem.remove("\(bench.path)/manifest.json")
      }
      #expect(try bench.inspect().pages == ids)
      try bench.open().close()
      #expect(try bench.bytes("manifest.json") == good)
    }
    let json = try #require(JSON(parsing: good))
    #expect(json["pages"] == .integer(2))
    #expect(json["cover"] == .string("thumbnails/\(ids[0]).jpg"))
    #expect(json["title"] == .string("t"))
  }
}
