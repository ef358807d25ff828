// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults
import Testing

/// What a power cut does to the names in directories.
@Suite struct CrashNameTests {
  @Test func independentCreatesSurviveInAnySet() throws {
    let system = SimulatedFileSystem()
    try system.put("/a", [], sync: true)
    try system.put("/b", [], sync: true)
    let wanted = [Image(), Image(["/a": []]), Image(["/b": []]), Image(["/a": [], "/b": []])]
    #expect(system.allImages() == Set(wanted))
    #expect(system.allImages(.ext4) == [wanted[0], wanted[1], wanted[3]])
  }

  @Test func renameIsOneOperationAndNeedsTheNameItMoves() throws {
    let system = SimulatedFileSystem()
    try system.put("/a", [1], sync: true)
    try system.syncDirectory("/")
    try system.put("/t", [2], sync: true)
    try system.rename("/t", to: "/a")
    let wanted = [Image(["/a": [1]]), Image(["/a": [1], "/t": [2]]), Image(["/a": [2]])]
    #expect(system.allImages() == Set(wanted))
  }

  @Test(arguments: [CrashProfile.worst, .ext4, .xfs])
  func renameLostAlthoughAnotherFileWasSynced(_ profile: CrashProfile) throws {
    let system = SimulatedFileSystem()
    try system.put("/a", [1], sync: true)
    try system.put("/t", [2], sync: true)
    try system.syncDirectory("/")
    try system.rename("/t", to: "/a")
    try system.put("/other", ink(9), sync: true)
    try system.put("/other", ink(9, 2), sync: true)
    #expect(system.allImages(profile).contains(Image(["/a": [1], "/t": [2]])))
  }

  @Test func renamedUnsyncedFileIsEmptyAlthoughTheDirectoryWasSynced() throws {
    let fresh = SimulatedFileSystem()
    try fresh.put("/t", ink(300))
    try fresh.rename("/t", to: "/a")
    try fresh.syncDirectory("/")
    let replacing = SimulatedFileSystem()
    try replacing.put("/a", [1], sync: true)
    try replacing.syncDirectory("/")
    try replacing.put("/t", ink(300))
    try replacing.rename("/t", to: "/a")
    let unsynced = replacing.allImages(.ext4)
    try replacing.syncDirectory("/")
    let empty = Image(["/a": []])
    for profile in [CrashProfile.worst, .nopsow, .ext4, .xfs] {
      #expect(fresh.allImages(profile).contains(empty), "\(profile.name)")
      #expect(replacing.allImages(profile).contains(empty) == (profile != .ext4), "\(profile.name)")
    }
    #expect(replacing.allImages(.ext4) == [Image(["/a": ink(300)])])
    #expect(unsynced.contains(Image(["/a": [1], "/t": []])))
    #expect(!unsynced.contains(empty))
  }

  @Test(arguments: [CrashProfile.worst, .ext4, .xfs])
  func unlinkDurableEarly(_ profile: CrashProfile) throws {
    let system = SimulatedFileSystem()
    try system.put("/journal", ink(300), sync: true)
    try system.put("/snapshot", [1], sync: true)
    try system.syncDirectory("/")
    try system.put("/snapshot", ink(300), at: 1)
    try system.remove("/journal")
    #expect(system.allImages(profile).contains(Image(["/snapshot": [1]])))
  }

  @Test func unlinkDurableBeforeAnEarlierCreate() throws {
    let system = SimulatedFileSystem()
    try system.put("/old", [1], sync: true)
    try system.syncDirectory("/")
    try system.put("/new", [2], sync: true)
    try system.remove("/old")
    #expect(system.allImages().contains(Image()))
    #expect(!system.allImages(.ext4).contains(Image()))
  }

  @Test func unlinkedFileComesBackWithWhatWasWrittenAfterwards() throws {
    let system = SimulatedFileSystem()
    try system.put("/a", [1, 2], sync: true)
    try system.syncDirectory("/")
    let file = try system.open("/a", .readWrite)
    try system.remove("/a")
    _ = try file.write([3, 4].span, at: 0)
    file.close()
    #expect(system.allImages().isSuperset(of: [Image(), Image(["/a": [1, 2]]), Image(["/a": [3, 4]])]))
    try system.syncDirectory("/")
    #expect(system.allImages() == [Image()])
  }

  @Test(arguments: [CrashProfile.worst, .ext4, .xfs])
  func durableRecordNamesAnAssetThatIsAbsentOrEmpty(_ profile: CrashProfile) throws {
    let system = SimulatedFileSystem()
    try system.createDirectory("/assets")
    try system.put("/page", [], sync: true)
    try system.syncDirectory("/")
    try system.put("/assets/one", ink(900))
    try system.put("/page", ink(40), sync: true)
    let absent = Image(["/page": ink(40)], directories: ["/assets"])
    #expect(
      system.allImages(profile).isSuperset(of: [absent, Image(["/page": ink(40), "/assets/one": []])]))
    try system.syncDirectory("/assets")
    #expect(!system.allImages(profile).contains(absent))
    #expect(system.allImages(profile).contains(Image(["/page": ink(40), "/assets/one": []])))
  }

  @Test func fileInAnUnsyncedDirectoryIsUnreachable() throws {
    let system = SimulatedFileSystem()
    try system.createDirectory("/d")
    try system.put("/d/a", [1], sync: true)
    try system.syncDirectory("/d")
    #expect(system.allImages() == [Image(), Image(["/d/a": [1]])])
    try system.syncDirectory("/")
    #expect(system.allImages() == [Image(["/d/a": [1]])])
  }

  @Test func renameBetweenDirectoriesNeedsBothSyncs() throws {
    let system = SimulatedFileSystem()
    try system.createDirectory("/d")
    try system.put("/a", [1], sync: true)
    try system.syncDirectory("/")
    try system.rename("/a", to: "/d/b")
    let (before, after) = (Image(["/a": [1]], directories: ["/d"]), Image(["/d/b": [1]]))
    #expect(system.allImages() == [before, after])
    try system.syncDirectory("/d")
    #expect(system.allImages() == [before, after])
    try system.syncDirectory("/")
    #expect(system.allImages() == [after])
  }

  @Test func settledOperationSettlesTheRenameItRestsOn() throws {
    let system = SimulatedFileSystem()
    try system.createDirectory("/d")
    try system.put("/a", [1], sync: true)
    try system.syncDirectory("/")
    try system.rename("/a", to: "/d/b")
    try system.rename("/d/b", to: "/d/c")
    try system.syncDirectory("/d")
    #expect(system.allImages() == [Image(["/d/c": [1]])])
  }

  @Test func movedDirectoryTakesItsFilesAlong() throws {
    let system = SimulatedFileSystem()
    try system.createDirectory("/d")
    try system.put("/d/a", [1], sync: true)
    try system.syncDirectory("/d")
    try system.syncDirectory("/")
    try system.rename("/d", to: "/e")
    #expect(system.allImages() == [Image(["/d/a": [1]]), Image(["/e/a": [1]])])
  }

  @Test func equalImagesOfDifferentTreesAreGivenOnce() throws {
    let system = SimulatedFileSystem()
    try system.put("/a", [7, 7], sync: true)
    try system.syncDirectory("/")
    try system.put("/t", [])
    try system.put("/t", [7, 7])
    try system.rename("/t", to: "/a")
    let images = system.crashImages()
    let list = Array(images)
    #expect(Set(list).count == list.count)
    #expect(images.statistics.duplicates == 1)
    #expect(list.count == 1 + 4 + 3)
  }

  @Test func manyNameOperationsAreSampledAndSaidToBe() throws {
    let system = SimulatedFileSystem()
    for number in 0..<20 { try system.put("/f\(number)", [], sync: true) }
    let images = system.crashImages()
    let list = Array(images)
    #expect(images.statistics.namesAreSampled)
    #expect(!images.statistics.isComplete)
    #expect(Set(list).count == list.count)
    #expect(list.first == Image())
    #expect(list.contains(system.kill()))
    #expect(list.contains(Image(["/f13": []])))
    #expect(list.count == 21 + 20 + 20 - 2)
  }
}
