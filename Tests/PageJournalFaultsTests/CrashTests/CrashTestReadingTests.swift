// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults
import Synchronization
import Testing

/// What reading code can do wrong, and what work and reading can do that would blind the test.
@Suite struct CrashTestReadingTests {
  private struct Mine: Error {}

  /// What the reading does to the file that it has read.
  private enum Habit: CaseIterable {
    case writesAndNeverSyncs
    case writesAfterItsLastSync
    case writesBeforeItsLastSync
    case replacesWithoutASyncOfTheFile
  }

  private func read(_ disk: SimulatedFileSystem, _ habit: Habit?) throws -> Int {
    guard try disk.names(in: "/").contains("counter") else { return 0 }
    let number = Int(try disk.contents(of: "/counter", limit: 10).first ?? 0)
    switch habit {
    case nil: break
    case .writesAndNeverSyncs: try disk.cut("/counter", to: 0)
    case .writesAfterItsLastSync:
      try disk.syncFile("/counter")
      try disk.cut("/counter", to: 0)
    case .writesBeforeItsLastSync:
      try disk.cut("/counter", to: 0)
      try disk.syncFile("/counter")
    case .replacesWithoutASyncOfTheFile:
      try disk.put("/new", [UInt8(number)])
      try disk.rename("/new", to: "/counter")
    }
    return number
  }

  private let one = Image(["/counter": [1]])

  @Test(arguments: Habit.allCases)
  private func whatAReadingHasShownStays(_ habit: Habit) throws {
    let failure = #expect(throws: CrashTestFailure.self) {
      try CrashTest().run(from: one, in: 1) { _, _ in
      } read: { disk in
        try read(disk, habit)
      }
    }
    #expect(failure?.text.contains("when the power goes again") == true, "\(failure?.text ?? "")")
    let report = try CrashTest(nests: false).run(from: one, in: 1) { _, _ in
    } read: { disk in
      try read(disk, habit)
    }
    #expect(report.nestedStates == 0)
  }

  @Test func aReadingThatWritesRightPasses() throws {
    let report = try CrashTest().run(from: one, in: 1) { _, _ in
    } read: { disk in
      let number = try read(disk, nil)
      try disk.put("/next", [UInt8(number)], sync: true)
      try disk.rename("/next", to: "/counter")
      try disk.put("/rest", ink(600))
      return number
    }
    #expect(report.nestedStates > 5)
    #expect(report.incompleteMoments == 0)
  }

  @Test func whatIsLeftOutAfterAReadingIsCounted() throws {
    func incomplete(_ limit: Int?) throws -> Int {
      try CrashTest(limit: limit).run(from: one, in: 1) { _, _ in
      } read: { disk in
        let number = try read(disk, nil)
        try disk.put("/rest", ink(600))
        return number
      }.incompleteMoments
    }
    #expect(try incomplete(nil) == 0)
    #expect(try incomplete(3) > 0)
  }

  @Test func whatIsReadAfterAKillHasToStayWhereThatIsAskedFor() throws {
    func run(_ isAskedFor: Bool, synchronises: Bool) throws {
      _ = try CrashTest(readingMakesDurable: isAskedFor).run(in: 0) { disk, ledger in
        ledger.begin(1)
        try disk.put("/new", [1], sync: true)
        try disk.rename("/new", to: "/counter")
        try disk.syncDirectory("/")
        ledger.acknowledge()
      } read: { disk in
        if synchronises { try disk.syncDirectory("/") }
        return try read(disk, nil)
      }
    }
    try run(false, synchronises: false)
    try run(true, synchronises: true)
    let failure = #expect(throws: CrashTestFailure.self) { try run(true, synchronises: false) }
    #expect(failure?.text.contains("of the process shows 1, and 0") == true, "\(failure?.text ?? "")")
  }

  @Test func aPageKeepsWhatItHasShownAfterAKill() throws {
    let id = PageID(random: 1, 2)
    let report = try CrashTest(readingMakesDurable: true).run(in: 0) { disk, ledger in
      try disk.createDirectory("/pages")
      try disk.synchronizeDirectory("/")
      let store = try PageStore.open("/pages", environment: Environment(fileSystem: disk))
      let page = try store.create(id)
      for stroke in 1...3 {
        ledger.begin(stroke)
        _ = try page.commit([.append(kind: 1, payload: ink(600))])
        try page.sync()
        ledger.acknowledge()
      }
      try store.close()
    } read: { disk in
      guard try disk.names(in: "/").contains("pages") else { return 0 }
      let store = try PageStore.open("/pages", environment: Environment(fileSystem: disk))
      let shown = try store.pages().contains(id) ? store.open(id).view?.count ?? -1 : 0
      try store.close()
      return shown
    }
    #expect(report.nestedStates > 100)
    #expect(report.acknowledgements == 3)
  }

  @Test func anotherStateOfTheSameImageIsFound() {
    let count = Mutex<[Image: Int]>([:])
    let failure = #expect(throws: CrashTestFailure.self) {
      try CrashTest().run(from: one, in: 0) { disk, ledger in
        ledger.begin(1)
      } read: { disk in
        let image = disk.kill()
        return count.withLock { count in
          count[image, default: -1] += 1
          return count[image] ?? 0
        }
      }
    }
    #expect(failure?.text.contains("same image") == true)
  }

  @Test func theFailureThatWasFoundWinsOverTheErrorOfTheWork() {
    #expect(throws: CrashTestFailure.self) {
      try CrashTest().run(in: 0) { disk, ledger in
        ledger.begin(1)
        try disk.put("/counter", [1], sync: true)
        ledger.acknowledge()
        try disk.syncDirectory("/")
        throw Mine()
      } read: { disk in
        try read(disk, nil)
      }
    }
    #expect(throws: Mine.self) {
      try CrashTest().run(in: 0) { disk, ledger in
        ledger.begin(1)
        try disk.put("/counter", [1], sync: true)
        try disk.syncDirectory("/")
        ledger.acknowledge()
        throw Mine()
      } read: { disk in
        try read(disk, nil) & 1
      }
    }
  }

  @Test func observersOfTheWorkAndOfTheReadingDoNotBlindTheTest() {
    let mine = Mutex(0)
    #expect(throws: CrashTestFailure.self) {
      try CrashTest().run(in: 0) { disk, ledger in
        disk.observeSyncs { _, _ in mine.withLock { $0 += 1 } }
        ledger.begin(1)
        ledger.acknowledge()
        try disk.put("/counter", [1], sync: true)
        try disk.syncDirectory("/")
      } read: { disk in
        try read(disk, nil)
      }
    }
    #expect(mine.withLock { $0 } == 2)
    #expect(throws: CrashTestFailure.self) {
      try CrashTest().run(from: one, in: 1) { _, _ in
      } read: { disk in
        disk.observeSyncs(nil)
        let number = try read(disk, nil)
        try disk.cut("/counter", to: 0, sync: true)
        try disk.put("/counter", [UInt8(number)], sync: true)
        return number
      }
    }
  }
}
