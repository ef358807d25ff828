// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PageJournal

/// Every flipped bit, every truncation and every zeroed sector of golden files.
@Suite struct DamageSweepTests {
  static let names = ["closed", "left-open", "two-journals"]

  /// Every case in release, one in so many where every check of the standard library is on.
  private static var step: Int {
    var step = 1
    assert(
      {
        step = 11
        return true
      }())
    return step
  }

  private func golden(_ name: String) throws -> Golden {
    switch name {
    case "closed": try GoldenMaker.closed()
    case "left-open": try GoldenMaker.leftOpen()
    default: try GoldenMaker.rotated()
    }
  }

  @Test(arguments: names) func everyFlippedBit(name: String) throws {
    var sweep = try DamageSweep(try golden(name))
    for file in sweep.files {
      for bit in stride(from: 0, to: sweep.bytes(file).count * 8, by: Self.step) {
        let isCheckedOnDisk = bit % (7 * Self.step) == 0
        try sweep.flip(file, bit: bit, onDisk: isCheckedOnDisk)
      }
    }
    sweep.finish("\(name), flipped bits", silent: 0)
  }

  @Test(arguments: names) func everyTruncation(name: String) throws {
    var sweep = try DamageSweep(try golden(name))
    for file in sweep.files {
      for length in 0..<sweep.bytes(file).count {
        try sweep.cut(file, to: length, onDisk: length % 7 == 0)
      }
    }
    sweep.finish("\(name), truncations")
    #expect(sweep.silent > 0, "a cut at a frame's edge or at an earlier end cannot be seen without a floor")
  }

  @Test(arguments: names) func everyZeroedSector(name: String) throws {
    var sweep = try DamageSweep(try golden(name))
    for file in sweep.files {
      let count = sweep.bytes(file).count
      for offset in stride(from: 0, to: count, by: 512) {
        try sweep.zero(file, offset..<min(count, offset + 512), onDisk: true)
      }
      for offset in stride(from: 1, to: count, by: Self.step) {
        try sweep.zero(file, offset..<min(count, offset + 512), onDisk: offset % 7 == 0)
      }
      for offset in stride(from: 0, to: count, by: Self.step) {
        try sweep.zero(file, offset..<min(count, offset + 9), onDisk: offset % 7 == 0)
      }
    }
    sweep.finish("\(name), zeroed runs")
  }

  @Test func aClosedSnapshotCutAtAnEarlierEndIsSeenWithTheDocumentsFloor() throws {
    let golden = try GoldenMaker.closed()
    let bytes = golden.files[golden.snapshotName] ?? []
    let last = try #require(SnapshotReading(bytes).end)
    let floor = PageFloor(generation: last.generation, commit: last.commit)
    var cuts = 0
    for frame in FrameListing(bytes).frames where frame.type == .end && frame.end < bytes.count {
      let files = golden.pageFiles(replacing: golden.snapshotName, by: Array(bytes[..<frame.end]))
      #expect(Recovery(files).report.verdict == .clean)
      let found = Recovery(files, floor: floor)
      #expect(found.report.verdict == .damagedSnapshot)
      #expect(PlainPage(found.state) == golden.history[Int(found.state.commit)])
      #expect(try WritableOpen.complaint(files, floor: floor) == nil)
      cuts += 1
    }
    #expect(cuts == 2)
    #expect(Recovery(golden.pageFiles, floor: floor).report.verdict == .clean)
  }
}
