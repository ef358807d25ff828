// SPDX-License-Identifier: Apache-2.0

import PageExplorer
import PageJournal
import PageJournalFaults
import Testing

/// Power cuts at the switches from one generation to the next, at creation and at removal.
@Suite struct CrashSwitchTests {
  private let journal = CrashRig.journalPath(2)

  private func expectHealthy(_ image: Image, shows commits: ClosedRange<UInt64>) throws {
    let found = try CrashRig.open(image)
    let isShown = commits.contains(found.commit ?? .max)
    let names = found.names.filter { !$0.hasSuffix(".quarantine") }
    if !found.report.verdict.isHealthy || found.obstacle != nil || !isShown || names != [".content"] {
      Issue.record("\(found.report), shows \(found.commit ?? .max) of \(commits), \(names)\n\(image)")
    }
  }

  @Test func renameLostBeforeDirectorySync() throws {
    let rig = try CrashRig(rewrites: true)
    try rig.append()
    let images = try rig.crashes { try rig.page.sync() }
    let lost = images.filter { $0[CrashRig.contentPath + ".tmp"] != nil }
    #expect(lost.count > 0)
    for image in lost { try expectHealthy(image, shows: 4...4) }
    for image in images { try expectHealthy(image, shows: 4...5) }
    try expectHealthy(rig.system.durableImage(), shows: 5...5)
  }

  @Test func journalRemovedDurableEarly() throws {
    let rig = try CrashRig()
    try rig.append(3)
    try rig.page.sync()
    let images = try rig.crashes { try rig.page.compact() }
    #expect(images.contains { $0[journal] == nil } && images.contains { $0[journal] != nil })
    for image in images { try expectHealthy(image, shows: 7...7) }
  }

  @Test func crashBetweenSettingAsideAndRemovingIsNoForeignJournal() throws {
    let rig = try CrashRig(threshold: 1)
    for _ in 0..<3 {
      try rig.append()
      try rig.page.write()
    }
    let whole = try #require(rig.system.kill()[journal])
    // A journal set aside whole behind a torn one, and one with a header that never was durable.
    let headless = [UInt8](repeating: 0, count: 40) + whole[40...]
    for torn in [Array(whole[..<(whole.count - 3)]), headless] {
      let broken = rig.system.kill().with(journal, torn)
      let system = SimulatedFileSystem.restart(from: broken, recordsEvents: false)
      let collector = CrashRig.Collector()
      system.observeSyncs { system, _ in collector.add(system.crashImages(limit: 300)) }
      let store = try PageStore.open(
        CrashRun.directory, environment: .seeded(3, system, ManualExecutor()))
      let shown = try #require(try store.open(CrashRun.page).page).commit
      #expect(collector.images.count > 5)
      for image in collector.images { try expectHealthy(image, shows: shown...shown) }
    }
  }

  @Test func lowerJournalWhoseHeaderWasNeverDurableIsNotForeign() throws {
    let rig = try CrashRig()
    try rig.append(2)
    try rig.page.write()
    // Killed, opened and merged; then the power goes before the removal is durable, and with it the journal's bytes.
    let system = rig.system.afterKill()
    let collector = CrashRig.Collector()
    system.observeSyncs { system, _ in collector.add(system.crashImages(limit: 300)) }
    let store = try PageStore.open(CrashRun.directory, environment: .seeded(3, system, ManualExecutor()))
    #expect(try store.open(CrashRun.page).page?.commit == 6)
    for image in collector.images { try expectHealthy(image, shows: 4...6) }
    collector.add(system.crashImages())
    try expectHealthy(system.durableImage(), shows: 6...6)
  }

  @Test func namesAreDurableBeforeARecoveryExtendsTheSnapshot() throws {
    let rig = try CrashRig()
    try rig.append()
    try rig.page.write()
    try rig.append()
    // The close can neither write nor merge; the page is opened again in the same store.
    try rig.fail("write sticky: error noSpace; synchronizeFile,synchronizeDirectory sticky: error noSpace")
    #expect(throws: StorageError.self) { try rig.store.close(CrashRun.page) }
    rig.faulting.plan = []
    guard rig.page.obstacle?.code == .closed else { return }
    let images = rig.crashes { _ = try? rig.store.open(CrashRun.page) }
    for image in images { try expectHealthy(image, shows: 4...5) }
  }

  @Test func aCloseThatCannotMergeLeavesTheJournalSynced() throws {
    let rig = try CrashRig()
    try rig.append()
    try rig.page.write()
    try rig.append()
    try rig.fail("write sticky: error noSpace")
    #expect(throws: StorageError.self) { try rig.store.close() }
    try expectHealthy(rig.system.durableImage(), shows: 5...5)
  }

  /// The merge of a first journal has failed, a second one is written but not durable.
  private func twoUnmerged() throws -> CrashRig {
    let rig = try CrashRig()
    try rig.append()
    try rig.page.sync()
    try rig.fail(
      "write suffix \".content\" sticky: error noSpace; write suffix \".tmp\" sticky: error noSpace")
    #expect(throws: StorageError.self) { try rig.page.compact() }
    try rig.append()
    try rig.page.write()
    rig.faulting.plan = []
    #expect(rig.names == [".2.journal", ".3.journal", ".content"])
    return rig
  }

  @Test func aThirdJournalBeginsOnlyWhenTheSecondIsDurable() throws {
    let rig = try twoUnmerged()
    let collector = CrashRig.Collector()
    let page = rig.page
    let threads = Threads()
    // At every synchronisation of the next merge another thread commits, if it can.
    rig.system.observeSyncs { system, _ in
      threads.run(waitingAtMost: 0.05) {
        _ = try? page.commit([.append(kind: 1, payload: [1])])
        try? page.write()
      }
      collector.add(system.crashImages(limit: 100))
    }
    try rig.page.compact()
    rig.system.observeSyncs(nil)
    threads.join()
    #expect(rig.names.contains(".4.journal"))
    for image in collector.images { try expectHealthy(image, shows: 5...page.commit) }
  }

  @Test func aQuarantineFoundEqualStaysThroughItsOwnSession() throws {
    let before = try CrashRig()
    try before.append(2)
    try before.page.sync()
    let image = before.system.kill()
    let whole = try #require(image[journal])
    let torn = SimulatedFileSystem.restart(from: image.with(journal, Array(whole[..<(whole.count - 3)])))
    let collector = CrashRig.Collector()
    torn.observeSyncs { system, _ in collector.add(system.crashImages()) }
    let store = try PageStore.open(CrashRun.directory, environment: .seeded(3, torn, ManualExecutor()))
    #expect(try store.open(CrashRun.page).page?.commit == 5)
    // The crash came when the quarantine was written and the journal still there.
    let cut = collector.images.filter { image in
      image[journal] != nil && image.paths.contains { $0.hasSuffix(".quarantine") }
    }
    #expect(cut.count > 0)
    for image in cut {
      let rig = try CrashRig(image)
      try rig.append()
      try rig.store.close()
      let isKept = rig.names.contains { $0.hasSuffix(".quarantine") }
      // Where the new snapshot had its name already, nothing is set aside any more.
      #expect(isKept == (rig.page.report.verdict == .tornTail), "\(rig.page.report)")
    }
  }

  @Test func creationCutOffLeavesNoPageOrAnEmptyOne() throws {
    let system = SimulatedFileSystem()
    try system.createDirectory(CrashRun.directory)
    try system.synchronizeDirectory("/")
    let collector = CrashRig.Collector()
    let store = try PageStore.open(CrashRun.directory, environment: .seeded(4, system, ManualExecutor()))
    system.observeSyncs { system, _ in collector.add(system.crashImages()) }
    let page = try store.create(CrashRun.page)
    #expect(!system.hasPending)
    #expect(page.commit == 0)
    #expect(collector.images.count > 2)
    for image in collector.images {
      let system = SimulatedFileSystem.restart(from: image)
      let store = try PageStore.open(CrashRun.directory, environment: .seeded(5, system, ManualExecutor()))
      guard try !store.pages().isEmpty else {
        #expect(CrashRig.names(system) == [])
        continue
      }
      let opened = try store.open(CrashRun.page)
      #expect(opened.report.verdict == .clean)
      #expect(opened.page?.commit == 0)
    }
  }

  @Test func removalCutOffLeavesTheWholePageOrNothing() throws {
    let rig = try CrashRig(threshold: 1)
    for _ in 0..<3 {
      try rig.append()
      try rig.page.sync()
    }
    #expect(rig.names == [".2.journal", ".3.journal", ".content"])
    let images = try rig.crashes { try rig.store.remove(CrashRun.page) }
    #expect(rig.names == [])
    #expect(images.count > 4)
    for image in images {
      let system = SimulatedFileSystem.restart(from: image)
      let store = try PageStore.open(CrashRun.directory, environment: .seeded(5, system, ManualExecutor()))
      if try store.pages().isEmpty {
        #expect(CrashRig.names(system) == [], "\(image)")
      } else {
        let opened = try store.open(CrashRun.page)
        #expect(opened.report.verdict == .leftOpen, "\(opened.report)\n\(image)")
        #expect(opened.page?.commit == 7)
      }
    }
  }
}
