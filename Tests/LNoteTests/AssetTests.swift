// SPDX-License-Identifier: Apache-2.0

import DocumentExplorer
import LNote
import PageJournal
import PageJournalFaults
import Testing

@Suite struct AssetTests {
  @Test func aTypeBecomesAFileExtensionThatIsNeverAPath() throws {
    let bench = Bench()
    let document = try bench.create()
    let types = [
      ("png", "png"), ("image/png", "png"), ("image/jpeg", "jpg"), ("JPEG", "jpg"), ("image/svg+xml", "svg"),
      ("text/plain", "txt"), ("application/pdf", "pdf"), ("application/octet-stream", "bin"),
      ("../../etc/x", "x"),
    ]
    for (type, suffix) in types {
      let id = try document.addAsset([1, 2, 3], type: type)
      #expect(try bench.names("assets").contains("\(id).\(suffix)"), "\(type)")
      let found = try bench.inspect().asset(id)
      #expect(found.bytes == [1, 2, 3])
      #expect(found.fileExtension == suffix)
    }
    let count = try bench.names("assets").count
    for type in ["", "/", "a/", "tmp", "image/tmp", "a.b", "..", "p ng", "pnä", "ninechars", "x\0y"] {
      #expect(code { _ = try document.addAsset([1], type: type) } == .usage, "\(type)")
    }
    #expect(code { _ = try document.addAsset([], type: "png") } == .usage)
    #expect(try bench.names("assets").count == count)
    try document.close()
  }

  @Test func aMissingAssetIsNotFoundAndAnUnreadableFolderIsNotTakenForAMissingAsset() throws {
    let system = SimulatedFileSystem()
    let faulting = FaultingFileSystem(system)
    let bench = Bench(faulting)
    let document = try bench.create()
    let id = try document.addAsset([1], type: "png")
    try document.close()
    let inspection = try bench.inspect()
    #expect(code { _ = try inspection.asset(PageID(high: 1, low: 1)) } == .notFound)
    faulting.plan = [FaultRule([.names], effect: .error(.io))]
    #expect(code { _ = try inspection.asset(id) } == .io)
    #expect(code { _ = try inspection.asset(id) } == nil)
  }

  @Test func aFaultAtAnyCallLeavesNoRestAndNoIdThatCouldDangle() throws {
    var cases = 0
    for effect in [FaultRule.Effect.error(.io), .error(.noSpace), .short(1, then: .noSpace)] {
      for hasFolder in [true, false] {
        for call in 1...1000 {
          let system = SimulatedFileSystem(recordsEvents: false)
          let faulting = FaultingFileSystem(system)
          let bench = Bench(faulting)
          let document = try bench.create()
          if !hasFolder { try system.removeDirectory("\(bench.path)/assets") }
          faulting.plan = [FaultRule(Set(FileOperation.allCases), call: call, effect: effect)]
          let content = [UInt8](repeating: 7, count: 2000)
          let first = try? document.addAsset(content, type: "png")
          let isFaulty = !faulting.fired.isEmpty
          faulting.plan = []
          let what = "call \(call): \(effect)"
          let second = try? document.addAsset(content, type: "png")
          // What was acknowledged is there after a power cut; nothing else is, even now.
          let acknowledged = [first, second].compactMap { $0 }
          for image in system.crashImages(limit: 40) {
            let after = try Bench(SimulatedFileSystem.restart(from: image)).inspect()
            for id in acknowledged { #expect(try after.asset(id).bytes == content, "\(what)") }
          }
          let names = (try? system.names(in: "\(bench.path)/assets")) ?? []
          #expect(names.sorted() == acknowledged.map { "\($0).png" }.sorted(), "\(what)")
          try? document.close()
          guard isFaulty else { break }
          cases += 1
        }
      }
    }
    #expect(cases > 40)
    print("assets: \(cases) faults")
  }

  @Test func anUnfinishedAssetIsRemovedByTheNextWritableOpen() throws {
    let bench = Bench()
    let document = try bench.create()
    let id = try document.addAsset([1], type: "png")
    try document.close()
    try bench.put([1], "assets/\(bench.environment.storage.newPageID()).png.tmp")
    try bench.put([1], "thumbnails/\(bench.environment.storage.newPageID()).jpg.tmp")
    #expect(try bench.inspect().assetName(id) == "\(id).png")
    try bench.open().close()
    #expect(try bench.names("assets") == ["\(id).png"])
    #expect(try bench.names("thumbnails") == [])
  }
}
