// SPDX-License-Identifier: Apache-2.0

import Foundation
import PageJournal
import PageJournalFaults
import Synchronization
import Testing

/// The same suite, and images, on the file system of the machine that the tests run on.
@Suite struct RealFolderTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "faults-\(UUID().uuidString)")
    .path

  private func inFolder<Result>(_ body: () throws -> Result) throws -> Result {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try body()
  }

  private func failures(_ system: any FileSystem) -> [String] {
    let count = Mutex(0)
    return FileSystemConformance.failures(of: system) { () throws(StorageError) in
      let path = "\(folder)/run\(count.withLock { $0 += 1; return $0 })"
      try PosixFileSystem().createDirectory(path)
      return path
    }
  }

  @Test func realFileSystemConforms() throws {
    try inFolder { #expect(failures(PosixFileSystem()) == []) }
  }

  @Test func faultsOnARealFileSystemAreFound() throws {
    try inFolder {
      let counting = CountingFileSystem(PosixFileSystem())
      let broken = FaultingFileSystem(counting, plan: try FaultPlan(parsing: "write sticky: error noSpace"))
      #expect(!failures(broken).isEmpty)
      #expect(counting.counts.mutatingCalls > 0)
    }
  }

  @Test func imageIsExportedToARealFolderAndReadBack() throws {
    let system = SimulatedFileSystem()
    try system.createDirectory("/d")
    try system.createDirectory("/d/empty")
    try system.put("/d/a", ink(5000))
    try system.put("/b", [])
    let image = system.kill()
    try inFolder {
      try image.export(to: PosixFileSystem(), at: folder)
      let names = try FileManager.default.subpathsOfDirectory(atPath: folder).sorted()
      #expect(names == ["b", "d", "d/a", "d/empty"])
      #expect(FileManager.default.contents(atPath: folder + "/d/a") == Data(ink(5000)))
      #expect(try Image(reading: PosixFileSystem(), at: folder) == image)
      // What is there is not written over.
      #expect(throws: StorageError.self) { try image.export(to: PosixFileSystem(), at: folder) }
    }
  }

  @Test func pageOfAnExportedCrashImageOpens() throws {
    let system = SimulatedFileSystem()
    try system.createDirectory("/pages")
    try system.syncDirectory("/")
    let store = try PageStore.open("/pages", environment: Environment(fileSystem: system))
    let page = try store.create(PageID(high: 1, low: 2))
    _ = try page.append(kind: 9, payload: ink(600).span)
    try page.sync()
    let image = system.durableImage()
    store.abandon()
    try inFolder {
      try image.export(to: PosixFileSystem(), at: folder)
      let again = try PageStore.open(folder + "/pages")
      let opened = try again.open(page.id)
      #expect(opened.report.verdict == .leftOpen)
      #expect(opened.view?.payload(of: 1) == ink(600))
      try again.close()
    }
  }
}
