// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults
import Synchronization
import Testing

/// The simulated file system as a process sees it, and across kills and power cuts.
@Suite struct SimulatedFileSystemTests {
  @Test func killKeepsEverythingWrittenAndLeavesItPending() throws {
    let system = SimulatedFileSystem()
    try system.put("/a", ink(10))
    let directory = try system.openDirectory("/")
    #expect(try directory.tryLock())
    #expect(system.kill() == Image(["/a": ink(10)]))
    let next = system.afterKill()
    #expect(try next.content("/a") == ink(10))
    #expect(try next.openDirectory("/").tryLock(), "the lock outlived its process")
    #expect(next.hasPending)
    #expect(next.allImages().contains(Image()))
    #expect(next.allImages() == system.allImages())
    try next.put("/a", [77])
    #expect(try system.content("/a") == ink(10), "the two share more than their past")
  }

  @Test func killThenReopenThenPowerCutLosesWhatWasOnlyRead() throws {
    let system = SimulatedFileSystem()
    try system.put("/a", ink(10), sync: true)
    try system.syncDirectory("/")
    try system.put("/a", ink(10, 3), at: 10)
    let next = system.afterKill()
    #expect(try next.content("/a") == ink(10) + ink(10, 3))
    #expect(next.allImages().contains(Image(["/a": ink(10)])))
    try next.syncFile("/a")
    #expect(next.allImages() == [Image(["/a": ink(10) + ink(10, 3)])])
  }

  @Test func restartMakesAnImageCertain() throws {
    let image = Image(["/d/a": ink(5), "/d/e/b": [], "/c": [1]], directories: ["/empty"])
    let system = SimulatedFileSystem.restart(from: image)
    #expect(system.kill() == image)
    #expect(system.allImages() == [image])
    #expect(try Image(reading: system, at: "/") == image)
    #expect(try Image(reading: system, at: "/d") == Image(["/a": ink(5), "/e/b": []]))
    try system.put("/d/a", [9], at: 5)
    #expect(image["/d/a"] == ink(5))
  }

  @Test func crashesNest() throws {
    let system = SimulatedFileSystem()
    try system.put("/a", [1], sync: true)
    try system.syncDirectory("/")
    try system.rename("/a", to: "/b")
    var reached: Set<Image> = []
    for first in system.crashImages() {
      let again = SimulatedFileSystem.restart(from: first)
      try again.put("/c", [2])
      for second in again.crashImages() { reached.insert(second) }
    }
    #expect(reached.count == 2 * 5)
  }

  @Test func observerIsCalledBeforeEachSyncSettles() throws {
    let system = SimulatedFileSystem()
    let seen = Mutex<[(String, Int)]>([])
    system.observeSyncs { system, event in
      let count = Array(system.crashImages()).count
      seen.withLock { $0.append((event.description, count)) }
    }
    try system.put("/a", [1, 2, 3], sync: true)
    try system.syncDirectory("/")
    try system.syncDirectory("/")
    system.observeSyncs(nil)
    try system.syncDirectory("/")
    let list = seen.withLock { $0 }
    #expect(
      list.map(\.0) == ["3 synchronizeFile /a", "4 synchronizeDirectory /", "5 synchronizeDirectory /"])
    #expect(list.map(\.1) == [5, 2, 1])
  }

  @Test func eventsAreNumberedAndFailedCallsAreNone() throws {
    let system = SimulatedFileSystem()
    try system.createDirectory("/d")
    try system.put("/d/a", [1, 2, 3], at: 4, sync: true)
    #expect(throws: StorageError.self) { try system.remove("/nothing") }
    #expect(throws: StorageError.self) { try system.createDirectory("/d") }
    try system.cut("/d/a", to: 2)
    try system.rename("/d/a", to: "/b")
    try system.remove("/b")
    try system.removeDirectory("/d")
    try system.syncDirectory("/")
    #expect(
      system.events.map(\.description) == [
        "1 createDirectory /d", "2 create /d/a", "3 write /d/a [4 +3]", "4 synchronizeFile /d/a",
        "5 truncate /d/a [to 2]", "6 rename /d/a -> /b", "7 remove /b", "8 removeDirectory /d",
        "9 synchronizeDirectory /",
      ])
    let silent = SimulatedFileSystem(recordsEvents: false)
    try silent.put("/a", [1])
    #expect(silent.events.isEmpty)
    #expect(silent.eventCount == 2)
  }

  @Test func wildOffsetsAreRefusedWithoutAllocation() throws {
    let system = SimulatedFileSystem()
    let file = try system.open("/a", .createNew)
    let offsets: [UInt64] = [.max, .max - 1, 1 << 40, 1 << 30]
    for offset in offsets {
      let error = #expect(throws: StorageError.self) { _ = try file.write([1, 2].span, at: offset) }
      #expect(error?.code == .tooLarge)
      #expect(throws: StorageError.self) { try file.truncate(to: max(offset, (1 << 30) + 1)) }
      #expect(try file.read(at: offset, count: .max) == [])
    }
    #expect(throws: StorageError.self) { _ = try file.read(at: 0, count: -1) }
    #expect(try file.status().size == 0)
  }

  @Test func directoryCannotBeMovedIntoItself() throws {
    let system = SimulatedFileSystem()
    try system.createDirectory("/d")
    try system.createDirectory("/d/e")
    #expect(throws: StorageError.self) { try system.rename("/d", to: "/d/e/d") }
    #expect(throws: StorageError.self) { try system.rename("/d/..", to: "/x") }
    try system.rename("/d", to: "//d/.")
    #expect(try system.names(in: "/") == ["d"])
  }

  @Test func imageIsExportedThroughAnyFileSystem() throws {
    let image = Image(["/d/a": ink(3000), "/b": []], directories: ["/e"])
    let target = SimulatedFileSystem()
    try target.createDirectory("/out")
    let short = FaultingFileSystem(
      target, plan: try FaultPlan(parsing: "write sticky: short 1000 then proceed"))
    try image.export(to: short, at: "/out")
    #expect(try Image(reading: target, at: "/out") == image)
    let error = #expect(throws: StorageError.self) { try image.export(to: target, at: "/out") }
    #expect(error?.code == .alreadyExists)
  }

  @Test func imagesTellTheirDifferences() {
    let first = Image(["/a": [1, 2], "/b": [1], "/c": []])
    let second = Image(["/a": [1, 3], "/c/d": [], "/b": [1]])
    #expect(first.differences(from: first).isEmpty)
    #expect(
      first.differences(from: second) == [
        "/a: 2 bytes, 2 in the other, first difference at 1", "/c: a file in one, a directory in the other",
        "/c/d: only in the other",
      ])
    #expect(second.differences(from: first).count == 3)
    #expect(first.description.hasPrefix("/a  2 bytes  crc b6cc4292  01 02\n/b"))
    #expect(first["/c"] == [])
    #expect(first["/x"] == nil)
    #expect(second.contains("/c") && second["/c"] == nil)
  }

  @Test func sameSeedGivesTheSameNumbers() {
    var random = SplitMix64(seed: 0)
    #expect(random.next() == 0xE220_A839_7B1D_CDAF)
    #expect(random.next() == 0x6E78_9E6A_A1B9_65F4)
    #expect(random.bytes(11).count == 11)
    #expect(random.seed == 0)
  }
}
