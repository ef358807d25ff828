// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults
import Testing

/// The crash test of one's own code, on code that is right and on code that is wrong in the ways people get it wrong.
@Suite struct CrashTestTests {
  /// A counter in a file, written aside and renamed.
  private struct Counter: Sendable {
    var syncsFile = true
    var syncsDirectory = true
    var acknowledgesEarly = false
    /// Reads the number and, wrongly, writes the file anew in place.
    var rewritesWhenRead = false

    func work(_ disk: SimulatedFileSystem, _ ledger: CrashLedger<Int>) throws {
      for number in 1...3 {
        ledger.begin(number)
        if acknowledgesEarly { ledger.acknowledge() }
        let file = try disk.open("/counter.tmp", .createNew)
        _ = try file.write([UInt8(number)].span, at: 0)
        if syncsFile { _ = try file.synchronize() }
        file.close()
        try disk.rename("/counter.tmp", to: "/counter")
        if syncsDirectory { try disk.synchronizeDirectory("/") }
        ledger.acknowledge()
      }
    }

    func read(_ disk: SimulatedFileSystem) throws -> Int {
      if try disk.names(in: "/").contains("counter.tmp") { try disk.remove("/counter.tmp") }
      guard try disk.names(in: "/").contains("counter") else { return 0 }
      let number = Int(try disk.contents(of: "/counter", limit: 10).first ?? 0)
      if rewritesWhenRead {
        let file = try disk.open("/counter", .readWrite)
        try file.truncate(to: 0)
        _ = try file.synchronize()
        _ = try file.write([UInt8(number)].span, at: 0)
        _ = try file.synchronize()
      }
      return number
    }

    func run() throws -> CrashTestReport {
      try CrashTest().run(in: 0) { disk, ledger in
        try work(disk, ledger)
      } read: { disk in
        try read(disk)
      }
    }
  }

  @Test func rightCodePasses() throws {
    let report = try Counter().run()
    #expect(report.moments == 7)
    #expect(report.states > 10)
    #expect(report.incompleteMoments == 0)
    #expect("\(report)".hasSuffix("complete"))
  }

  @Test func aMissingSyncOfTheFileIsFound() {
    #expect(throws: CrashTestFailure.self) { try Counter(syncsFile: false).run() }
  }

  @Test func aMissingSyncOfTheDirectoryIsFound() {
    #expect(throws: CrashTestFailure.self) { try Counter(syncsDirectory: false).run() }
  }

  @Test func anAcknowledgementBeforeTheSyncIsFound() {
    #expect(throws: CrashTestFailure.self) { try Counter(acknowledgesEarly: true).run() }
  }

  @Test func aRecoveryThatLosesWhatItReadIsFound() {
    do {
      _ = try Counter(rewritesWhenRead: true).run()
      Issue.record("nothing was found")
    } catch let failure as CrashTestFailure {
      #expect(failure.text.contains("when the power goes again"))
      #expect(failure.events.count > 3)
      #expect("\(failure)".contains("/counter"))
    } catch {
      Issue.record("\(error)")
    }
  }

  @Test func aLimitIsCountedAsNotComplete() throws {
    let report = try CrashTest(limit: 1).run(in: 0) { disk, ledger in
      try Counter().work(disk, ledger)
    } read: { disk in
      try Counter().read(disk)
    }
    #expect(report.incompleteMoments > 0)
  }

  @Test func errorsOfTheReadingAreFailuresAndErrorsOfTheWorkAreThrown() {
    struct Mine: Error {}
    #expect(throws: CrashTestFailure.self) {
      try CrashTest().run(in: 0) { disk, ledger in
        try Counter().work(disk, ledger)
      } read: { _ in
        throw Mine()
      }
    }
    #expect(throws: Mine.self) {
      try CrashTest().run(in: 0) { _, _ in
        throw Mine()
      } read: { _ in
        0
      }
    }
  }
}
