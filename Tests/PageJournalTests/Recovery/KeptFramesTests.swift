// SPDX-License-Identifier: Apache-2.0

import PageJournalFaults
import Testing

@testable import PageJournal

/// Frames that a newer minor version marks as skippable.
@Suite struct KeptFramesTests {
  private let types: [UInt8] = [0x40 | 1, 0x40 | 8, 0x40 | 19, 0x40 | 63]

  private func kept(_ bytes: [UInt8]) -> [PageState.KeptFrame] { SnapshotReading(bytes).state.keptFrames }

  @Test func unknownSkippableFramesSurviveEveryMergeByteForByte() throws {
    var random = SplitMix64(seed: 111)
    var page = PageFixture()
    var expected: [PageState.KeptFrame] = []
    // In the snapshot, before its `end`.
    page.snapshot = FrameMaker(SnapshotHeader(seed: 1, page: page.page))
    page.snapshot.add(.place, [0, 14, 0, 3, 0, 0, 0, 1, 1, 1, 2, 2, 2, 1, 2, 3])
    for type in types {
      let payload = random.bytes(Int(random.next() % 100))
      page.snapshot.add(type, payload)
      expected.append(.init(typeByte: type, payload: payload))
    }
    page.snapshot.add(page.end)
    // In the journal, one of them with a mark, which is not part of it.
    var journal = page.first()
    for type in types {
      let payload = random.bytes(Int(random.next() % 100))
      journal.add(type | 0x80, payload)
      expected.append(.init(typeByte: type, payload: payload))
    }
    journal.append(1, [9])
    page.journals = [(5, journal.bytes)]
    #expect(page.recovered().report.verdict == .leftOpen)
    #expect(page.recovered().state.keptFrames == expected)
    #expect(page.recovered().state.commit == 8)
    #expect(try WritableOpen.complaint(page.files) == nil)

    // Extended by the open, rewritten by level 0, extended by a close.
    let disk = try page.onDisk()
    let name = "pages/\(page.page).content"
    var store = try PageStore.open("pages", environment: .quiet(disk, seed: 1))
    let first = try #require(try store.open(page.page).page)
    #expect(kept(try disk.contents(of: name, limit: 1 << 20)) == expected)
    _ = try first.append(kind: 1, payload: [1].span)
    try store.close()
    #expect(kept(try disk.contents(of: name, limit: 1 << 20)) == expected)
    var options = StoreOptions()
    options.rewritesAtEverySave = true
    store = try PageStore.open("pages", options: options, environment: .quiet(disk, seed: 2))
    let second = try #require(try store.open(page.page).page)
    _ = try second.append(kind: 1, payload: [1].span)
    try second.sync()
    let rewritten = SnapshotReading(try disk.contents(of: name, limit: 1 << 20))
    #expect(rewritten.ends == 1)
    #expect(rewritten.state.keptFrames == expected)
    try store.close()
    #expect(kept(try disk.contents(of: name, limit: 1 << 20)) == expected)
  }

  @Test func anUnknownMandatoryFrameLeavesTheFilesUntouchedUnderEveryPolicy() throws {
    var journal = PageFixture().first()
    journal.add(0x80 | 63, [1])
    var page = PageFixture()
    page.journals = [(5, journal.bytes)]
    let disk = try page.onDisk()
    let before = try disk.pageFiles()
    for policy in [RecoveryPolicy.standard, .drop] {
      var options = StoreOptions()
      options.policy = policy
      let store = try PageStore.open("pages", options: options, environment: .quiet(disk, seed: 1))
      let opened = try store.open(page.page)
      #expect(opened.report.verdict == .needsNewerVersion)
      #expect(opened.page == nil)
      #expect(opened.view?.commit == 7)
      try store.close()
      #expect(try disk.pageFiles() == before)
    }
  }
}
