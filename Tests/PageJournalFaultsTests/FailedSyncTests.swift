// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults
import Testing

/// What a failed sync leaves, as seen on real file systems; through a counter, to see that wrappers pass it on.
@Suite struct FailedSyncTests {
  private let disk = SimulatedFileSystem()

  private func faulting(_ plan: String) throws -> FaultingFileSystem {
    try disk.put("/j", ink(100), sync: true)
    try disk.syncDirectory("/")
    return FaultingFileSystem(CountingFileSystem(disk), plan: try FaultPlan(parsing: plan))
  }

  @Test func pageIsCleanWithNewBytesCached() throws {
    let system = try faulting("synchronizeFile once: sync clean")
    let file = try system.open("/j", .readWrite)
    _ = try file.write(ink(50, 9).span, at: 100)
    let error = #expect(throws: StorageError.self) { _ = try file.synchronize() }
    #expect(error?.code == .io)
    #expect(try file.read(at: 0, count: 200) == ink(100) + ink(50, 9))
    #expect(try file.synchronize() == .medium, "the next sync reports success")
    #expect(disk.contents(of: "/j").isSuperset(of: [ink(100), ink(100) + ink(50, 9)]))
    #expect(disk.durableImage() == Image(["/j": ink(100)]))
  }

  @Test func laterBytesOfAnotherPageAreDurableBehindAHole() throws {
    let system = try faulting("synchronizeFile once: sync clean")
    let file = try system.open("/j", .readWrite)
    _ = try file.write(ink(7900, 9).span, at: 100)
    #expect(throws: StorageError.self) { _ = try file.synchronize() }
    _ = try file.write(ink(100, 5).span, at: 8000)
    _ = try file.synchronize()
    let whole = ink(100) + ink(7900, 9) + ink(100, 5)
    #expect(try file.read(at: 0, count: 9000) == whole)
    // The second page was written again, whole; the first still has what the medium had.
    #expect(disk.durableImage() == Image(["/j": ink(100) + zeros(3996) + whole[4096...]]))
    _ = try file.write([1].span, at: 0)
    _ = try file.synchronize()
    #expect(disk.allImages() == [Image(["/j": [1] + whole[1...]])])
  }

  @Test func fileIsRevertedToTheLastGoodSync() throws {
    let system = try faulting("synchronizeFile once: sync reverted")
    let file = try system.open("/j", .readWrite)
    _ = try file.write(ink(50, 9).span, at: 90)
    #expect(throws: StorageError.self) { _ = try file.synchronize() }
    #expect(try file.read(at: 0, count: 200) == ink(100))
    #expect(disk.allImages() == [Image(["/j": ink(100)])])
  }

  @Test func failureIsReportedOneCallLate() throws {
    let system = try faulting("synchronizeFile once: sync late")
    let file = try system.open("/j", .readWrite)
    _ = try file.write(ink(50, 9).span, at: 100)
    #expect(try file.synchronize() == .medium)
    #expect(disk.durableImage() == Image(["/j": ink(100)]), "acknowledged, and not durable")
    #expect(throws: StorageError.self) { _ = try file.synchronize() }
    #expect(try file.synchronize() == .medium)
    #expect(disk.contents(of: "/j").contains(ink(100)))
    #expect(system.fired.count == 1)
  }

  @Test func bytesAreLostFromTheCacheToo() throws {
    let system = try faulting("synchronizeFile once: sync lost")
    let file = try system.open("/j", .readWrite)
    _ = try file.write(ink(50, 9).span, at: 100)
    #expect(throws: StorageError.self) { _ = try file.synchronize() }
    #expect(try file.read(at: 0, count: 200) == ink(100) + zeros(50))
    _ = try file.synchronize()
    #expect(disk.allImages() == [Image(["/j": ink(100) + zeros(50)])])
  }

  @Test func failedDirectorySyncSettlesNoName() throws {
    let system = try faulting(
      "synchronizeDirectory once: sync clean; synchronizeDirectory call 3 once: sync late")
    try system.put("/k", [], sync: true)
    let both = Image(["/j": ink(100), "/k": []])
    #expect(throws: StorageError.self) { try system.syncDirectory("/") }
    #expect(disk.allImages() == [Image(["/j": ink(100)]), both])
    try system.syncDirectory("/")
    #expect(disk.allImages() == [both])
    try system.remove("/k")
    let directory = try system.openDirectory("/")
    #expect(try directory.synchronize() == .medium)
    #expect(disk.allImages().contains(both), "acknowledged, and not durable")
    #expect(throws: StorageError.self) { _ = try directory.synchronize() }
    _ = try directory.synchronize()
    #expect(disk.allImages() == [Image(["/j": ink(100)])])
  }

  @Test func syncErrorWithoutAWayLeavesThingsPending() throws {
    let system = try faulting("synchronizeFile once: error noSpace")
    let file = try system.open("/j", .readWrite)
    _ = try file.write([1].span, at: 100)
    let error = #expect(throws: StorageError.self) { _ = try file.synchronize() }
    #expect(error?.code == .noSpace)
    _ = try file.synchronize()
    #expect(disk.allImages() == [Image(["/j": ink(100) + [1]])])
  }
}
