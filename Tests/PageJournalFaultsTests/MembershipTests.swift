// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults
import Testing

/// Whether a power cut may leave an image, asked without going through all of them.
@Suite struct MembershipTests {
  private static let inside = CrashProfile(name: "inside", unit: 64, cutsInsideUnits: true, completeUnits: 3)
  private static let mixing = CrashProfile(name: "mixing", unit: 256, mixesFills: true, completeUnits: 4)
  private static let carrying = CrashProfile(name: "carrying", replacingRenameCarriesData: true)

  /// A few calls on two files in two directories, one of which may itself be new.
  private func workload(_ random: inout SplitMix64) throws -> SimulatedFileSystem {
    let system = SimulatedFileSystem()
    try system.createDirectory("/d")
    if Bool.random(using: &random) { try system.syncDirectory("/") }
    let paths = ["/a", "/b", "/d/a", "/d/b"]
    for _ in 0..<Int.random(in: 2...7, using: &random) {
      let path = try #require(paths.randomElement(using: &random))
      let other = try #require(paths.randomElement(using: &random))
      let exists = (try? system.status(of: path)) != nil
      switch Int.random(in: 0..<9, using: &random) {
      case 0 where exists: try system.remove(path)
      case 1, 2: if exists { try system.rename(path, to: other) }
      case 3 where exists: try system.syncFile(path)
      case 4: try system.syncDirectory(Bool.random(using: &random) ? "/" : "/d")
      case 5 where exists: try system.cut(path, to: UInt64.random(in: 0...700, using: &random))
      default:
        let count = Bool.random(using: &random) ? 3 : Int.random(in: 1...600, using: &random)
        try system.put(
          path, ink(count, UInt8.random(in: 1...200, using: &random)),
          at: UInt64.random(in: 0...4, using: &random) * 100)
      }
    }
    return system
  }

  @Test(arguments: [CrashProfile.worst, .nopsow, .ext4, .xfs, inside, mixing, carrying])
  func everyImageThatIsEnumeratedIsAMember(_ profile: CrashProfile) throws {
    for seed in UInt64(1)...80 {
      var random = SplitMix64(seed: seed)
      let system = try workload(&random)
      for image in system.crashImages(profile: profile, limit: 400) {
        #expect(system.couldLeave(image, profile: profile), "seed \(seed)\n\(image)")
        #expect(system.objections(to: image, profile: profile) == [], "seed \(seed)")
      }
    }
  }

  /// An image with one file or name changed is a member only if it is one of those that are enumerated.
  @Test func imageThatIsAlteredIsNoMember() throws {
    var (altered, members) = (0, 0)
    for seed in UInt64(1)...120 {
      var random = SplitMix64(seed: seed)
      let system = try workload(&random)
      for profile in [CrashProfile.worst, .xfs] {
        let images = Array(system.crashImages(profile: profile, limit: 3000))
        for image in images.shuffled(using: &random).prefix(12) {
          for other in alterations(image, &random) where !images.contains(other) {
            altered += 1
            guard system.couldLeave(other, profile: profile) else {
              #expect(system.objections(to: other, profile: profile) != [])
              continue
            }
            members += 1
          }
        }
      }
    }
    // Sizes and ages of sectors that are not tried together are members without being enumerated.
    print("altered images: \(altered), of which \(members) are members all the same")
    #expect(altered > 5000)
    #expect(members * 50 < altered)
  }

  private func alterations(_ image: Image, _ random: inout SplitMix64) -> [Image] {
    var files: [String: [UInt8]] = [:]
    for path in image.paths { if let bytes = image[path] { files[path] = bytes } }
    let directories = image.paths.filter { image[$0] == nil }
    var found: [Image] = []
    for (path, bytes) in files.sorted(by: { $0.key < $1.key }) {
      var other = files
      other[path] = nil
      found.append(Image(other, directories: directories))
      other[path + "x"] = bytes
      found.append(Image(other, directories: directories))
      other = files
      if !bytes.isEmpty {
        other[path]?[Int.random(in: bytes.indices, using: &random)] ^= 0x80
        found.append(Image(other, directories: directories))
        other[path] = bytes.dropLast()
        found.append(Image(other, directories: directories))
      }
      other[path] = bytes + [9]
      found.append(Image(other, directories: directories))
    }
    files["/new"] = []
    found.append(Image(files, directories: directories))
    found.append(Image(files, directories: directories + ["/more"]))
    return found
  }

  /// The rule once more, slowly: per order of changes, all sizes times all that each sector ever showed.
  @Test(arguments: [CrashProfile.worst, .nopsow, .ext4, mixing])
  func membersAreExactlyThoseOfTheRule(_ profile: CrashProfile) throws {
    for seed in UInt64(1)...40 {
      var random = SplitMix64(seed: seed)
      let system = SimulatedFileSystem()
      let durable = ink(Int.random(in: 0...700, using: &random))
      try system.put("/a", durable, sync: true)
      try system.syncDirectory("/")
      var model = ContentRule(durable, profile, try garbage(512))
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let start = Int.random(in: 0...800, using: &random)
        let bytes = random.bytes(Int.random(in: 1...500, using: &random)).map { $0 | 1 }
        try system.put("/a", bytes, at: UInt64(start))
        model.write(bytes, at: start)
      }
      for _ in 0..<300 {
        let (bytes, isMember) = model.draw(&random)
        #expect(
          system.couldLeave(Image(["/a": bytes]), profile: profile) == isMember,
          "seed \(seed): \(bytes.count) bytes, member \(isMember)")
      }
    }
  }

  @Test func piecesOfDifferentAgeMayStandSideBySide() throws {
    let system = SimulatedFileSystem()
    try system.put("/a", ink(1024), sync: true)
    try system.syncDirectory("/")
    for start in [UInt8(50), 100, 150] {
      try system.put("/a", ink(512, start))
      try system.put("/a", ink(512, start), at: 512)
    }
    let image = Image(["/a": ink(512, 50) + ink(512, 150)])
    #expect(system.couldLeave(image))
    #expect(!system.couldLeave(Image(["/a": ink(512, 50) + ink(511, 150) + [0]])))
    #expect(!system.couldLeave(Image(["/a": ink(512, 51) + ink(512, 150)])))
  }

  @Test func namesAreExactWhereTheyAreOnlySampled() throws {
    let system = SimulatedFileSystem()
    for number in 0..<40 { try system.put("/f\(number)", [UInt8(number + 1)], sync: true) }
    #expect(!Array(system.crashImages(limit: 10)).isEmpty)
    let some = (0..<40).filter { $0 % 3 != 1 }
    let files = Dictionary(uniqueKeysWithValues: some.map { ("/f\($0)", [UInt8($0 + 1)]) })
    #expect(system.couldLeave(Image(files)))
    #expect(!system.couldLeave(Image(files), profile: .ext4))
    #expect(!system.couldLeave(Image(files.merging(["/f1": [3]]) { $1 })))
    #expect(system.couldLeave(system.kill(), profile: .xfs))
  }

  @Test func whatARenameCarriesIsNotMissed() throws {
    let system = SimulatedFileSystem()
    try system.put("/a", ink(100), sync: true)
    try system.syncDirectory("/")
    try system.put("/b", ink(100, 7))
    try system.rename("/b", to: "/a")
    let empty = Image(["/a": []])
    #expect(system.couldLeave(empty))
    #expect(system.couldLeave(empty, profile: .xfs))
    #expect(!system.couldLeave(empty, profile: .ext4))
    #expect(!system.couldLeave(empty, profile: Self.carrying))
    #expect(system.couldLeave(Image(["/a": ink(100, 7)]), profile: .ext4))
  }

  @Test func reasonIsNamed() throws {
    let system = SimulatedFileSystem()
    try system.put("/a", ink(100), sync: true)
    try system.syncDirectory("/")
    #expect(system.objections(to: Image(["/a": ink(99)])).first?.hasPrefix("/a: ") == true)
    #expect(system.objections(to: Image(["/a": ink(100), "/c": []])) == ["/c: there was never such a name"])
    #expect(system.objections(to: Image()) == ["the names, or names and bytes, cannot be so together"])
  }
}

/// What each sector of a file showed, kept byte by byte. Only writes, so that there is one order of changes.
private struct ContentRule {
  let profile: CrashProfile
  let durable: [UInt8]
  let noise: [UInt8]
  var now: [UInt8]
  var sizes: Set<Int>
  var versions: [Int: Set<[UInt8]>] = [:]
  var covered: Set<Int> = []

  init(_ durable: [UInt8], _ profile: CrashProfile, _ noise: [UInt8]) {
    self.durable = durable
    self.profile = profile
    self.noise = noise
    now = durable
    sizes = [durable.count]
  }

  private func block(_ piece: Int, _ byte: (Int) -> UInt8) -> [UInt8] {
    (piece * profile.unit..<(piece + 1) * profile.unit).map(byte)
  }

  private func certain(_ piece: Int) -> [UInt8] { block(piece) { $0 < durable.count ? durable[$0] : 0 } }

  mutating func write(_ bytes: [UInt8], at start: Int) {
    let before = now.count
    now += zeros(max(0, start + bytes.count - now.count))
    now.replaceSubrange(start..<start + bytes.count, with: bytes)
    sizes.insert(now.count)
    covered.formUnion(start..<start + bytes.count)
    let first = min(start, before) / profile.unit
    for piece in first...(start + bytes.count - 1) / profile.unit {
      if piece > first, piece * profile.unit > before { sizes.insert(piece * profile.unit) }
      let (now, durable, covered, powersafe) = (now, durable, covered, profile.powersafeOverwrite)
      var seen = versions[piece] ?? [certain(piece)]
      seen.insert(block(piece) { $0 < now.count ? now[$0] : 0 })
      for fill in profile.fills where fill != .old {
        seen.insert(
          block(piece) { place in
            if powersafe, place < durable.count, !covered.contains(place) { return durable[place] }
            return fill == .zero ? 0 : noise[place % profile.unit]
          })
      }
      versions[piece] = seen
    }
  }

  /// A content that may be left, or one that differs from such a one a little, and whether it may be left.
  func draw(_ random: inout SplitMix64) -> (bytes: [UInt8], isMember: Bool) {
    var size = sizes.sorted().randomElement(using: &random) ?? 0
    var bytes: [UInt8] = []
    var piece = 0
    while bytes.count < size + profile.unit {
      let seen = versions[piece]?.sorted { $0.lexicographicallyPrecedes($1) } ?? [certain(piece)]
      bytes += seen.randomElement(using: &random) ?? []
      piece += 1
    }
    if Int.random(in: 0..<4, using: &random) == 0 { size += Int.random(in: -2...2, using: &random) }
    bytes = Array(bytes[..<max(0, size)])
    if Int.random(in: 0..<3, using: &random) == 0, !bytes.isEmpty {
      bytes[Int.random(in: bytes.indices, using: &random)] ^= 0x55
    }
    return (bytes, isMember(bytes))
  }

  private func isMember(_ bytes: [UInt8]) -> Bool {
    guard sizes.contains(bytes.count) else { return false }
    return stride(from: 0, to: bytes.count, by: profile.unit).allSatisfy { start in
      let shown = Array(bytes[start..<min(start + profile.unit, bytes.count)])
      let piece = start / profile.unit
      return (versions[piece] ?? [certain(piece)]).contains { Array($0[..<shown.count]) == shown }
    }
  }
}
