// SPDX-License-Identifier: Apache-2.0

import Foundation
import PageExplorer
import PageJournal
import PageJournalFaults
import Synchronization
import Testing

/// What a commit costs in calls of the file system, and what threads that commit together share.
@Suite struct CrashCallCountTests {
  private func counts(_ rig: CrashRig, _ body: () throws -> Void) rethrows -> [FileOperation: Int] {
    rig.counting.reset()
    try body()
    return rig.counting.counts.calls
  }

  @Test func theFirstDurableCommitAddsACreationAndADirectorySync() throws {
    let rig = try CrashRig()
    let first = try counts(rig) {
      try rig.append()
      try rig.page.sync()
    }
    #expect(first == [.create: 1, .write: 1, .synchronizeFile: 1, .synchronizeDirectory: 1])
    for _ in 0..<50 {
      let next = try counts(rig) {
        try rig.append()
        try rig.page.sync()
      }
      #expect(next == [.write: 1, .synchronizeFile: 1])
    }
  }

  @Test func aBurstOfCommitsSharesOneWriteAndOneSync() throws {
    let rig = try CrashRig()
    try rig.append()
    try rig.page.sync()
    let burst = try counts(rig) {
      try rig.append(500)
      try rig.page.sync()
      try rig.page.sync()
    }
    #expect(burst == [.write: 1, .synchronizeFile: 1])
  }

  @Test func aBufferedCommitCallsNothing() throws {
    let rig = try CrashRig()
    let buffered = try counts(rig) { try rig.append(100) }
    #expect(buffered == [:])
    let nothing = counts(rig) { _ = rig.page.view.elements }
    #expect(nothing == [:])
  }

  @Test func aFlushAddsOneWrite() throws {
    let rig = try CrashRig()
    try rig.append()
    try rig.page.sync()
    let flushed = try counts(rig) {
      try rig.append()
      try rig.page.flush()
    }
    #expect(flushed == [.write: 2, .synchronizeFile: 1])
  }

  @Test func closingAPageThatWasOnlyReadWritesNothing() throws {
    let rig = try CrashRig()
    let closed = try counts(rig) { try rig.store.close() }
    #expect(closed == [:])
  }

  @Test func aMergeAheadOfTheNextJournalCostsTheCommitNothing() throws {
    let rig = try CrashRig(threshold: 400)
    try rig.append(9)
    try rig.page.sync()
    rig.executor.step()
    // The next journal's file and name are durable by now: the commit that begins it adds no creation.
    try rig.append(4)
    try rig.page.sync()
    let next = try counts(rig) {
      try rig.append()
      try rig.page.sync()
    }
    #expect(rig.names == [".2.journal", ".3.journal", ".content"])
    #expect(next == [.write: 1, .synchronizeFile: 1])
    #expect(rig.executor.finish())
    #expect(rig.names == [".3.journal", ".content"])
  }

  @Test func threadsThatCommitTogetherShareSyncs() throws {
    let counting = CountingFileSystem(
      SlowFileSystem(SimulatedFileSystem.restart(from: CrashRun.base.image, recordsEvents: false)))
    let store = try PageStore.open(
      CrashRun.directory, environment: .seeded(1, counting, ManualExecutor()))
    let page = try #require(try store.open(CrashRun.page).page)
    counting.reset()
    let failures = Shared(0)
    let barrier = Barrier(8)
    let group = DispatchGroup()
    for thread in 0..<8 {
      group.enter()
      Thread {
        for index in 0..<50 {
          do {
            let (_, ticket) = try page.commit([.append(kind: 1, payload: [UInt8(thread), UInt8(index)])])
            barrier.wait()
            let durable = try page.sync(ticket)
            if durable < ticket.commit { failures.withLock { $0 += 1 } }
          } catch {
            failures.withLock { $0 += 1 }
          }
          barrier.wait()
        }
        group.leave()
      }.start()
    }
    group.wait()
    #expect(failures.withLock { $0 } == 0)
    #expect(page.durableCommit == 404)
    let syncs = counting.counts[.synchronizeFile]
    print("8 threads of 50 durable commits, in step: \(syncs) syncs, \(counting.counts[.write]) writes")
    #expect(syncs == 50)
    #expect(counting.counts[.write] == 50)
    #expect(PageContent(page.view).elements.count == 403)
  }

  @Test func threadsThatCommitAtWillShareSyncsToo() throws {
    let counting = CountingFileSystem(
      SlowFileSystem(SimulatedFileSystem.restart(from: CrashRun.base.image, recordsEvents: false)))
    let store = try PageStore.open(
      CrashRun.directory, environment: .seeded(1, counting, ManualExecutor()))
    let page = try #require(try store.open(CrashRun.page).page)
    counting.reset()
    let group = DispatchGroup()
    for thread in 0..<8 {
      group.enter()
      Thread {
        defer { group.leave() }
        for index in 0..<50 {
          let operation = PageJournal.Operation.append(kind: 1, payload: [UInt8(thread), UInt8(index)])
          guard let ticket = try? page.commit([operation]).ticket else { return }
          _ = try? page.sync(ticket)
        }
      }.start()
    }
    group.wait()
    #expect(page.durableCommit == 404)
    let syncs = counting.counts[.synchronizeFile]
    print("8 threads of 50 durable commits, at will: \(syncs) syncs, \(counting.counts[.write]) writes")
    #expect(syncs <= 200, "without sharing it is 400")
    #expect(counting.counts[.write] <= syncs)
  }

  @Test func threadsThatOpenOnePageGetOneWriter() throws {
    let system = SlowFileSystem(
      SimulatedFileSystem.restart(from: CrashRun.base.image, recordsEvents: false))
    for _ in 0..<10 {
      let store = try PageStore.open(
        CrashRun.directory, environment: .seeded(1, system, ManualExecutor()))
      let found = Shared<[ObjectIdentifier]>([])
      let barrier = Barrier(4)
      let group = DispatchGroup()
      for _ in 0..<4 {
        group.enter()
        Thread {
          defer { group.leave() }
          barrier.wait()
          if let page = try? store.open(CrashRun.page).page {
            found.withLock { $0.append(ObjectIdentifier(page)) }
          }
        }.start()
      }
      group.wait()
      #expect(found.withLock { $0 }.count == 4)
      #expect(Set(found.withLock { $0 }).count == 1)
      try store.close()
    }
  }
}

private final class Shared<Value: Sendable>: Sendable {
  private let value: Mutex<Value>
  init(_ value: Value) { self.value = Mutex(value) }
  func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result { value.withLock { body(&$0) } }
}

/// Lets threads go on when all of them have come.
private final class Barrier: @unchecked Sendable {
  private let condition = NSCondition()
  private let size: Int
  private var arrived = 0
  private var round = 0

  init(_ size: Int) { self.size = size }

  func wait() {
    condition.lock()
    defer { condition.unlock() }
    let mine = round
    arrived += 1
    if arrived == size {
      arrived = 0
      round += 1
      condition.broadcast()
    }
    while round == mine { condition.wait() }
  }
}

/// Takes three milliseconds for each synchronisation, and one for each listing.
private final class SlowFileSystem: ForwardingFileSystem {
  let base: any FileSystem

  init(_ base: any FileSystem) { self.base = base }

  func before(_ operation: FileOperation, _ path: String) { if operation == .names { usleep(1000) } }

  func open(_ path: String, _ mode: FileMode) throws(StorageError) -> any File {
    SlowFile(try base.open(path, mode))
  }
}

private final class SlowFile: ForwardingFile {
  let base: any File

  init(_ base: any File) { self.base = base }

  func before(_ operation: FileOperation) { if operation == .synchronizeFile { usleep(3000) } }
}
