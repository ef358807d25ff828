// SPDX-License-Identifier: Apache-2.0

import Foundation
import PageExplorer
import PageJournal
import PageJournalFaults
import Testing

/// Failed calls, one promise each.
@Suite struct CrashFailureTests {
  private let journal = CrashRig.journalPath(2)

  private func expectShown(_ image: Image, _ commits: ClosedRange<UInt64>) throws {
    let found = try CrashRig.open(image)
    let isRight = found.report.verdict.isHealthy && commits.contains(found.commit ?? .max)
    if !isRight { Issue.record("\(found.report) shows \(found.commit ?? .max) of \(commits)\n\(image)") }
  }

  @Test func shortWriteIsCutAway() throws {
    let rig = try CrashRig()
    try rig.append()
    try rig.page.sync()
    let good = rig.size(journal)
    for count in [1, 8, 20] {
      try rig.fail("write call 1 once: short \(count) then noSpace")
      try rig.append()
      #expect(throws: StorageError.self) { try rig.page.write() }
      #expect(rig.size(journal) == good)
      #expect(rig.page.writtenCommit == 5)
    }
    #expect(rig.content.elements.count == 7, "edits stay, in order")
    rig.faulting.plan = []
    #expect(try rig.page.sync() == 8)
    try expectShown(rig.system.durableImage(), 8...8)
    #expect(rig.page.view.generation == 2, "the same journal goes on")
  }

  @Test func aShortWriteThatCannotBeCutPoisonsTheJournal() throws {
    let rig = try CrashRig()
    try rig.append()
    try rig.page.sync()
    try rig.fail("write call 1 once: short 5 then noSpace; truncate once: error io")
    try rig.append()
    try rig.page.write()
    #expect(rig.page.view.generation == 3)
    #expect(rig.names == [".content"])
    try expectShown(rig.system.durableImage(), 6...6)
  }

  @Test(arguments: SynchronizationFailure.allCases.filter { $0 != .late })
  func failedSyncRenewsTheGeneration(_ failure: SynchronizationFailure) throws {
    let rig = try CrashRig()
    try rig.append()
    try rig.page.sync()
    try rig.append()
    try rig.fail("synchronizeFile suffix \".journal\" once: sync \(failure.rawValue)")
    let images = try rig.crashes { try #expect(rig.page.sync() == 6) }
    #expect(rig.page.view.generation == 3)
    #expect(rig.names == [".content"])
    for image in images { try expectShown(image, 5...6) }
    try expectShown(rig.system.durableImage(), 6...6)
    try rig.append()
    #expect(try rig.page.sync() == 7)
    try expectShown(rig.system.durableImage(), 7...7)
  }

  @Test func failedSyncIsNeverAcknowledgedAndTheSecondFailureEndsTheWriting() throws {
    let rig = try CrashRig()
    try rig.append()
    try rig.fail("synchronizeFile sticky: sync lost")
    #expect(throws: StorageError.self) { try rig.page.sync() }
    #expect(rig.page.durableCommit == 4)
    #expect(rig.page.obstacle?.code == .readOnly)
    #expect(rig.page.count == 4, "the elements are kept")
    #expect(throws: StorageError.self) { try rig.append() }
    rig.faulting.plan = []
    #expect(throws: StorageError.self) { try rig.page.sync() }
    rig.executor.finish()
    try expectShown(rig.system.kill(), 4...5)
  }

  @Test func noSpaceAtASyncKeepsTheEditsUntilThereIsSpace() throws {
    let rig = try CrashRig()
    try rig.append()
    try rig.fail("synchronizeFile,write,create sticky: error noSpace")
    #expect(throws: StorageError.self) { try rig.page.sync() }
    #expect(rig.page.obstacle == nil)
    try rig.append()
    #expect(throws: StorageError.self) { try rig.page.sync() }
    #expect(rig.page.durableCommit == 4)
    rig.faulting.plan = []
    #expect(try rig.page.sync() == 6)
    try expectShown(rig.system.durableImage(), 6...6)
  }

  @Test func aRenewalThatWaitsForSpaceIsTriedAgainByTheExecutor() throws {
    let rig = try CrashRig()
    try rig.append()
    try rig.fail("synchronizeFile once: error noSpace; create suffix \".tmp\" sticky: error noSpace")
    #expect(throws: StorageError.self) { try rig.page.sync() }
    #expect(rig.executor.count == 1)
    rig.executor.step()
    #expect(rig.page.durableCommit == 4)
    rig.faulting.plan = []
    rig.executor.step()
    #expect(rig.page.durableCommit == 5)
    #expect(rig.executor.finish())
  }

  @Test func failedDirectorySyncTurnsEveryPageReadOnlyAndRemovesNothing() throws {
    let system = SimulatedFileSystem(recordsEvents: false)
    try system.createDirectory(CrashRun.directory)
    let faulting = FaultingFileSystem(system)
    var options = StoreOptions()
    options.compactionThreshold = 1
    for call in 1...20 {
      faulting.plan = []
      let (first, second) = (PageID(high: UInt64(call), low: 1), PageID(high: UInt64(call), low: 2))
      let executor = ManualExecutor()
      let store = try PageStore.open(
        CrashRun.directory, options: options, environment: .seeded(6, faulting, executor))
      let pages = try [store.create(first), store.create(second)]
      faulting.plan = try FaultPlan(parsing: "synchronizeDirectory call \(call) once: error io")
      var before: [String] = []
      var acknowledged: UInt64 = 0
      func run(_ body: () throws -> Void) {
        guard faulting.fired.isEmpty else { return }
        try? body()
        before = CrashRig.names(system)
        acknowledged = max(acknowledged, pages[0].durableCommit)
      }
      for round in 0..<3 {
        for page in pages {
          run { _ = try page.commit([.append(kind: 1, payload: [UInt8(round)])]) }
          run { try page.sync() }
          while executor.count > 0, faulting.fired.isEmpty { run { executor.step() } }
        }
      }
      guard !faulting.fired.isEmpty else {
        try? store.close()
        guard faulting.fired.isEmpty else { continue }
        #expect(call > 5)
        return
      }
      for page in pages {
        #expect(page.obstacle?.code == .readOnly)
        #expect(throws: StorageError.self) { try page.commit([.append(kind: 1, payload: [])]) }
        #expect(throws: StorageError.self) { try page.sync() }
        #expect(throws: StorageError.self) { try page.compact() }
        #expect(PageContent(page.view).elements.count > 0 || page.commit == 0)
      }
      executor.finish()
      #expect(throws: StorageError.self) { try store.close() }
      #expect(CrashRig.names(system) == before, "call \(call)")
      let again = try PageStore.open(CrashRun.directory, environment: .seeded(7, system, ManualExecutor()))
      #expect(try again.open(first).page?.commit ?? 0 >= acknowledged)
      again.abandon()
    }
    Issue.record("the fault never stopped to happen")
  }

  @Test func aFailedExtensionIsNeitherCutNorContinued() throws {
    let rig = try CrashRig()
    try rig.append()
    try rig.page.sync()
    let before = rig.size(CrashRig.contentPath)
    try rig.fail("synchronizeFile suffix \".content\" once: error io; create suffix \".tmp\" once: error io")
    #expect(throws: StorageError.self) { try rig.page.compact() }
    let left = rig.size(CrashRig.contentPath)
    #expect(left > before, "it is not cut")
    #expect(rig.names == [".2.journal", ".content"], "the journal is where it was")
    try rig.append()
    try rig.page.sync()
    rig.counting.reset()
    try rig.page.compact()
    #expect(rig.counting.counts(suffix: "content")[.write] == 0, "it is not continued")
    #expect(rig.counting.counts(suffix: "content")[.rename] == 1)
    #expect(rig.names == [".content"])
    try expectShown(rig.system.durableImage(), 6...6)
  }

  @Test func aSnapshotThatSomebodyElseChangedIsNotExtended() throws {
    let rig = try CrashRig()
    try rig.append()
    let file = try rig.system.open(CrashRig.contentPath, .readWrite)
    let bytes: [UInt8] = [1, 2, 3]
    _ = try file.write(bytes.span, at: UInt64(rig.size(CrashRig.contentPath)))
    try rig.page.compact()
    try expectShown(rig.system.durableImage(), 5...5)
    #expect(try CrashRig.open(rig.system.durableImage()).report.verdict == .clean)
  }

  @Test func aJournalThatCannotBeRemovedGoesWithTheClose() throws {
    let rig = try CrashRig()
    try rig.append()
    try rig.fail("remove sticky: error io")
    try rig.page.compact()
    #expect(rig.names == [".2.journal", ".content"])
    #expect(throws: StorageError.self) { try rig.page.close() }
    try expectShown(rig.system.kill(), 5...5)
    let again = try CrashRig()
    try again.append()
    try again.fail("remove once: error io")
    try again.page.compact()
    try again.store.close()
    #expect(again.names == [".content"])
    #expect(!again.system.hasPending)
  }

  @Test func aPageThatWaitsForItsRecoveryAcknowledgesNothing() throws {
    let before = try CrashRig()
    try before.append()
    try before.page.write()
    let system = before.system.afterKill()
    let faulting = FaultingFileSystem(system)
    let store = try PageStore.open(
      CrashRun.directory, environment: .seeded(8, faulting, ManualExecutor()))
    faulting.plan = try FaultPlan(parsing: "write sticky: error noSpace")
    let page = try #require(try store.open(CrashRun.page).page)
    #expect(page.commit == 5)
    #expect(page.obstacle?.code == .readOnly)
    #expect(page.report.failure?.code == .noSpace)
    #expect(page.durableCommit == 0, "it was only read")
    #expect(throws: StorageError.self) { try page.sync() }
    #expect(throws: StorageError.self) { try page.compact() }
    try expectShown(system.durableImage(), 4...5)
    faulting.plan = []
    #expect(try page.sync() == 5)
    #expect(page.obstacle == nil)
    try expectShown(system.durableImage(), 5...5)
  }

  @Test func aReadOnlyPageStaysReadOnlyThroughASuspension() throws {
    let rig = try CrashRig()
    try rig.append()
    try rig.fail("synchronizeFile sticky: sync clean")
    #expect(throws: StorageError.self) { try rig.page.sync() }
    rig.faulting.plan = []
    try rig.store.suspend()
    try rig.store.resume()
    #expect(rig.page.obstacle?.code == .readOnly)
    #expect(throws: StorageError.self) { try rig.append() }
    #expect(rig.content.commit == 5)
  }

  @Test func anotherWritersJournalIsNoticedAfterASuspension() throws {
    let rig = try CrashRig()
    try rig.store.suspend()
    let other = try PageStore.open(
      CrashRun.directory, environment: .seeded(9, rig.system, ManualExecutor()))
    let page = try #require(try other.open(CrashRun.page).page)
    _ = try page.commit([.append(kind: 9, payload: [9])])
    try page.sync()
    other.abandon()
    #expect(throws: StorageError.self) { try rig.store.resume() }
    #expect(rig.page.obstacle?.code == .readOnly)
    try rig.store.close(CrashRun.page)
    #expect(try rig.store.open(CrashRun.page).page?.commit == 5)
  }

  @Test(arguments: [false, true])
  func aWaitingPageLooksAgainAfterASuspension(_ isChanged: Bool) throws {
    let before = try CrashRig()
    try before.append()
    try before.page.sync()
    before.store.abandon()
    let faulting = FaultingFileSystem(before.system)
    let store = try PageStore.open(
      CrashRun.directory, environment: .seeded(8, faulting, ManualExecutor()))
    faulting.plan = try FaultPlan(parsing: "write sticky: error noSpace")
    let page = try #require(try store.open(CrashRun.page).page)
    #expect(page.obstacle != nil)
    try store.suspend()
    if isChanged {
      let other = try PageStore.open(
        CrashRun.directory, environment: .seeded(9, before.system, ManualExecutor()))
      _ = try other.open(CrashRun.page).page?.commit([.append(kind: 9, payload: [9])])
      try other.close()
    }
    if isChanged {
      #expect(throws: StorageError.self) { try store.resume() }
    } else {
      try store.resume()
    }
    faulting.plan = []
    if isChanged {
      #expect(throws: StorageError.self) { try page.commit([.append(kind: 1, payload: [])]) }
    } else {
      _ = try page.commit([.append(kind: 1, payload: [])])
      try page.sync()
    }
    try expectShown(before.system.kill(), 6...6)
  }

  @Test func aFailedResumeCanBeTriedAgain() throws {
    let rig = try CrashRig()
    try rig.append()
    try rig.store.suspend()
    try rig.fail("open call 1 once: error tooManyOpenFiles")
    #expect(throws: StorageError.self) { try rig.store.resume() }
    #expect(throws: StorageError.self) { try rig.append() }
    try rig.store.resume()
    try rig.append()
    #expect(try rig.page.sync() == 6)
  }

  @Test func aPageLetGoAfterAFailedSyncWritesNothingToThatFile() throws {
    let system = SimulatedFileSystem.restart(from: CrashRun.base.image, recordsEvents: false)
    let faulting = FaultingFileSystem(system)
    do {
      let store = try PageStore.open(
        CrashRun.directory, environment: .seeded(8, faulting, ManualExecutor()))
      let page = try #require(try store.open(CrashRun.page).page)
      _ = try page.commit([.append(kind: 1, payload: [1])])
      faulting.plan = try FaultPlan(parsing: "synchronizeFile sticky: error noSpace")
      #expect(throws: StorageError.self) { try page.sync() }
      _ = try page.commit([.append(kind: 1, payload: [2])])
      faulting.plan = []
    }
    #expect(try system.contents(of: journal, limit: 1 << 20).count == 92, "header and one frame")
  }

  @Test func aFailedMarkIsNotWrittenOver() throws {
    let rig = try CrashRig()
    try rig.append()
    try rig.fail("write call 2 once: short 3 then noSpace; truncate once: error io")
    #expect(throws: StorageError.self) { try rig.page.flush() }
    #expect(rig.page.durableCommit == 5)
    rig.faulting.plan = []
    try rig.append()
    #expect(try rig.page.sync() == 6)
    #expect(rig.names == [".content"])
    #expect(try CrashRig.open(rig.system.kill()).report.verdict == .clean)
  }

  @Test func aVolumeThatCannotBeWrittenShowsItsPages() throws {
    for isLeftOpen in [false, true] {
      let before = try CrashRig()
      if isLeftOpen {
        try before.append()
        try before.page.sync()
      }
      before.store.abandon()
      let image = before.system.kill()
      let faulting = FaultingFileSystem(before.system)
      faulting.plan = try FaultPlan(
        parsing:
          "create,write,truncate,rename,remove,synchronizeFile,synchronizeDirectory sticky: error readOnlyVolume"
      )
      let store = try PageStore.open(
        CrashRun.directory, environment: .seeded(8, faulting, ManualExecutor()))
      let opened = try store.open(CrashRun.page)
      #expect(opened.view?.commit == (isLeftOpen ? 5 : 4))
      #expect(throws: StorageError.self) {
        let page = try #require(opened.page)
        _ = try page.commit([.append(kind: 1, payload: [1])])
        try page.sync()
      }
      store.abandon()
      #expect(before.system.kill() == image, "nothing was touched")
    }
  }

  @Test func aRotationThatCouldNotBeWrittenIsMergedWhenThereIsSpace() throws {
    let rig = try CrashRig(threshold: 60)
    try rig.append()
    try rig.page.write()
    rig.executor.dropAll()
    try rig.append()
    try rig.fail("write suffix \".journal\" once: error noSpace")
    #expect(throws: StorageError.self) { try rig.page.write() }
    rig.faulting.plan = []
    try rig.append()
    try rig.page.write()
    #expect(rig.executor.finish())
    #expect(
      rig.names.filter { $0.hasSuffix(".journal") }.allSatisfy {
        rig.size("/pages/\(CrashRun.page)\($0)") == 0
      })
    #expect(rig.page.durableCommit == 7)
    #expect(try CrashRig.open(rig.system.durableImage()).commit == 7)
  }
}
