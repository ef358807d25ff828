// SPDX-License-Identifier: Apache-2.0

import DocumentExplorer
import LNote
import PageJournal
import PageJournalFaults
import Testing

@Suite struct CreationTests {
  /// Runs the work with a fault at each call of a kind, until it is not reached any more.
  private func sweep(
    _ operations: [FileOperation], _ effect: FaultRule.Effect, _ prepare: (Bench) throws -> Void,
    _ work: (Bench) throws -> Void, _ check: (SimulatedFileSystem, Bench, Bool, String) throws -> Void
  ) throws -> Int {
    var cases = 0
    for operation in operations {
      for call in 1...1000 {
        let system = SimulatedFileSystem(recordsEvents: false)
        let faulting = FaultingFileSystem(system)
        let bench = Bench(faulting)
        try prepare(bench)
        faulting.plan = [FaultRule([operation], call: call, effect: effect)]
        var hasFailed = false
        do { try work(bench) } catch { hasFailed = true }
        guard !faulting.fired.isEmpty else { break }
        cases += 1
        faulting.plan = []
        try check(system, Bench(system, seed: 77), hasFailed, "\(operation) call \(call): \(effect)")
      }
    }
    return cases
  }

  private static let kinds: [FileOperation] = [
    .create, .open, .openDirectory, .read, .write, .truncate, .synchronizeFile, .synchronizeDirectory,
    .rename, .remove, .names, .status, .lock, .createDirectory,
  ]

  @Test func aFailedCreationLeavesNothing() throws {
    var cases = 0
    for effect in [FaultRule.Effect.error(.io), .error(.noSpace), .short(1, then: .noSpace)] {
      cases += try sweep(Self.kinds, effect) { _ in
      } _: { bench in
        try bench.create().abandon()
      } _: { system, bench, hasFailed, what in
        let names = try system.names(in: "/")
        #expect(names == (hasFailed ? [] : ["n.lnote"]), "\(what)")
        if !hasFailed { try bench.open().close() }
      }
    }
    #expect(cases > 60)
    print("creation: \(cases) faults")
  }

  @Test func aTakenNameIsRefusedAndUntouched() throws {
    let system = SimulatedFileSystem()
    let bench = Bench(system)
    try system.createDirectory("/n.lnote")
    #expect(code { _ = try bench.create() } == .alreadyExists)
    #expect(try system.names(in: "/n.lnote") == [])
    try system.removeDirectory("/n.lnote")
    try Image(["/n.lnote": [1]]).export(to: system, at: "")
    #expect(code { _ = try bench.create() } == .alreadyExists)
    #expect(try system.names(in: "/") == ["n.lnote"])
  }

  @Test func aFaultAtAnyCallOfAChangeLeavesTheListBeforeOrAfterItAndFilesThatAgree() throws {
    let changes: [(String, (NoteDocument) throws -> Void)] = [
      ("add", { _ = try $0.addPage(width: 1, height: 1, at: 0) }),
      ("remove", { try $0.removePage($0.pages[0].id) }),
      ("move", { try $0.movePage($0.pages[0].id, to: 1) }),
      ("title", { try $0.setTitle("other") }),
      ("size", { try $0.setPageSize($0.pages[0].id, width: 7, height: 7) }),
    ]
    var cases = 0
    for (name, change) in changes {
      for effect in [FaultRule.Effect.error(.io), .error(.noSpace), .short(3, then: .noSpace)] {
        let original = Locked<[PageID]>([])
        let acknowledged = Locked<[PageRecord]?>(nil)
        cases += try sweep(Self.kinds, effect) { bench in
          let ids = try bench.closedDocument(pages: 2, elements: 1)
          original.with { $0 = ids }
        } _: { bench in
          acknowledged.with { $0 = nil }
          let document = try bench.open()
          defer { document.abandon() }
          try change(document)
          let pages = document.pages
          acknowledged.with { $0 = pages }
        } _: { _, bench, _, fault in
          let what = "\(name), \(fault)"
          let document = try bench.open()
          #expect(document.obstacle == nil, "\(what)")
          let old = original.value
          let found = document.pages.map(\.id)
          if let acknowledged = acknowledged.value {
            #expect(document.pages.map(\.id) == acknowledged.map(\.id), "\(what)")
          } else {
            let kept = found.filter { old.contains($0) }
            #expect(kept == old || kept == [old[1]] || kept == [old[1], old[0]], "\(what)")
          }
          #expect(document.unlisted == [], "\(what)")
          for id in found { #expect(try document.page(id).report.verdict == .clean, "\(what)") }
          try document.close()
          #expect(try bench.names("pages") == found.map { "\($0).content" }.sorted(), "\(what)")
        }
      }
    }
    #expect(cases > 200)
    print("changes of the list: \(cases) faults")
  }

  @Test func whenTheRecordCannotBeReadAfterAFailedSaveNoPageFileIsRemoved() throws {
    let system = SimulatedFileSystem()
    let faulting = FaultingFileSystem(system)
    let bench = Bench(faulting)
    let document = try bench.create()
    // The new record gets its name, its directory cannot be synchronised, and nothing can be read back.
    faulting.plan = [
      FaultRule([.openDirectory], path: .suffix(".lnote"), effect: .error(.io)),
      FaultRule([.open], path: .suffix("document.json"), effect: .error(.tooManyOpenFiles)),
    ]
    #expect(code { _ = try document.addPage(width: 1, height: 1) } == .io)
    #expect(faulting.fired.count == 2)
    faulting.plan = []
    #expect(document.pages.count == 1)
    #expect(code { try document.setTitle("x") } == .readOnly)
    document.abandon()
    let after = Bench(system.afterKill(), seed: 5)
    let again = try after.open()
    #expect(again.pages.count == 1)
    #expect(try again.page(again.pages[0].id).report.verdict == .clean)
    try again.close()
  }

  @Test func aDocumentMovedAwayToBeReplacedComesBackWhenACrashKeptTheNewOneFromItsPlace() throws {
    let system = SimulatedFileSystem()
    let bench = Bench(system)
    let ids = try bench.closedDocument(pages: 1, elements: 3)
    let publishing = NotePublishing(to: bench.path, environment: bench.environment)
    try NoteDocument.create(at: publishing.temporary, environment: bench.environment).close()
    let states = Locked<[Image]>([])
    system.observeSyncs { system, _ in
      let images = Array(system.crashImages(limit: 50))
      states.with { $0 += images }
    }
    try publishing.publish(replaces: true)
    system.observeSyncs(nil)
    #expect(try bench.inspect().pages == [])
    #expect(try system.names(in: "/") == ["n.lnote"])
    #expect(states.value.contains { !$0.contains("/n.lnote") })
    for image in states.value {
      let after = Bench(SimulatedFileSystem.restart(from: image), seed: 9)
      let document = try after.open()
      #expect(document.pages.isEmpty || document.pages.map(\.id) == ids)
      if let id = document.pages.first?.id { #expect(try document.page(id).view?.count == 3) }
      try document.close()
    }
  }
}
