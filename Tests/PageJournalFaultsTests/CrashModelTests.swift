// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults
import Testing

/// The enumeration against slow models of it that build every state directly.
@Suite struct CrashModelTests {
  private enum Change {
    case write(Int, [UInt8])
    case resize(Int)
  }

  /// Random changes of a small file: every content, and no other.
  @Test(arguments: [CrashProfile.worst, .nopsow, .xfs])
  func contentsAreExactlyThoseOfTheModel(_ profile: CrashProfile) throws {
    for seed in UInt64(1)...60 {
      var random = SplitMix64(seed: seed)
      let durable = ink(Int.random(in: 0...1500, using: &random))
      var changes: [Change] = []
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        if Int.random(in: 0..<4, using: &random) == 0 {
          changes.append(.resize(Int.random(in: 0...2000, using: &random)))
        } else {
          let start = Int.random(in: 0...1600, using: &random)
          changes.append(.write(start, random.bytes(Int.random(in: 1...900, using: &random)).map { $0 | 1 }))
        }
      }
      let system = SimulatedFileSystem()
      try system.put("/a", durable, sync: true)
      try system.syncDirectory("/")
      for change in changes {
        switch change {
        case .write(let offset, let bytes): try system.put("/a", bytes, at: UInt64(offset))
        case .resize(let size): try system.cut("/a", to: UInt64(size))
        }
      }
      let images = system.crashImages(profile: profile)
      let list = images.compactMap { $0["/a"] }
      let wanted = try model(durable, changes, profile)
      #expect(images.statistics.isComplete, "seed \(seed)")
      #expect(Set(list).count == list.count, "seed \(seed): a content twice")
      let (extra, missing) = (Set(list).subtracting(wanted).count, wanted.subtracting(list).count)
      #expect(extra == 0 && missing == 0, "seed \(seed): \(extra) contents too many, \(missing) missing")
    }
  }

  private func apply(_ change: Change, _ bytes: inout [UInt8]) {
    switch change {
    case .resize(let size): bytes = Array((bytes + zeros(max(0, size - bytes.count)))[..<size])
    case .write(let offset, let new):
      bytes += zeros(max(0, offset + new.count - bytes.count))
      for (index, byte) in new.enumerated() { bytes[offset + index] = byte }
    }
  }

  private func histories(_ durable: [UInt8], _ changes: [Change], _ profile: CrashProfile) -> [[Change]] {
    var bytes = durable
    var cuts: [Change] = []
    var others: [Change] = []
    for change in changes {
      if case .resize(let size) = change, size < bytes.count {
        cuts.append(change)
      } else {
        others.append(change)
      }
      apply(change, &bytes)
    }
    guard profile.reordersShrinks, !cuts.isEmpty else { return [changes] }
    func growing(_ list: [Change], from start: [UInt8], onlyCuts: Bool) -> [Change] {
      var bytes = start
      return list.filter { change in
        if case .resize(let size) = change, onlyCuts ? size >= bytes.count : size <= bytes.count {
          return false
        }
        apply(change, &bytes)
        return true
      }
    }
    let early = growing(cuts, from: durable, onlyCuts: true)
    var shorter = durable
    for cut in early { apply(cut, &shorter) }
    return [
      changes, growing(others, from: durable, onlyCuts: false),
      early + growing(others, from: shorter, onlyCuts: false),
    ]
  }

  /// Byte by byte: each subset of touched pieces has the new bytes, the others one of the fills.
  private func model(_ durable: [UInt8], _ changes: [Change], _ profile: CrashProfile) throws -> Set<[UInt8]>
  {
    let unit = profile.unit
    let room = 8192
    let noise = profile.fills.contains(.garbage) ? try garbage(512) : zeros(512)
    var found: Set<[UInt8]> = [durable]
    for history in histories(durable, changes, profile) {
      var now = durable
      var touched: Set<Int> = []
      var covered: Set<Int> = []
      let padded = { (bytes: [UInt8]) in bytes + zeros(room - bytes.count) }
      // What the cache would write; a cut changes a size, and bytes only where the file grows again.
      var cache = padded(durable)
      for change in history {
        let before = now
        let cacheBefore = cache
        apply(change, &now)
        var here = 0..<0
        found.insert(now)
        var from = before.count
        if case .write(let offset, let bytes) = change {
          from = min(offset, before.count)
          covered.formUnion(offset..<(offset + bytes.count))
          let end = offset + bytes.count
          here = from / unit..<((end - 1) / unit + 1)
          for edge in stride(from: (from / unit + 1) * unit, to: end, by: unit) {
            var cut = before + zeros(max(0, edge - before.count))
            for index in from..<edge { cut[index] = now[index] }
            found.insert(cut)
          }
        } else if now.count > from {
          here = from / unit..<((now.count - 1) / unit + 1)
        }
        touched.formUnion(here)
        let bytes = here.lowerBound * unit..<here.upperBound * unit
        cache.replaceSubrange(bytes, with: padded(now)[bytes])
        func filled(_ byte: (Int) -> UInt8) -> [UInt8] {
          (0..<room).map { index in
            let kept = index < durable.count && profile.powersafeOverwrite && !covered.contains(index)
            return kept ? durable[index] : byte(index)
          }
        }
        var rests: [[UInt8]] = [padded(durable), cacheBefore]
        if profile.fills.contains(.zero) { rests.append(filled { _ in 0 }) }
        if profile.fills.contains(.garbage) { rests.append(filled { noise[$0 % 512] }) }
        let pieces = touched.sorted()
        for mask in 0..<(1 << pieces.count) {
          for rest in rests {
            var mixed = padded(durable)
            for (number, piece) in pieces.enumerated() {
              let source = mask >> number & 1 == 1 ? cache : rest
              mixed.replaceSubrange(
                piece * unit..<(piece + 1) * unit, with: source[piece * unit..<(piece + 1) * unit])
            }
            for size in [durable.count, before.count, now.count] { found.insert(Array(mixed[..<size])) }
          }
        }
      }
    }
    return found
  }

  /// Random name operations in two directories: every tree, and no other.
  @Test func treesAreExactlyThoseOfTheModel() throws {
    for seed in UInt64(1)...150 {
      var random = SplitMix64(seed: seed)
      let system = SimulatedFileSystem()
      try system.createDirectory("/d")
      var names: [String: UInt8] = [:]
      for (index, path) in ["/a", "/d/a"].enumerated() {
        try system.put(path, [UInt8(index + 1)], sync: true)
        names[path] = UInt8(index + 1)
      }
      try system.syncDirectory("/d")
      try system.syncDirectory("/")
      let durable = names
      var operations: [[(String, UInt8?)]] = []
      let paths = ["/a", "/b", "/d/a", "/d/b"]
      for number in UInt8(10)..<17 {
        let path = try #require(paths.randomElement(using: &random))
        if let file = names[path] {
          let target = try #require(paths.randomElement(using: &random))
          if Bool.random(using: &random), target != path {
            try system.rename(path, to: target)
            operations.append([(path, nil), (target, file)])
          } else {
            try system.remove(path)
            operations.append([(path, nil)])
          }
        } else {
          try system.put(path, [number], sync: true)
          operations.append([(path, number)])
        }
        for (path, file) in operations.last ?? [] { names[path] = file }
      }
      var wanted: Set<Image> = []
      sets: for mask in 0..<(1 << operations.count) {
        var tree = durable
        for (number, operation) in operations.enumerated() where mask >> number & 1 == 1 {
          let touched = Set(operation.map(\.0))
          for earlier in 0..<number where mask >> earlier & 1 == 0 {
            if operations[earlier].contains(where: { touched.contains($0.0) }) { continue sets }
          }
          for (path, file) in operation { tree[path] = file }
        }
        wanted.insert(Image(tree.mapValues { [$0] }, directories: ["/d"]))
      }
      let images = Array(system.crashImages())
      #expect(Set(images).count == images.count, "seed \(seed): an image twice")
      #expect(Set(images) == wanted, "seed \(seed)")
    }
  }

  /// Anything at all: no image twice, extremes included, and the milder profiles allow nothing new.
  @Test func everyImageIsGivenOnceAndMilderProfilesAllowLess() throws {
    for seed in UInt64(1)...60 {
      var random = SplitMix64(seed: seed)
      let system = SimulatedFileSystem()
      let paths = ["/a", "/b"]
      for step in 0..<Int.random(in: 2...7, using: &random) {
        let path = try #require(paths.randomElement(using: &random))
        let other = path == "/a" ? "/b" : "/a"
        let exists = (try? system.status(of: path)) != nil
        switch Int.random(in: 0..<8, using: &random) {
        case 0 where exists: try system.remove(path)
        case 1 where exists: try system.rename(path, to: other)
        case 2 where exists: try system.syncFile(path)
        case 3: try system.syncDirectory("/")
        case 4 where exists: try system.cut(path, to: UInt64.random(in: 0...700, using: &random))
        default:
          let count = step % 2 == 0 ? 3 : Int.random(in: 1...600, using: &random)
          try system.put(path, ink(count), at: UInt64.random(in: 0...4, using: &random) * 100)
        }
      }
      let list = Array(system.crashImages())
      let worst = Set(list)
      #expect(worst.count == list.count, "seed \(seed): an image twice")
      #expect(list.first == system.durableImage(), "seed \(seed)")
      #expect(worst.contains(system.kill()), "seed \(seed)")
      for profile in [CrashProfile.ext4, .xfs] {
        let milder = Array(system.crashImages(profile: profile))
        #expect(Set(milder).count == milder.count, "seed \(seed): \(profile) gives an image twice")
        #expect(Set(milder).isSubset(of: worst), "seed \(seed): \(profile) allows more than worst")
        #expect(milder.contains(system.kill()), "seed \(seed): \(profile)")
      }
    }
  }

  /// So it is enough to look at syncs and at the end: whatever the power leaves between two of them is there as well.
  @Test func nothingThatIsPossibleBetweenTwoSyncsIsImpossibleAtTheSecond() throws {
    var compared = 0
    for seed in UInt64(1)...60 {
      var random = SplitMix64(seed: seed)
      let system = SimulatedFileSystem()
      let paths = ["/a", "/b", "/c"]
      for path in paths { try system.put(path, ink(Int.random(in: 0...700, using: &random)), sync: true) }
      try system.syncDirectory("/")
      var earlier: Set<Image> = []
      for step in 0..<5 {
        let path = try #require(paths.randomElement(using: &random))
        let exists = (try? system.status(of: path)) != nil
        switch Int.random(in: 0..<5, using: &random) {
        case 0 where exists: try system.remove(path)
        case 1 where exists: try system.rename(path, to: try #require(paths.randomElement(using: &random)))
        case 2 where exists: try system.cut(path, to: UInt64.random(in: 0...700, using: &random))
        default:
          try system.put(path, ink(300, UInt8(step)), at: UInt64.random(in: 0...4, using: &random) * 100)
        }
        let images = system.crashImages()
        guard images.statistics.combinations < 5000 else { break }
        let now = Set(images)
        guard images.statistics.isComplete else { break }
        #expect(earlier.isSubset(of: now), "seed \(seed), step \(step)")
        #expect(now.contains(system.kill()), "seed \(seed), step \(step)")
        earlier = now
        compared += 1
      }
    }
    #expect(compared > 150)
  }

  @Test func limitGivesThatManyDifferentImagesWithTheExtremesFirst() throws {
    let system = SimulatedFileSystem()
    try system.put("/a", ink(900), sync: true)
    try system.put("/b", ink(900, 3), sync: true)
    try system.syncDirectory("/")
    for path in ["/a", "/b"] { try system.put(path, ink(1500, 9), at: 700) }
    try system.put("/c", ink(20))
    let total = Array(system.crashImages())
    #expect(total.count > 5000)
    for limit in [0, 1, 2, 3, 100, 1000, total.count, total.count + 1] {
      let images = system.crashImages(limit: limit)
      let list = Array(images)
      #expect(list.count == min(limit, total.count))
      #expect(Set(list).count == list.count)
      #expect(Set(list).isSubset(of: total))
      if limit > 0 { #expect(list[0] == system.durableImage()) }
      if limit > 1, limit < total.count { #expect(list[1] == system.kill()) }
      #expect(Array(system.crashImages(limit: limit)) == list, "another run gives other images")
      #expect(images.statistics.produced == list.count)
    }
    #expect(Set(system.crashImages(limit: 300).map { $0["/a"] }).count > 30)
    #expect(Set(system.crashImages(limit: 300).map { $0["/b"] }).count > 30)
  }

  @Test func moreCombinationsThanCanBeNumberedAreStillSampled() throws {
    let system = SimulatedFileSystem()
    for number in 0..<30 { try system.put("/f\(number)", ink(600)) }
    let images = system.crashImages(limit: 200)
    let list = Array(images)
    #expect(list.count == 200)
    #expect(Set(list).count == 200)
    #expect(list[0] == Image())
    #expect(list[1] == system.kill())
    #expect(!images.statistics.isComplete)
  }
}
