// SPDX-License-Identifier: Apache-2.0

import Foundation
import PageJournal
import PageJournalFaults
import Synchronization
import Testing

/// Crash tests of work that has several threads.
@Suite struct CrashTestThreadTests {
  private struct Mine: Error {}

  /// A number and its complement, so that no fill is taken for one.
  private static func bytes(_ number: UInt8) -> [UInt8] { [number, ~number] }

  private static func read(_ disk: SimulatedFileSystem) throws -> Int {
    guard try disk.names(in: "/").contains("counter") else { return 0 }
    let bytes = try disk.contents(of: "/counter", limit: 10)
    return bytes.count == 2 && bytes[1] == ~bytes[0] ? Int(bytes[0]) : 0
  }

  @Test func aStateThatBeginsWhileASyncIsLookedAtIsNoFailure() throws {
    let isFirst = Flag()
    let (reading, written) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let report = try CrashTest().run(in: 0) { disk, ledger in
      ledger.begin(1)
      try disk.put("/counter", Self.bytes(1))
      let other = OtherThread {
        reading.wait()
        ledger.begin(2)
        try disk.put("/counter", Self.bytes(2))
        written.signal()
      }
      try disk.syncFile("/counter")
      try other.join()
      try disk.syncFile("/counter")
    } read: { disk in
      if isFirst.raise() {
        reading.signal()
        written.wait()
      }
      return try Self.read(disk)
    }
    #expect(report.moments == 3)
  }

  /// Appends numbers 1, 2, 3 … to a file; a commit is synchronised by whoever made it.
  private final class Log: Sendable {
    private let count = Mutex(0)
    private let disk: SimulatedFileSystem
    private let ledger: CrashLedger<Int>
    private let acknowledgesOthers: Bool

    init(_ disk: SimulatedFileSystem, _ ledger: CrashLedger<Int>, acknowledgesOthers: Bool = false) {
      self.disk = disk
      self.ledger = ledger
      self.acknowledgesOthers = acknowledgesOthers
    }

    func commit(beforeTheSync: () throws -> Void = {}, afterTheSync: () throws -> Void = {}) throws {
      let number = try count.withLock { count in
        count += 1
        let number = ledger.begin(count)
        try disk.put("/log", [UInt8(count)], at: UInt64(count - 1))
        return number
      }
      try beforeTheSync()
      try disk.syncFile("/log")
      try afterTheSync()
      if acknowledgesOthers { ledger.acknowledge() } else { ledger.acknowledge(number) }
    }

    static func read(_ disk: SimulatedFileSystem) throws -> Int {
      guard try disk.names(in: "/").contains("log") else { return 0 }
      let bytes = try disk.contents(of: "/log", limit: 1000)
      return zip(bytes, 1...).prefix { Int($0) == $1 }.count
    }
  }

  @Test func commitsOfSeveralThreadsPass() throws {
    let report = try CrashTest().run(in: 0) { disk, ledger in
      try disk.put("/log", [], sync: true)
      try disk.syncDirectory("/")
      let log = Log(disk, ledger)
      let others = (0..<3).map { _ in OtherThread { for _ in 0..<6 { try log.commit() } } }
      for other in others { try other.join() }
    } read: { disk in
      try Log.read(disk)
    }
    #expect(report.moments == 21)
    #expect(report.acknowledgements == 18)
    #expect(report.incompleteMoments == 0)
  }

  @Test(arguments: [false, true]) func aStateOfAnotherThreadIsNotAcknowledged(_ acknowledgesOthers: Bool)
    throws
  {
    func run() throws {
      _ = try CrashTest().run(in: 0) { disk, ledger in
        try disk.put("/log", [], sync: true)
        try disk.syncDirectory("/")
        let log = Log(disk, ledger, acknowledgesOthers: acknowledgesOthers)
        let (synchronised, written) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let acknowledged = DispatchSemaphore(value: 0)
        let other = OtherThread {
          synchronised.wait()
          try log.commit {
            written.signal()
            acknowledged.wait()
          }
        }
        try log.commit(afterTheSync: {
          synchronised.signal()
          written.wait()
        })
        acknowledged.signal()
        try other.join()
      } read: { disk in
        try Log.read(disk)
      }
    }
    if acknowledgesOthers {
      #expect(throws: CrashTestFailure.self) { try run() }
    } else {
      try run()
    }
  }

  /// A sync answers for what was written before it began: else a moment would pass in which nobody has looked.
  @Test func whatIsWrittenWhileASyncIsLookedAtIsNotSettledByIt() throws {
    let isFirst = Flag()
    let failure = #expect(throws: CrashTestFailure.self) {
      try CrashTest().run(from: Image(["/log": []]), in: 0) { disk, ledger in
        let log = Log(disk, ledger, acknowledgesOthers: true)
        disk.observeSyncs { _, _ in
          guard isFirst.raise() else { return }
          // Its own sync never comes.
          try? log.commit(beforeTheSync: { throw Mine() })
        }
        try log.commit()
      } read: { disk in
        try Log.read(disk)
      }
    }
    #expect(failure?.moment == "after the work")
  }

  @Test func anImageThatTwoThreadsReadAtOnceIsCountedOnce() throws {
    let arrived = Mutex(0)
    let released = DispatchSemaphore(value: 0)
    let report = try CrashTest().run(from: Image(["/a": [1], "/b": [1]]), in: 0) { disk, _ in
      let other = OtherThread { try disk.syncFile("/a") }
      try disk.syncFile("/b")
      try other.join()
    } read: { _ in
      // The first two readings wait for each other.
      let number = arrived.withLock { count in
        count += 1
        return count
      }
      if number == 1 { released.wait() }
      if number == 2 { released.signal() }
      return 0
    }
    #expect(report.states == 1)
    #expect(report.moments == 3)
  }

  @Test func aFailureThatAnotherThreadIsStillFindingWins() {
    let (isLooking, hasThrown) = (DispatchSemaphore(value: 0), Flag())
    let isFirst = Flag()
    #expect(throws: CrashTestFailure.self) {
      try CrashTest().run(in: 0) { disk, ledger in
        try disk.put("/counter", Self.bytes(9))
        let other = OtherThread { try disk.syncFile("/counter") }
        isLooking.wait()
        hasThrown.raise()
        _ = other
        throw Mine()
      } read: { disk in
        if isFirst.raise() {
          isLooking.signal()
          while !hasThrown.isRaised { sched_yield() }
          // Time for a test that does not wait to go wrong; one that waits is right however long it is.
          usleep(20_000)
        }
        return try Self.read(disk)
      }
    }
  }
}

/// A thread whose end and error can be waited for.
final class OtherThread: Sendable {
  private let end = DispatchSemaphore(value: 0)
  private let failure = Mutex<(any Error)?>(nil)

  init(_ body: @escaping @Sendable () throws -> Void) {
    Thread.detachNewThread { [self] in
      do { try body() } catch { failure.withLock { $0 = error } }
      end.signal()
    }
  }

  func join() throws {
    end.wait()
    if let error = failure.withLock({ $0 }) { throw error }
  }
}

/// Goes up once.
final class Flag: Sendable {
  private let raised = Mutex(false)

  var isRaised: Bool { raised.withLock { $0 } }

  /// Whether it was down.
  @discardableResult
  func raise() -> Bool {
    raised.withLock { raised in
      defer { raised = true }
      return !raised
    }
  }
}
