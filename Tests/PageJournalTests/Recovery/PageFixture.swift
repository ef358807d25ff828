// SPDX-License-Identifier: Apache-2.0

import PageJournalFaults

@testable import PageJournal

/// The files of a page made by hand: a snapshot of a few elements, and journals that continue it.
struct PageFixture {
  let page = PageID(high: 0x0123_4567_89ab_4cde, low: 0x8f01_2345_6789_abcd)
  var snapshot: FrameMaker
  var end = SnapshotEnd(generation: 5, nonce: 0xE5, commit: 3, nextID: 4, count: 3, absorbed: [])
  /// In ascending order of generation.
  var journals: [(generation: UInt64, bytes: [UInt8])] = []

  init(absorbed: [AbsorbedJournal] = []) {
    snapshot = FrameMaker(SnapshotHeader(seed: 0x5A5A_0001, page: page))
    // Three elements at the end of the page: ids 1–3, kind 1, payloads [1], [2], [3].
    snapshot.add(.place, [0, 14, 0, 3, 0, 0, 0, 1, 1, 1, 2, 2, 2, 1, 2, 3])
    end.absorbed = absorbed
    snapshot.add(end)
  }

  /// The journal that continues the snapshot.
  func first(marks: Set<Int> = [], count: Int = 4) -> FrameMaker {
    var maker = FrameMaker(
      JournalHeader(
        seed: 0x0BAD_F00D, page: page, generation: 5, nonce: end.nonce, previousNonce: 0, commit: end.commit,
        previousLength: 0, previousCRC: 0))
    for index in 0..<count { maker.append(2, [UInt8(index)], marked: marks.contains(index)) }
    return maker
  }

  /// The journal behind another one.
  func next(
    after before: FrameMaker, commit: UInt64, marks: Set<Int> = [], count: Int = 4, generation: UInt64 = 6,
    previousNonce: UInt64? = nil
  ) -> FrameMaker {
    var maker = FrameMaker(
      JournalHeader(
        seed: 0x1CE0_0000 + UInt32(generation), page: page, generation: generation, nonce: 0xE0 + generation,
        previousNonce: previousNonce ?? (0xE0 + generation - 1), commit: commit,
        previousLength: UInt64(before.bytes.count), previousCRC: before.last))
    for index in 0..<count { maker.append(3, [UInt8(index)], marked: marks.contains(index)) }
    return maker
  }

  var files: PageFiles {
    var files = PageFiles(page: page)
    files.snapshot = .success(snapshot.bytes)
    for journal in journals {
      files.journals.append(
        .init(
          generation: journal.generation,
          name: PageFileName.journal(page, generation: journal.generation).text,
          content: .success(journal.bytes)))
    }
    return files
  }

  func recovered(floor: PageFloor? = nil) -> Recovery { Recovery(files, floor: floor) }

  /// The files in a directory of a simulated file system, all durable.
  func onDisk() throws -> SimulatedFileSystem { try SimulatedFileSystem.holding(files) }
}

extension SimulatedFileSystem {
  /// A file system whose directory "pages" holds the files of a page, all durable.
  static func holding(_ files: PageFiles) throws -> SimulatedFileSystem {
    let system = SimulatedFileSystem(recordsEvents: false)
    try system.createDirectory("pages")
    var all = files.journals.map { ($0.name, $0.content) }
    if let snapshot = files.snapshot { all.append((files.snapshotName, snapshot)) }
    for (name, content) in all {
      let file = try system.open("pages/\(name)", .createNew)
      let bytes = try content.get()
      if !bytes.isEmpty { try file.writeAll(bytes.span, at: 0) }
      _ = try file.synchronize()
      file.close()
    }
    _ = try system.openDirectory("pages").synchronize()
    _ = try system.openDirectory("/").synchronize()
    return system
  }

  /// Names and contents of the directory "pages".
  func pageFiles() throws -> [String: [UInt8]] {
    var all: [String: [UInt8]] = [:]
    for name in try names(in: "pages") {
      all[name] = try contents(of: "pages/\(name)", limit: PageLimits.file)
    }
    return all
  }
}
