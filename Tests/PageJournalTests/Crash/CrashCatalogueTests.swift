// SPDX-License-Identifier: Apache-2.0

import PageExplorer
import PageJournal
import PageJournalFaults
import Testing

/// What the bytes of a page can look like after a crash or damage, one by one.
@Suite struct CrashCatalogueTests {
  private let journal = CrashRig.journalPath(2)

  /// Commits 5, 6 and 7 in a journal: synchronised one by one where `synced`, else written only.
  private func journaled(synced: Bool, flushed: Bool = false) throws -> (image: Image, ends: [Int]) {
    let rig = try CrashRig()
    var ends: [Int] = []
    for _ in 0..<3 {
      try rig.append()
      if synced { try rig.page.sync() } else { try rig.page.write() }
      ends.append(rig.size(journal))
    }
    if flushed { try rig.page.flush() }
    let image = rig.system.kill()
    rig.store.abandon()
    return (image, ends)
  }

  private func bytes(_ image: Image) throws -> [UInt8] { try #require(image[journal]) }

  @Test func allFramesValidIsLeftOpenAndIsExtended() throws {
    let (image, _) = try journaled(synced: true)
    let found = try CrashRig.open(image)
    #expect(found.report.verdict == .leftOpen)
    #expect(found.report.commitsApplied == 3)
    #expect(found.commit == 7)
    #expect(found.names == [".content"])
    let old = try #require(image[CrashRig.contentPath])
    let new = try found.system.contents(of: CrashRig.contentPath, limit: 1 << 20)
    #expect(new.starts(with: old), "the snapshot was extended, not rewritten")
  }

  @Test func tornInsideLengthField() throws {
    let (image, ends) = try journaled(synced: true)
    let found = try CrashRig.open(image.with(journal, Array(try bytes(image)[..<(ends[1] + 2)])))
    #expect(found.report.verdict == .tornTail)
    #expect(found.report.offset == ends[1])
    #expect(found.report.bytesSetAside == 2)
    #expect(found.commit == 6)
    #expect(found.names == [".2.\(ends[1]).quarantine", ".content"])
  }

  @Test func tornAtEveryLengthShowsTheFramesBefore() throws {
    let (image, ends) = try journaled(synced: false)
    let whole = try bytes(image)
    for length in 0...whole.count {
      let found = try CrashRig.open(image.with(journal, Array(whole[..<length])))
      let commits = ends.filter { $0 <= length }.count
      #expect(found.commit == UInt64(4 + commits), "cut to \(length)")
      let isWhole = length < 80 || length == 80 || ends.contains(length)
      #expect(found.report.verdict == (isWhole ? .leftOpen : .tornTail), "cut to \(length)")
    }
  }

  @Test func aJournalWithoutCommitsIsSweptAndTheSnapshotLeftAlone() throws {
    for content in [
      [], [UInt8](repeating: 0, count: 4096), Array(try bytes(journaled(synced: true).image)[..<79]),
    ] {
      let found = try CrashRig.open(CrashRun.base.image.with(journal, content))
      #expect(found.report.verdict == .leftOpen)
      #expect(found.commit == 4)
      #expect(found.names == [".content"])
      #expect(found.system.kill() == CrashRun.base.image)
    }
  }

  @Test func zerosBehindTheLastFrameAreNoDamage() throws {
    let (image, _) = try journaled(synced: true)
    let found = try CrashRig.open(image.with(journal, try bytes(image) + [UInt8](repeating: 0, count: 700)))
    #expect(found.report.verdict == .leftOpen)
    #expect(found.commit == 7)
    #expect(found.names == [".content"])
  }

  @Test func validFramesBehindAHoleWithoutMarkAreAnUnsyncedTail() throws {
    let (image, ends) = try journaled(synced: false)
    var content = try bytes(image)
    content[ends[0] + 12] ^= 1
    let found = try CrashRig.open(image.with(journal, content))
    #expect(found.report.verdict == .unsyncedTail)
    #expect(found.commit == 5, "never a hole")
    #expect(found.report.bytesSetAside == content.count - ends[0])
  }

  @Test func damageBelowAMarkIsCorruptionAndChangesNothing() throws {
    let (image, ends) = try journaled(synced: true)
    var content = try bytes(image)
    content[ends[0] + 12] ^= 1
    let damaged = image.with(journal, content)
    let found = try CrashRig.open(damaged)
    #expect(found.report.verdict == .corruption)
    #expect(!found.isWritable)
    #expect(found.commit == 5)
    #expect(!found.report.salvageable.isEmpty)
    #expect(found.system.kill() == damaged)
    let dropped = try CrashRig.open(damaged, policy: .drop)
    #expect(dropped.isWritable)
    #expect(dropped.names == [".2.\(ends[0]).quarantine", ".content"])
  }

  @Test func aFlushVouchesForTheLastGroup() throws {
    for flushed in [false, true] {
      let (image, ends) = try journaled(synced: true, flushed: flushed)
      var content = try bytes(image)
      content[ends[1] + 12] ^= 1
      let found = try CrashRig.open(image.with(journal, content))
      #expect(found.report.verdict == (flushed ? .corruption : .tornTail))
      #expect(found.commit == 6)
    }
  }

  @Test func aDamagedHeaderIsCorruptionOnlyWhereAMarkStandsBehindIt() throws {
    for synced in [false, true] {
      let (image, _) = try journaled(synced: synced)
      var content = try bytes(image)
      content[30] ^= 1
      let found = try CrashRig.open(image.with(journal, content))
      #expect(found.report.verdict == (synced ? .corruption : .tornTail))
      #expect(found.commit == 4)
    }
  }

  @Test func aSnapshotWithoutItsEndAndWithoutJournalIsDamagedAndNeverEmpty() throws {
    let image = CrashRun.base.image
    let whole = try #require(image[CrashRig.contentPath])
    for length in [0, 10, 36, whole.count - 1] {
      let damaged = image.with(CrashRig.contentPath, Array(whole[..<length]))
      let found = try CrashRig.open(damaged)
      #expect(found.report.verdict == .damagedSnapshot)
      #expect(!found.isWritable)
      #expect(found.system.kill() == damaged)
    }
    let trailing = try CrashRig.open(image.with(CrashRig.contentPath, whole + [1, 2, 3]))
    #expect(trailing.report.verdict == .damagedSnapshot)
    #expect(trailing.commit == 4)
  }

  @Test func aSnapshotOlderThanTheDocumentSaysIsDamaged() throws {
    let image = CrashRun.base.image
    #expect(try CrashRig.open(image, floor: PageFloor(generation: 2, commit: 4)).report.verdict == .clean)
    #expect(
      try CrashRig.open(image, floor: PageFloor(generation: 2, commit: 5)).report.verdict == .damagedSnapshot)
    #expect(
      try CrashRig.open(image, floor: PageFloor(generation: 3, commit: 4)).report.verdict == .damagedSnapshot)
  }

  @Test func mergeCutOffWithJournalPresent() throws {
    let rig = try CrashRig()
    try rig.append(2)
    try rig.page.sync()
    let before = rig.system.kill()
    let base = rig.size(CrashRig.contentPath)
    let images = try rig.crashes { try rig.page.compact() }
    let cut = images.filter { image in
      guard let content = image[CrashRig.contentPath], image[journal] != nil else { return false }
      return content.count > base && content.count < rig.size(CrashRig.contentPath)
        || content[base...].allSatisfy { $0 == 0 } && content.count > base
    }
    #expect(cut.count > 0)
    for image in cut {
      let found = try CrashRig.open(image)
      #expect(found.report.verdict == .leftOpen)
      #expect(found.commit == 6)
      // What stood behind the end is set aside, not destroyed.
      #expect(found.names == [".0.\(base).quarantine", ".content"])
    }
    #expect(before[journal] != nil)
  }

  /// A file that only has the journal's name does not make damage of the snapshot a merge that was cut off.
  @Test func damageBehindAnEndBesideAnEmptyJournalIsNoCutOffMerge() throws {
    let rig = try CrashRig()
    try rig.append(2)
    try rig.page.sync()
    try rig.page.compact()
    try rig.store.close()
    let image = rig.system.kill()
    let content = try #require(image[CrashRig.contentPath])
    var damaged = content
    damaged[content.count - 20] ^= 1
    var files: [String: [UInt8]] = [CrashRig.contentPath: damaged]
    for generation in 1...3 { files[CrashRig.journalPath(generation)] = [] }
    let found = try CrashRig.open(Image(files))
    #expect(found.report.verdict == .damagedSnapshot)
  }

  @Test func aGapIsNeverBridged() throws {
    for isMarked in [false, true] {
      let rig = try CrashRig(threshold: 1)
      try rig.append()
      if isMarked { try rig.page.sync() } else { try rig.page.write() }
      try rig.append()
      if isMarked { try rig.page.sync() } else { try rig.page.write() }
      try rig.append()
      if isMarked { try rig.page.sync() } else { try rig.page.write() }
      let image = rig.system.kill()
      #expect(rig.names == [".2.journal", ".3.journal", ".content"])
      let gap = try CrashRig.open(image.with(journal, nil))
      #expect(gap.report.verdict == (isMarked ? .corruption : .unsyncedTail))
      #expect(gap.commit == 4)
      let whole = try bytes(image)
      let short = try CrashRig.open(image.with(journal, Array(whole[..<111])))
      #expect(short.report.verdict == (isMarked ? .corruption : .unsyncedTail))
      #expect(short.commit == 5)
    }
  }

  @Test func staleFrameOfRemovedJournalNeverReplays() throws {
    let rig = try CrashRig()
    try rig.append(2)
    try rig.page.sync()
    let stale = try bytes(rig.system.kill())
    try rig.page.compact()
    let merged = rig.system.kill()
    // Its unlink was lost: the end lists it, so it goes without a word.
    let known = try CrashRig.open(merged.with(journal, stale))
    #expect(known.report.verdict == .leftOpen)
    #expect(known.commit == 6)
    #expect(known.names == [".content"])
    // It comes back much later: nobody lists it any more.
    try rig.append()
    try rig.page.compact()
    let foreign = try CrashRig.open(rig.system.kill().with(journal, stale))
    #expect(foreign.report.verdict == .foreignJournal)
    #expect(foreign.commit == 7)
    #expect(foreign.names == [".2.0.quarantine", ".content"])
    // It stands where the next journal would.
    let place = try CrashRig.open(merged.with(CrashRig.journalPath(3), stale))
    #expect(place.report.verdict == .foreignJournal)
    #expect(place.commit == 6)
  }

  @Test func framesOfOneFileDoNotVerifyInAnother() throws {
    let (image, ends) = try journaled(synced: true)
    let first = try bytes(image)
    let other = try CrashRig()
    try other.append(1)
    try other.page.compact()
    try other.append(2)
    try other.page.sync()
    let path = CrashRig.journalPath(3)
    let second = try #require(other.system.kill()[path])
    // Stale frames of the removed journal behind the valid ones of the new.
    let mixed = second + first[ends[0]...]
    let found = try CrashRig.open(other.system.kill().with(path, mixed))
    #expect(found.commit == 7)
    #expect(found.report.bytesSetAside == first.count - ends[0])
  }

  @Test func tornTailsQuarantineGoesWithTheCloseOfALaterSessionThatCommitted() throws {
    let (image, ends) = try journaled(synced: true)
    let torn = image.with(journal, Array(try bytes(image)[..<(ends[1] + 2)]))
    let rig = try CrashRig(torn)
    let name = ".2.\(ends[1]).quarantine"
    try rig.append()
    try rig.store.close()
    #expect(rig.names == [name, ".content"], "not with the session that set it aside")
    let second = try CrashRig(rig.system.kill())
    try second.store.close()
    #expect(second.names == [name, ".content"], "not with one that committed nothing")
    let third = try CrashRig(rig.system.kill())
    try third.append()
    try third.store.close()
    #expect(third.names == [".content"])
  }

  @Test func corruptionsQuarantineStays() throws {
    let (image, ends) = try journaled(synced: true)
    var content = try bytes(image)
    content[ends[0] + 12] ^= 1
    let dropped = try CrashRig.open(image.with(journal, content), policy: .drop)
    let rig = try CrashRig(dropped.system.kill())
    try rig.append()
    try rig.store.close()
    #expect(rig.names == [".2.\(ends[0]).quarantine", ".content"])
  }

  /// ext4 with data journalling: a sync that failed says so one call late. What was acknowledged in between cannot be
  /// saved by anybody; from the error on everything is.
  @Test(arguments: [1 << 20, 130])
  func aSyncThatFailsOneCallLateIsMadeGoodAtTheNextOne(threshold: Int) throws {
    let rig = try CrashRig(threshold: threshold)
    for _ in 0..<3 {
      try rig.append()
      try rig.page.sync()
    }
    try rig.fail("synchronizeFile suffix \".journal\" once: sync late")
    try rig.append()
    _ = try? rig.page.sync()
    try rig.append()
    _ = try? rig.page.sync()
    try rig.append()
    #expect(try rig.page.sync() == 10)
    for image in rig.system.crashImages() {
      let found = try CrashRig.open(image)
      #expect(found.commit == 10 && found.report.verdict.isHealthy, "\(found.report)\n\(image)")
    }
  }
}
