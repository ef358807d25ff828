// SPDX-License-Identifier: Apache-2.0

import Foundation
import PageExplorer
import PageJournal
import PageJournalFaults
import Testing

/// What other threads do while a page synchronises, merges, closes.
@Suite struct CrashConcurrencyTests {
  @Test func aCommitDuringASuspensionIsRefusedAndThePageStaysWhole() throws {
    let rig = try CrashRig()
    try rig.append()
    let page = rig.page
    let refused = Counter()
    rig.system.observeSyncs { _, _ in
      do throws(StorageError) {
        _ = try page.commit([.append(kind: 9, payload: [9])])
      } catch {
        refused.add(error.code == .closed ? 1 : 100)
      }
    }
    try rig.store.suspend()
    #expect(refused.value > 0 && refused.value < 100)
    rig.system.observeSyncs(nil)
    try rig.store.resume()
    try rig.append()
    try rig.page.sync()
    try rig.page.compact()
    let found = try CrashRig.open(rig.system.durableImage())
    #expect(found.report.verdict == .clean)
    #expect(found.content == rig.content)
    #expect(found.commit == 6)
  }

  @Test func aCommitDuringACloseIsRefusedOrKept() throws {
    let rig = try CrashRig()
    try rig.append()
    let page = rig.page
    let accepted = Counter()
    rig.system.observeSyncs { _, _ in
      if (try? page.commit([.append(kind: 9, payload: [9])])) != nil { accepted.add(1) }
    }
    try rig.store.close()
    let found = try CrashRig.open(rig.system.durableImage())
    #expect(found.report.verdict == .clean)
    #expect(found.commit == UInt64(5 + accepted.value))
  }

  @Test func aSuspensionThatFailsTakesCommitsAgain() throws {
    let rig = try CrashRig()
    try rig.append()
    try rig.fail("write sticky: error noSpace")
    #expect(throws: StorageError.self) { try rig.store.suspend() }
    try rig.append()
    rig.faulting.plan = []
    #expect(try rig.page.sync() == 6)
  }

  @Test func readersAndCommitsDoNotWaitForASynchronisation() throws {
    let rig = try CrashRig(threshold: 1)
    let page = rig.page
    let (finished, late) = (Counter(), Counter())
    let threads = Threads()
    rig.system.observeSyncs { _, _ in
      let isInTime = threads.run(waitingAtMost: 2) {
        _ = page.view.elements.count + page.count + Int(page.durableCommit) + Int(page.writtenCommit)
        _ = try? page.commit([.append(kind: 1, payload: [1])])
      }
      (isInTime ? finished : late).add(1)
    }
    for _ in 0..<3 {
      try rig.append()
      try rig.page.sync()
      rig.executor.step()
    }
    rig.system.observeSyncs(nil)
    #expect(late.value == 0)
    #expect(finished.value > 3)
    threads.join()
  }

  @Test func aSyncThatIsOvertakenByAnAbandonmentDoesNotClaimDurability() throws {
    let rig = try CrashRig()
    let (page, store) = (rig.page, rig.store)
    try rig.append()
    let threads = Threads()
    let (claimed, refused) = (Counter(), Counter())
    rig.system.observeSyncs { system, _ in
      system.observeSyncs(nil)
      threads.run(waitingAtMost: 0.2) {
        do {
          let ticket = try page.commit([.append(kind: 9, payload: [9])]).ticket
          if try page.sync() < ticket.commit { claimed.add(1) }
        } catch {
          refused.add(1)
        }
      }
      threads.run(waitingAtMost: 0.2) { store.abandon() }
    }
    _ = try? page.sync()
    threads.join()
    #expect(claimed.value == 0)
    #expect(refused.value == 1)
    #expect(try CrashRig.open(rig.system.durableImage()).commit == 5)
  }

  @Test func failuresPlanOneRetryAndNotOneEach() throws {
    let rig = try CrashRig()
    try rig.append()
    try rig.page.sync()
    try rig.append()
    try rig.fail("synchronizeFile sticky: error noSpace")
    for _ in 0..<10 {
      #expect(throws: StorageError.self) { try rig.page.sync() }
    }
    #expect(rig.executor.count == 1)
    for _ in 0..<5 { rig.executor.step() }
    #expect(rig.executor.count == 1)
    rig.faulting.plan = []
    #expect(rig.executor.finish())
    #expect(rig.page.durableCommit == 6)
  }
}

final class Counter: @unchecked Sendable {
  private let lock = NSLock()
  private var count = 0

  var value: Int { lock.withLock { count } }
  func add(_ number: Int) { lock.withLock { count += number } }
}
