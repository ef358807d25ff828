// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults
import Testing

/// Numbers at the end of their range, in plans and in calls: an error or nothing at all, never a trap.
@Suite struct FaultNumberTests {
  private static let edges: [UInt64] = [
    0, 1, 1 << 30, UInt64(Int.max), UInt64(Int.max) + 1, .max / 1024, .max / 1024 + 1, .max / 512 - 1,
    .max / 512,
    .max / 512 + 1, .max - 1, .max,
  ]

  private static let effects: [FaultRule.Effect] = edges.flatMap { number -> [FaultRule.Effect] in
    [
      .flip(bit: number), .zero(sector: number), .stale(sector: number), .space(number),
      .misdirect(sector: 0, other: number), .misdirect(sector: number, other: 0),
      .misdirect(sector: number, other: number), .short(Int(clamping: number), then: .proceed),
      .short(-Int(clamping: number), then: .noSpace),
    ]
  }

  @Test func aSectorMisdirectedToWhereNoFileReachesReadsAsZeros() throws {
    let disk = SimulatedFileSystem()
    try disk.put("/a", ink(600))
    for other in [UInt64(1) << 40, .max / 512, .max / 512 + 1, .max] {
      let system = FaultingFileSystem(
        disk, plan: [FaultRule([.read], effect: .misdirect(sector: 0, other: other))])
      let file = try system.open("/a", .read)
      #expect(try file.read(at: 0, count: 600) == zeros(512) + ink(600)[512...])
    }
  }

  @Test func noNumberOfAnEffectTraps() throws {
    for effect in Self.effects {
      for call in [1, 0, -1, Int.min, .max] {
        let disk = SimulatedFileSystem()
        try disk.put("/a", ink(600))
        var rule = FaultRule(Set(FileOperation.allCases), call: call, repetition: .sticky, effect: effect)
        rule.call = call
        let system = FaultingFileSystem(disk, plan: [rule])
        system.addSpace(.max)
        guard let file = try? system.open("/a", .readWrite) else { continue }
        _ = try? file.read(at: 0, count: 600)
        _ = try? file.write(ink(3).span, at: 1)
        for edge in Self.edges {
          _ = try? file.read(at: edge, count: 600)
          _ = try? file.read(at: edge, count: .max)
        }
        #expect(try disk.content("/a").count == 600)
      }
    }
  }

  /// Offsets that a file system of one's own may take, though `SimulatedFileSystem` does not.
  @Test func noOffsetOfAFileSystemWithoutLimitsTraps() throws {
    for effect in Self.effects {
      let plan: FaultPlan = [
        FaultRule([.read, .write], repetition: .sticky, effect: effect),
        FaultRule([.read], repetition: .sticky, effect: .stale(sector: 0)),
      ]
      let file = try FaultingFileSystem(Endless(), plan: plan).open("/a", .readWrite)
      for edge in Self.edges {
        for count in [1, 3, 600] {
          #expect(try file.read(at: edge, count: count).count == count)
          let taken = try? file.write(ink(count).span, at: edge)
          #expect((taken ?? 1) <= count)
        }
      }
    }
  }

  @Test func callsAtTheEndOfTheRangeAreRefusedAndChangeNothing() throws {
    let disk = SimulatedFileSystem()
    try disk.put("/a", ink(3), sync: true)
    try disk.syncDirectory("/")
    let file = try disk.open("/a", .readWrite)
    for edge in Self.edges where edge > 1 << 30 {
      for body in [
        { try file.truncate(to: edge) }, { _ = try file.write([1].span, at: edge) },
        { _ = try file.write(ink(600).span, at: edge - 1) },
      ] as [() throws -> Void] {
        let error = #expect(throws: StorageError.self) { try body() }
        #expect(error?.code == .tooLarge)
        #expect(error?.file == "/a")
      }
      #expect(try file.read(at: edge, count: .max) == [])
    }
    for count in [-1, Int.min] {
      let error = #expect(throws: StorageError.self) { _ = try file.read(at: 0, count: count) }
      #expect(error?.code == .usage)
    }
    #expect(!disk.hasPending)
    #expect(try disk.content("/a") == ink(3))
  }

  @Test func everyNumberInATextIsReadOrRefusedInOneSentence() throws {
    let texts = Self.edges.map(\.description) + ["18446744073709551616", "99999999999999999999999999999999"]
    for number in texts {
      for form in [
        "write call #: error io", "write: short # then proceed", "write: space #", "read: flip #",
        "read: zero #",
        "read: stale #", "read: misdirect # 0", "read: misdirect 0 #",
      ] {
        let parts = form.split(separator: "#", omittingEmptySubsequences: false)
        let text = parts.joined(separator: number)
        do throws(StorageError) {
          let plan = try FaultPlan(parsing: text)
          #expect(try FaultPlan(parsing: plan.description) == plan)
        } catch {
          #expect(error.code == .usage)
          #expect(!error.description.contains("\n"), "\(error)")
        }
      }
    }
  }

  @Test func numbersOfAProfileAreBroughtIntoTheirRange() throws {
    let disk = SimulatedFileSystem()
    try disk.put("/a", ink(3))
    for number in [Int.min, -1, 0, 1 << 40, .max] {
      var profile = CrashProfile.worst
      profile.unit = number
      profile.completeUnits = number
      profile.completeNames = number
      for limit in [nil, Int.min, -1, 0, 1, .max] {
        let images = Array(disk.crashImages(profile: profile, limit: limit))
        #expect(images.count <= max(0, limit ?? .max))
        #expect(images.allSatisfy { disk.couldLeave($0, profile: profile) })
      }
    }
  }
}

/// A file that has bytes at every offset, and takes them.
private final class Endless: FileSystem, File {
  func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] { ink(count) }
  func write(_ bytes: Span<UInt8>, at offset: UInt64) throws(StorageError) -> Int { bytes.count }
  func truncate(to size: UInt64) throws(StorageError) {}
  func synchronize() throws(StorageError) -> Durability { .medium }
  func status() throws(StorageError) -> FileStatus {
    FileStatus(kind: .file, size: .max, device: 1, inode: 1, links: 1)
  }
  func close() {}

  func open(_ path: String, _ mode: FileMode) throws(StorageError) -> any File { self }
  func openDirectory(_ path: String) throws(StorageError) -> any Directory { throw refused }
  func names(in path: String) throws(StorageError) -> [String] { [] }
  func status(of path: String) throws(StorageError) -> FileStatus { try status() }
  func rename(_ path: String, to target: String) throws(StorageError) { throw refused }
  func remove(_ path: String) throws(StorageError) { throw refused }
  func createDirectory(_ path: String) throws(StorageError) { throw refused }
  func removeDirectory(_ path: String) throws(StorageError) { throw refused }

  private var refused: StorageError { StorageError(.usage, "change a name", cause: "there are none") }
}
