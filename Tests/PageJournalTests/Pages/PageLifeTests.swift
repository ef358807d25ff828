// SPDX-License-Identifier: Apache-2.0

import Synchronization

@testable import PageJournal
import Testing

@Suite struct PageLifeTests {
  let page = PageID(high: 0x0123_4567_89ab_4cde, low: 0x8123_4567_89ab_cdef)

  private func commits(_ page: Page) throws {
    for index in 1...20 {
      _ = try page.append(kind: 1, payload: [UInt8](repeating: UInt8(index), count: 40).span)
    }
    _ = try page.commit([.insert(at: 3, kind: 2, payload: [9])])
    _ = try page.commit([
      .replace(id: 5, with: [.init(kind: 3, payload: [1, 2]), .init(kind: 3, payload: [])])
    ])
    _ = try page.commit([.remove(id: 7)])
    _ = try page.commit([.move(id: 9, to: 0)])
    _ = try page.commit([.set(key: "paper", value: [1, 2, 3])])
    _ = try page.commit([.remove(id: 1), .append(kind: 1, payload: [5]), .move(id: 24, to: 1)])
  }

  @Test func whatWasCommittedIsThereAfterCloseAndReopen() throws {
    let directory = try TemporaryDirectory()
    let store = try PageStore.open(directory.path)
    let first = try store.create(page)
    try commits(first)
    #expect(try first.sync() == 26)
    let expected = first.view.content
    let found = try PageInspector.inspect(page, in: directory.path)
    #expect(found.report.verdict == .leftOpen)
    #expect(found.view?.content == expected)
    #expect(found.view?.commit == 26)
    try store.close()
    #expect(directory.names == ["\(page).content"])
    let closed = try PageInspector.inspect(page, in: directory.path)
    #expect(closed.report.verdict == .clean)
    #expect(closed.view?.content == expected)
    #expect(closed.view?.attributes == ["paper": [1, 2, 3]])
    #expect(closed.view?.nextID == 25)
  }

  @Test func anAbandonedPageShowsWhatWasWrittenAndIsMergedByTheNextOpen() throws {
    let directory = try TemporaryDirectory()
    let store = try PageStore.open(directory.path)
    let first = try store.create(page)
    try commits(first)
    let expected = first.view.content
    try first.write()
    _ = try first.append(kind: 1, payload: [1].span)
    store.abandon()
    let again = try PageStore.open(directory.path)
    let opened = try again.open(page)
    #expect(opened.report.verdict == .leftOpen)
    #expect(opened.view?.content == expected)
    #expect(directory.names == ["\(page).content"])
    let before = try directory.bytes("\(page).content")
    try again.close()
    #expect(try directory.bytes("\(page).content") == before)
  }

  @Test func compactionsInTheBackgroundLoseNothing() throws {
    let directory = try TemporaryDirectory()
    var options = StoreOptions()
    options.compactionThreshold = 4096
    let store = try PageStore.open(directory.path, options: options)
    let first = try store.create(page)
    for index in 0..<2000 {
      let (_, ticket) = try first.append(
        kind: 1, payload: [UInt8](repeating: UInt8(index & 255), count: 50).span)
      if index % 7 == 0 { try first.sync(ticket) }
      if index % 5 == 4 { _ = try first.commit([.remove(id: UInt64(index - 2))]) }
      if index % 11 == 10 { _ = try first.commit([.move(id: UInt64(index + 1), to: index % 7)]) }
    }
    let expected = first.view.content
    try store.close()
    let closed = try PageInspector.inspect(page, in: directory.path)
    #expect(closed.report.verdict == .clean)
    #expect(closed.view?.content == expected)
    #expect((closed.view?.generation ?? 0) > 3)
  }
}

/// A page that nobody holds any more.
@Suite struct PageLetGoTests {
  @Test func aPageLetGoBehindItsThresholdWritesWhatIsBuffered() throws {
    let directory = try TemporaryDirectory()
    let page = PageID(high: 0x0123_4567_89ab_4cde, low: 0x8123_4567_89ab_cdef)
    var options = StoreOptions()
    options.compactionThreshold = 100
    try { () throws(StorageError) in
      let store = try PageStore.open(directory.path, options: options)
      let writer = try store.create(page)
      for _ in 0..<3 {
        for _ in 0..<20 { _ = try writer.append(kind: 1, payload: [1, 2, 3, 4, 5, 6, 7, 8, 9].span) }
        try writer.write()
      }
      for _ in 0..<20 { _ = try writer.append(kind: 1, payload: [1, 2, 3].span) }
    }()
    let view = try #require(try PageInspector.inspect(page, in: directory.path).view)
    #expect(view.count == 80)
    let again = try PageStore.open(directory.path)
    #expect(try again.open(page).view?.count == 80)
    try again.close()
    #expect(directory.names == ["\(page).content"])
  }

  @Test func readingDoesNotWaitForAWriteThatHangs() throws {
    let directory = try TemporaryDirectory()
    let page = PageID(high: 0x0123_4567_89ab_4cde, low: 0x8123_4567_89ab_cdef)
    let store = try PageStore.open(directory.path)
    let writer = try store.create(page)
    _ = try writer.append(kind: 1, payload: [1].span)
    // The journal's lock is what a write holds: reading and committing go on beside it.
    try writer.journal.withLock { (_) throws(StorageError) in
      #expect(writer.view.count == 1)
      #expect(writer.view.generation == 1)
      _ = try writer.append(kind: 1, payload: [2].span)
      #expect(writer.commit == 2)
    }
    try store.close()
  }

  @Test func aRemovedPageIsNotWrittenAgainByWhoeverStillHoldsIt() throws {
    let directory = try TemporaryDirectory()
    let page = PageID(high: 0x0123_4567_89ab_4cde, low: 0x8123_4567_89ab_cdef)
    let store = try PageStore.open(directory.path)
    let writer = try store.create(page)
    _ = try writer.append(kind: 1, payload: [1].span)
    try writer.sync()
    _ = try writer.append(kind: 1, payload: [2].span)
    try store.remove(page)
    #expect(throws: StorageError.self) { try writer.sync() }
    #expect(throws: StorageError.self) { try writer.write() }
    #expect(throws: StorageError.self) { try writer.compact() }
    #expect(throws: StorageError.self) { try writer.renewIfNeeded() }
    #expect(directory.names == [])
    try store.close()
  }
}
