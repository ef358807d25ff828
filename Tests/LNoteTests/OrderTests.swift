// SPDX-License-Identifier: Apache-2.0

import DocumentExplorer
import LNote
import PageJournal
import PageJournalFaults
import Testing

/// The order of calls, read from the log of a simulated file system.
@Suite struct OrderTests {
  let system = SimulatedFileSystem()
  let bench: Bench

  init() { bench = Bench(system) }

  /// The events of a piece of work, as short lines without the package's path.
  private func log(_ work: () throws -> Void) rethrows -> [String] {
    let before = system.events.count
    try work()
    return system.events[before...].map { event in
      let paths = [event.path, event.target].compactMap { $0 }.map { path in
        path == bench.path ? "." : String(path.dropFirst(bench.path.count + 1))
      }
      return ([event.operation.rawValue] + paths).joined(separator: " ")
    }
  }

  private static let record = [
    "create document.json.tmp", "write document.json.tmp", "synchronizeFile document.json.tmp",
    "rename document.json.tmp document.json", "synchronizeDirectory .",
  ]
  private static let manifest = record.map { $0.split(separator: "document").joined(separator: "manifest") }

  @Test func aPagesFileIsDurableBeforeTheRecordNamesIt() throws {
    let document = try bench.create()
    var id: PageID?
    let events = try log { id = try document.addPage(width: 1, height: 1).id }
    let file = "pages/\(try #require(id)).content"
    #expect(
      events == [
        "create \(file).tmp", "write \(file).tmp", "synchronizeFile \(file).tmp",
        "rename \(file).tmp \(file)", "synchronizeDirectory pages",
      ] + Self.record + Self.manifest)
    try document.close()
  }

  @Test func theRecordNamesARemovalBeforeAFileGoesAndForgetsItAfterwards() throws {
    let document = try bench.create()
    let page = try document.addPage(width: 1, height: 1)
    try page.add(1)
    try page.sync()
    let stem = "pages/\(page.id)"
    let events = try log { try document.removePage(page.id) }
    #expect(
      events == Self.record + Self.manifest + [
        "rename \(stem).content \(stem).removed", "synchronizeDirectory pages",
        "remove \(stem).1.journal", "synchronizeDirectory pages", "remove \(stem).removed",
        "synchronizeDirectory pages",
      ] + Self.record + Self.manifest)
    try document.close()
  }

  @Test func aChangeOfTheRecordIsDurableWhenItReturns() throws {
    let document = try bench.create()
    let first = try document.addPage(width: 1, height: 1).id
    _ = try document.addPage(width: 1, height: 1)
    let changes: [() throws -> Void] = [
      { try document.movePage(first, to: 1) }, { try document.setTitle("other") },
      { try document.setPageSize(first, width: 5, height: 6) },
    ]
    for change in changes {
      let events = try log(change)
      #expect(Array(events.prefix(5)) == Self.record)
      #expect(events.count == 10)
      #expect(Array(events.suffix(5)) == Self.manifest)
      guard
        case .success(let record) = try Bench(SimulatedFileSystem.restart(from: system.durableImage()))
          .inspect().record
      else {
        Issue.record("no record")
        return
      }
      #expect(record == document.record)
    }
    try document.close()
  }

  @Test func anAssetIsDurableWhenItsIdIsKnown() throws {
    let document = try bench.create()
    var id: PageID?
    let events = try log { id = try document.addAsset([1, 2, 3], type: "image/png") }
    let file = "assets/\(try #require(id)).png"
    #expect(
      events.suffix(5) == [
        "create \(file).tmp", "write \(file).tmp", "synchronizeFile \(file).tmp",
        "rename \(file).tmp \(file)", "synchronizeDirectory assets",
      ])
    let after = try Bench(SimulatedFileSystem.restart(from: system.durableImage())).inspect()
    #expect(try after.asset(#require(id)).bytes == [1, 2, 3])
    #expect(try after.asset(#require(id)).fileExtension == "png")
    try document.close()
  }

  @Test func theRecordIsSavedAfterTheMergeIsDurableAndBeforeTheLockIsGiven() throws {
    let document = try bench.create()
    let page = try document.addPage(width: 1, height: 1)
    try page.add(1)
    try page.sync()
    let events = try log { try document.close() }
    let merged = try #require(events.firstIndex { $0.hasPrefix("synchronizeFile pages/") })
    let saved = try #require(events.firstIndex(of: "rename document.json.tmp document.json"))
    #expect(merged < saved)
    #expect(events.filter { $0.contains("rename document") }.count == 1)
    guard case .success(let record) = try bench.inspect().record else {
      Issue.record("no record")
      return
    }
    #expect(record.pages[0].floor == PageFloor(generation: 2, commit: 1))
  }
}
