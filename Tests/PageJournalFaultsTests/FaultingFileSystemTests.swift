// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults
import Testing

/// Plans at work.
@Suite struct FaultingFileSystemTests {
  private let disk = SimulatedFileSystem()

  private func faulting(_ plan: String) throws -> FaultingFileSystem {
    FaultingFileSystem(disk, plan: try FaultPlan(parsing: plan))
  }

  private func code(_ body: () throws -> Void) -> StorageError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? StorageError)?.code
    }
  }

  /// One call of each kind.
  private func work(_ system: some FileSystem) throws {
    try system.createDirectory("/w")
    let directory = try system.openDirectory("/w")
    defer { directory.close() }
    _ = try directory.tryLock()
    let file = try system.open("/w/a", .createNew)
    defer { file.close() }
    _ = try file.write([1, 2, 3].span, at: 0)
    try file.truncate(to: 2)
    _ = try file.synchronize()
    _ = try directory.synchronize()
    try system.rename("/w/a", to: "/w/b")
    let again = try system.open("/w/b", .read)
    defer { again.close() }
    _ = try again.read(at: 0, count: 3)
    _ = try again.status()
    _ = try system.status(of: "/w/b")
    _ = try system.names(in: "/w")
    try system.remove("/w/b")
    try system.removeDirectory("/w")
  }

  @Test(arguments: FileOperation.allCases)
  func everyKindOfCallFailsAsPlanned(_ operation: FileOperation) throws {
    let system = try faulting("\(operation.rawValue): error tooManyOpenFiles")
    #expect(code { try work(system) } == .tooManyOpenFiles)
    #expect(system.fired.map(\.operation) == [operation])
  }

  @Test func errorIsSweptOverAllCallsUntilTheWorkCompletes() throws {
    var call = 1
    while true {
      let fresh = SimulatedFileSystem()
      let system = FaultingFileSystem(
        fresh, plan: [FaultRule(Set(FileOperation.allCases), call: call, effect: .error(.io))])
      let failure = code { try work(system) }
      guard !system.fired.isEmpty else {
        #expect(failure == nil)
        break
      }
      #expect(failure == .io)
      call += 1
    }
    #expect(call - 1 == 16)
  }

  @Test func nthMatchingCallOnThePathFailsOnce() throws {
    let system = try faulting("write suffix \".j\" call 2: error io")
    try system.put("/a.j", [1])
    try system.put("/a.x", [1])
    #expect(code { try system.put("/b.j", [2]) } == .io)
    try system.put("/b.j", [3])
    #expect(try disk.content("/b.j") == [3])
    #expect(system.matches == [3])
    #expect(system.fired.map(\.description) == ["rule 1 on write /b.j"])
  }

  @Test func stickyErrorStays() throws {
    let system = try faulting("remove,rename contains \"a\" call 2 sticky: error readOnlyVolume")
    for path in ["/a1", "/a2", "/b"] { try system.put(path, []) }
    try system.rename("/b", to: "/a3")
    for _ in 0..<3 { #expect(code { try system.remove("/a1") } == .readOnlyVolume) }
    #expect(code { try system.rename("/a2", to: "/c") } == .readOnlyVolume)
    #expect(try disk.names(in: "/") == ["a1", "a2", "a3"])
  }

  @Test func shortWriteIsContinued() throws {
    let system = try faulting("write call 2: short 2 then proceed")
    let file = try system.open("/a", .createNew)
    #expect(try file.write(ink(5).span, at: 0) == 5)
    #expect(try file.write(ink(5).span, at: 5) == 2)
    #expect(try file.write(ink(5).span.extracting(2..<5), at: 7) == 3)
    #expect(try disk.content("/a") == ink(5) + ink(5))
  }

  @Test func shortWriteEndsInNoSpace() throws {
    let once = try faulting("write: short 2 then noSpace")
    let file = try once.open("/a", .createNew)
    #expect(try file.write(ink(5).span, at: 0) == 2)
    #expect(code { _ = try file.write(ink(3).span, at: 2) } == .noSpace)
    #expect(try file.write(ink(3).span, at: 2) == 3)
    let sticky = try faulting("write sticky: short 2 then noSpace")
    let other = try sticky.open("/b", .createNew)
    #expect(try other.write(ink(5).span, at: 0) == 2)
    for _ in 0..<3 { #expect(code { _ = try other.write(ink(3).span, at: 2) } == .noSpace) }
    #expect(try disk.content("/b") == Array(ink(5)[..<2]))
  }

  @Test func spaceRunsOutWithAShortWriteAndComesBack() throws {
    let system = try faulting("write suffix \".j\": space 7")
    let file = try system.open("/a.j", .createNew)
    try system.put("/other", ink(100))
    #expect(try file.write(ink(5).span, at: 0) == 5)
    #expect(try file.write(ink(5).span, at: 5) == 2)
    #expect(code { _ = try file.write(ink(3).span, at: 7) } == .noSpace)
    system.addSpace(4)
    #expect(try file.write(ink(3).span, at: 7) == 3)
    #expect(try file.write(ink(3).span, at: 10) == 1)
    #expect(code { _ = try file.write(ink(3).span, at: 11) } == .noSpace)
    system.addSpace(.max)
    #expect(try file.write(ink(300).span, at: 11) == 300)
  }

  @Test func bitIsReadInvertedWhereverTheReadBegins() throws {
    try disk.put("/a", ink(100))
    let system = try faulting("read sticky: flip 83")
    let file = try system.open("/a", .read)
    var damaged = ink(100)
    damaged[10] ^= 8
    #expect(try file.read(at: 0, count: 100) == damaged)
    #expect(try file.read(at: 10, count: 1) == [damaged[10]])
    #expect(try file.read(at: 11, count: 50) == Array(damaged[11..<61]))
    #expect(try file.read(at: 0, count: 10) == Array(damaged[..<10]))
    #expect(system.matches == [2])
    #expect(try disk.content("/a") == ink(100))
  }

  @Test func sectorIsReadAsZerosOnce() throws {
    try disk.put("/a", ink(1200))
    let system = try faulting("read call 2 once: zero 1")
    let file = try system.open("/a", .read)
    #expect(try file.read(at: 0, count: 2000) == ink(1200))
    #expect(try file.read(at: 1000, count: 2000) == zeros(24) + ink(1200)[1024...])
    #expect(try file.read(at: 0, count: 2000) == ink(1200))
  }

  @Test func sectorIsReadAsItWasBeforeTheLatestWrite() throws {
    let system = try faulting("read sticky: stale 1")
    try system.put("/a", ink(1200))
    try system.put("/a", ink(300, 9), at: 600)
    let file = try system.open("/a", .read)
    let now: [UInt8] = Array(ink(1200)[..<600]) + ink(300, 9) + Array(ink(1200)[900...])
    let wanted: [UInt8] = Array(now[..<512]) + Array(ink(1200)[512..<1024]) + Array(now[1024...])
    #expect(try file.read(at: 0, count: 2000) == wanted)
    #expect(try file.read(at: 600, count: 10) == Array(ink(1200)[600..<610]))
  }

  @Test func sectorIsReadWithTheBytesOfAnother() throws {
    try disk.put("/a", ink(1200))
    let system = try faulting("read sticky: misdirect 0 1; read sticky: misdirect 2 9")
    let file = try system.open("/a", .read)
    let wanted: [UInt8] = Array(ink(1200)[512..<1024]) + Array(ink(1200)[512..<1024]) + zeros(176)
    #expect(try file.read(at: 0, count: 2000) == wanted)
    #expect(try file.read(at: 100, count: 10) == Array(ink(1200)[612..<622]))
    #expect(try disk.content("/a") == ink(1200))
  }

  @Test func rulesOnTheSameCallAddUp() throws {
    let system = try faulting(
      "write: short 4 then proceed; write: short 2 then proceed; read: flip 0; read: flip 1")
    let file = try system.open("/a", .createNew)
    #expect(try file.write(ink(9).span, at: 0) == 2)
    #expect(try file.read(at: 0, count: 1) == [ink(1)[0] ^ 3])
    #expect(system.fired.count == 4)
    system.plan = []
    #expect(try file.read(at: 0, count: 1) == ink(1))
    #expect(system.fired.isEmpty)
  }

  @Test func counterCountsCallsAndBytesByKindAndSuffix() throws {
    let system = CountingFileSystem(disk)
    try work(system)
    for operation in FileOperation.allCases {
      #expect(system.counts[operation] == (operation == .status ? 2 : 1), "\(operation)")
    }
    #expect(system.counts.bytesWritten == 3)
    #expect(system.counts.bytesRead == 2)
    #expect(system.counts.mutatingCalls == 9)
    system.reset()
    #expect(system.counts == CallCounts())
    try system.put("/x.journal", ink(10), sync: true)
    try system.put("/x.d", ink(5))
    #expect(code { _ = try system.open("/none.journal", .read) } == .notFound)
    #expect(system.counts(suffix: "journal").bytesWritten == 10)
    #expect(system.counts(suffix: "journal")[.synchronizeFile] == 1)
    #expect(system.counts(suffix: "journal")[.open] == 1)
    #expect(system.counts(suffix: "d").bytesWritten == 5)
    #expect(system.suffixes == ["d", "journal"])
    #expect(system.counts.description.hasSuffix("0 bytes read, 15 bytes written"))
  }
}
