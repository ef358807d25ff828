// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults
import Synchronization
import Testing

/// The suite for file systems, on ours and on broken ones.
@Suite struct ConformanceTests {
  private func failures(_ system: some FileSystem, _ disk: SimulatedFileSystem) -> [String] {
    let count = Mutex(0)
    return FileSystemConformance.failures(of: system) { () throws(StorageError) in
      let path = "/run\(count.withLock { $0 += 1; return $0 })"
      try disk.createDirectory(path)
      return path
    }
  }

  @Test func simulatedFileSystemConforms() {
    let disk = SimulatedFileSystem()
    #expect(failures(disk, disk) == [])
  }

  @Test func wrappersWithoutFaultsConform() {
    let disk = SimulatedFileSystem()
    #expect(failures(FaultingFileSystem(disk), disk) == [])
    let other = SimulatedFileSystem()
    #expect(failures(CountingFileSystem(FaultingFileSystem(other)), other) == [])
  }

  @Test func shortWritesStillConform() throws {
    let disk = SimulatedFileSystem()
    let plan = try FaultPlan(parsing: "write sticky: short 1000 then proceed")
    #expect(failures(FaultingFileSystem(disk, plan: plan), disk) == [])
  }

  @Test func conformanceHoldsAfterAKillAndARestart() {
    let disk = SimulatedFileSystem()
    #expect(failures(disk, disk) == [])
    let killed = disk.afterKill()
    let count = Mutex(0)
    let fresh = { (system: SimulatedFileSystem) in
      FileSystemConformance.failures(of: system) { () throws(StorageError) in
        let path = "/again\(count.withLock { $0 += 1; return $0 })"
        try system.createDirectory(path)
        return path
      }
    }
    #expect(fresh(killed) == [])
    #expect(fresh(SimulatedFileSystem.restart(from: killed.kill())) == [])
  }

  @Test(arguments: FileOperation.allCases)
  func callThatAlwaysFailsIsFound(_ operation: FileOperation) {
    let disk = SimulatedFileSystem()
    let broken = FaultingFileSystem(
      disk, plan: [FaultRule([operation], repetition: .sticky, effect: .error(.io))])
    #expect(!failures(broken, disk).isEmpty)
  }

  @Test func damageIsFound() throws {
    for plan in ["read sticky: flip 8", "read sticky: zero 0", "read sticky: stale 0"] {
      let disk = SimulatedFileSystem()
      #expect(
        !failures(FaultingFileSystem(disk, plan: try FaultPlan(parsing: plan)), disk).isEmpty, "\(plan)")
    }
  }

  @Test func missingDirectoryIsASentenceForEachCheck() {
    let list = FileSystemConformance.failures(of: SimulatedFileSystem()) { "/nowhere" }
    #expect(list.count == FileSystemConformance.checkNames.count)
    #expect(list.allSatisfy { $0.contains("cannot ") })
  }
}
