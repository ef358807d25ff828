// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults
import Testing

/// What a power cut does to the bytes of files.
@Suite struct CrashContentTests {
  @Test func nothingPendingLeavesOneImage() throws {
    let system = SimulatedFileSystem()
    try system.put("/a", ink(100), sync: true)
    try system.syncDirectory("/")
    #expect(system.allImages() == [Image(["/a": ink(100)])])
    #expect(!system.hasPending)
  }

  @Test func neverSyncedFileIsAbsentEmptyZerosGarbageOrFull() throws {
    let system = SimulatedFileSystem()
    try system.put("/a", [1, 2, 3])
    let wanted: [Image] = [
      Image(), Image(["/a": []]), Image(["/a": [1, 2, 3]]), Image(["/a": [0, 0, 0]]),
      Image(["/a": try garbage(3)]),
    ]
    #expect(system.allImages() == Set(wanted))
  }

  @Test func writeOfTwoSectorsIsTornAtTheirEdge() throws {
    let system = SimulatedFileSystem()
    let (first, second) = (ink(512), ink(512, 99))
    try system.put("/a", first + second)
    try system.syncDirectory("/")
    let noise = try garbage(512)
    let wanted: [[UInt8]] = [
      [], first, first + second, first + zeros(512), first + noise, zeros(512) + second, noise + second,
      zeros(1024), noise + noise,
    ]
    #expect(system.allImages() == Set(wanted.map { Image(["/a": $0]) }))
  }

  @Test func everySectorHasItsOwnFillWhenFillsAreMixed() throws {
    let system = SimulatedFileSystem()
    try system.put("/a", ink(1024))
    try system.syncDirectory("/")
    var profile = CrashProfile.worst
    profile.mixesFills = true
    let mixed = system.allImages(profile)
    #expect(mixed.contains(Image(["/a": zeros(512) + (try garbage(512))])))
    #expect(mixed.isStrictSuperset(of: system.allImages()))
    #expect(mixed.count == 9 + 2)
  }

  @Test func overwriteKeepsItsNeighboursInTheSector() throws {
    let system = SimulatedFileSystem()
    let durable = ink(512)
    try system.put("/a", durable, sync: true)
    try system.syncDirectory("/")
    try system.put("/a", [9, 9, 9], at: 100)
    let noise = Array(try garbage(512)[100..<103])
    let wanted: [[UInt8]] = [Array(durable[100..<103]), [9, 9, 9], [0, 0, 0], noise]
    #expect(system.allImages() == Set(wanted.map { Image(["/a": durable[..<100] + $0 + durable[103...]]) }))
  }

  @Test func tornSectorLosesItsNeighboursWithoutPowersafeOverwrite() throws {
    let system = SimulatedFileSystem()
    let durable = ink(512)
    try system.put("/a", durable, sync: true)
    try system.syncDirectory("/")
    try system.put("/a", [9, 9, 9], at: 100)
    let new = durable[..<100] + [9, 9, 9] + durable[103...]
    let wanted: [[UInt8]] = [durable, Array(new), zeros(512), try garbage(512)]
    #expect(system.allImages(.nopsow) == Set(wanted.map { Image(["/a": $0]) }))
  }

  @Test(arguments: [CrashProfile.worst, .ext4, .xfs])
  func hundredDurableBytesThenZerosThenLaterBytes(_ profile: CrashProfile) throws {
    let system = SimulatedFileSystem()
    let all = ink(8000)
    try system.put("/j", Array(all[..<100]), sync: true)
    try system.syncDirectory("/")
    for start in stride(from: 100, to: 8000, by: 790) {
      try system.put("/j", Array(all[start..<min(8000, start + 790)]), at: UInt64(start))
    }
    #expect(system.contents(of: "/j", profile).contains(all[..<100] + zeros(3996) + all[4096...]))
  }

  @Test func grownSizeWithoutDataShowsZerosOrGarbage() throws {
    let system = SimulatedFileSystem()
    try system.put("/j", ink(100), sync: true)
    try system.syncDirectory("/")
    try system.put("/j", ink(50, 7), at: 100)
    let noise = Array(try garbage(512)[100..<150])
    let wanted: [[UInt8]] = [ink(100), ink(100) + ink(50, 7), ink(100) + zeros(50), ink(100) + noise]
    #expect(system.allImages() == Set(wanted.map { Image(["/j": $0]) }))
    #expect(system.allImages(.xfs) == Set([wanted[0], wanted[1], wanted[2]].map { Image(["/j": $0]) }))
  }

  @Test func lonelyTruncationIsThereOrNot() throws {
    let system = SimulatedFileSystem()
    try system.put("/a", ink(5000), sync: true)
    try system.syncDirectory("/")
    try system.cut("/a", to: 10)
    #expect(system.allImages() == [Image(["/a": ink(5000)]), Image(["/a": ink(10)])])
  }

  @Test func truncationIsLostAlthoughALaterWriteSurvived() throws {
    let system = SimulatedFileSystem()
    let durable = ink(1000)
    let new: [UInt8] = [201, 202, 203, 204, 205]
    try system.put("/a", durable, sync: true)
    try system.syncDirectory("/")
    try system.cut("/a", to: 10)
    try system.put("/a", new, at: 10)
    let noise = Array(try garbage(512)[10..<15])
    let head = Array(durable[..<10])
    let wanted: [[UInt8]] = [
      durable, head, head + new, head + zeros(5), head + noise, Array(durable[..<15]),
      head + new + durable[15...], head + zeros(5) + durable[15...], head + noise + durable[15...],
      head + new + zeros(497) + durable[512...],
    ]
    #expect(system.allImages() == Set(wanted.map { Image(["/a": $0]) }))
  }

  @Test(arguments: [CrashProfile.worst, .ext4, .xfs])
  func truncationDurableBeforeEarlierWritesOfAnotherFile(_ profile: CrashProfile) throws {
    let system = SimulatedFileSystem()
    try system.put("/old", ink(300), sync: true)
    try system.put("/new", [], sync: true)
    try system.syncDirectory("/")
    try system.put("/new", ink(300, 5))
    try system.cut("/old", to: 0)
    #expect(system.allImages(profile).contains(Image(["/old": [], "/new": []])))
  }

  @Test func truncationDurableBeforeEarlierWritesOfTheSameFile() throws {
    let system = SimulatedFileSystem()
    try system.put("/a", ink(2000), sync: true)
    try system.syncDirectory("/")
    try system.put("/a", ink(20, 9), at: 0)
    try system.cut("/a", to: 600)
    #expect(system.contents(of: "/a").contains(Array(ink(2000)[..<600])))
  }

  @Test func earlierVersionOfOneSectorStandsBesideTheLatestOfAnother() throws {
    let system = SimulatedFileSystem()
    try system.put("/a", zeros(1024), sync: true)
    try system.syncDirectory("/")
    try system.put("/a", ink(100))
    try system.put("/a", ink(824, 77), at: 100)
    let mixed = ink(100) + zeros(412) + Array(ink(824, 77)[412...]) + zeros(100)
    #expect(system.contents(of: "/a").contains(mixed))
  }

  @Test func lastWriteEndsInsideASectorWhereThatIsAllowed() throws {
    let system = SimulatedFileSystem()
    try system.put("/a", ink(100))
    try system.syncDirectory("/")
    var profile = CrashProfile.worst
    #expect(!system.contents(of: "/a", profile).contains(ink(50)))
    profile.cutsInsideUnits = true
    #expect(system.contents(of: "/a", profile).isSuperset(of: [ink(1), ink(50), ink(99)]))
  }

  @Test func reusedBlockShowsTheRemovedFile() throws {
    let system = SimulatedFileSystem()
    try system.put("/old", ink(700), sync: true)
    try system.syncDirectory("/")
    try system.remove("/old")
    try system.put("/new", ink(600, 50))
    try system.syncDirectory("/")
    var profile = CrashProfile.worst
    profile.fills.append(.stale)
    #expect(!system.contents(of: "/new").contains(Array(ink(700)[..<600])))
    #expect(system.contents(of: "/new", profile).contains(Array(ink(700)[..<600])))
  }

  @Test func manyPendingSectorsAreSampledAndSaidToBe() throws {
    let system = SimulatedFileSystem()
    try system.put("/a", ink(40 * 512))
    try system.syncDirectory("/")
    let images = system.crashImages()
    let list = Array(images)
    #expect(Set(list).count == list.count)
    #expect(images.statistics.files.first?.isSampled == true)
    #expect(images.statistics.files.first?.pieces == 40)
    #expect(!images.statistics.isComplete)
    #expect(list.count > 60)
    let shown = Set(list.compactMap { $0["/a"] })
    #expect(shown.contains(ink(40 * 512)))
    #expect(shown.contains(zeros(512) + ink(40 * 512)[512...]))
    #expect(shown.contains(ink(40 * 512)[..<(39 * 512)] + zeros(512)))
  }
}
