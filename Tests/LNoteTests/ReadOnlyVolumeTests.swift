// SPDX-License-Identifier: Apache-2.0

import DocumentExplorer
import LNote
import PageJournal
import PageJournalFaults
import Testing

/// A volume that is mounted read-only: everything that would change something fails; synchronising works, since
/// there is nothing to do.
private struct ReadOnlyVolume: FileSystem {
  let base: any FileSystem

  private func refusal(_ path: String) -> StorageError {
    StorageError(.readOnlyVolume, "change", cause: "read-only volume", file: path, systemError: 30)
  }

  func open(_ path: String, _ mode: FileMode) throws(StorageError) -> any File {
    if mode == .createNew, try base.statusIfAny(of: path) == nil { throw refusal(path) }
    if mode == .readWrite, try base.status(of: path).kind == .file { throw refusal(path) }
    return try base.open(path, mode)
  }
  func openDirectory(_ path: String) throws(StorageError) -> any Directory { try base.openDirectory(path) }
  func names(in path: String) throws(StorageError) -> [String] { try base.names(in: path) }
  func status(of path: String) throws(StorageError) -> FileStatus { try base.status(of: path) }
  func rename(_ path: String, to target: String) throws(StorageError) { throw refusal(path) }
  func remove(_ path: String) throws(StorageError) { throw refusal(path) }
  func createDirectory(_ path: String) throws(StorageError) { throw refusal(path) }
  func removeDirectory(_ path: String) throws(StorageError) { throw refusal(path) }
}

@Suite struct ReadOnlyVolumeTests {
  /// - Parameter leaveOpen: whether the first page has a journal, and rests of other work lie about.
  private func check(leaveOpen: Bool) throws {
    let system = SimulatedFileSystem()
    let writable = Bench(system)
    let ids = try writable.closedDocument(pages: 2, elements: 1)
    var expected = 1
    if leaveOpen {
      let document = try writable.open()
      try #require(try document.page(ids[0]).page).add(1)
      try document.sync()
      document.abandon()
      expected = 2
      let rest = writable.environment.storage.newPageID()
      for name in ["document.json.tmp", "pages/\(ids[1]).content.tmp", "assets/\(rest).png.tmp"] {
        try writable.put([1], name)
      }
      try writable.put([1], "pages/\(rest).removed")
    }
    let before = try writable.image()
    let bench = Bench(ReadOnlyVolume(base: system))
    let document = try bench.open()
    #expect(document.obstacle == nil)
    #expect(document.pages.map(\.id) == ids)
    let opened = try document.page(ids[0])
    #expect(opened.view?.count == expected)
    #expect(opened.report.failure?.code == .readOnlyVolume)
    if let page = opened.page {
      #expect(page.obstacle?.code == .readOnly)
      do {
        try page.add(1)
        Issue.record("a commit was taken")
      } catch let error as StorageError {
        #expect(error.code == .readOnly)
        #expect(error.description.contains("read-only volume"), "\(error)")
      }
    }
    #expect(code { _ = try document.addPage(width: 1, height: 1) } == .readOnlyVolume)
    #expect(code { try document.removePage(ids[0]) } == .readOnlyVolume)
    #expect(code { try document.movePage(ids[0], to: 1) } == .readOnlyVolume)
    #expect(code { try document.setTitle("x") } == .readOnlyVolume)
    #expect(code { _ = try document.addAsset([1], type: "png") } == .readOnlyVolume)
    #expect(document.pages.map(\.id) == ids)
    #expect(document.title == "t")
    // What was only read cannot be said to be durable here.
    #expect(code { try document.sync() } == .readOnly)
    try document.close()
    #expect(try writable.image() == before)
  }

  @Test func aClosedDocumentIsShownAndRefusesChanges() throws { try check(leaveOpen: false) }

  @Test func aDocumentThatWasLeftOpenIsShownAsItIsAndNothingIsTidied() throws { try check(leaveOpen: true) }
}
