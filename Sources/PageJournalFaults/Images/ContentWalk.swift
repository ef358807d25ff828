// SPDX-License-Identifier: Apache-2.0

/// Goes through one history of a file's pending changes and adds every content it may leave.
struct ContentWalk {
  private let durable: [UInt8]
  private let pieces: [Int]
  private let profile: CrashProfile
  private let contents: FileContents
  private let places: [Int: Int]
  private let stale: [UInt8]
  private let garbage: [UInt8]

  /// The file as this history has it, and its size then and one change before.
  private var bytes: [UInt8]
  private(set) var size: Int
  private var sizeBefore: Int
  /// What each pending piece holds now, held one change before, and would show if it were not written.
  private(set) var codes: [UInt32]
  private var codesBefore: [UInt32]
  private let durableCodes: [UInt32]
  private var fillCodes: [(fill: CrashProfile.Fill, codes: [UInt32])]
  /// Within each pending piece, the bytes that a write covered.
  private var covered: [CoveredBytes]
  private var touched: Set<Int> = []
  private(set) var isSampled = false

  init(
    durable: [UInt8], pieces: [Int], stale: [UInt8], profile: CrashProfile, contents: FileContents
  ) {
    self.durable = durable
    self.pieces = pieces
    self.stale = stale
    self.profile = profile
    self.contents = contents
    garbage = profile.unit == 512 ? Self.garbageSector : Self.garbage(profile.unit)
    bytes = durable
    size = durable.count
    sizeBefore = size
    durableCodes = [UInt32](repeating: 0, count: pieces.count)
    codes = durableCodes
    codesBefore = durableCodes
    fillCodes = profile.fills.filter { $0 != .old }.map { ($0, [UInt32](repeating: 0, count: pieces.count)) }
    covered = [CoveredBytes](repeating: CoveredBytes(), count: pieces.count)
    var places: [Int: Int] = [:]
    places.reserveCapacity(pieces.count)
    for (place, piece) in pieces.enumerated() { places[piece] = place }
    self.places = places
  }

  mutating func run(_ history: [PendingChange.Kind]) {
    contents.add(size: size, codes: codes)
    let withSubsets = SubsetPattern.sampledChanges(history.count)
    if withSubsets.count < history.count { isSampled = true }
    for (number, kind) in history.enumerated() {
      let places = apply(PendingChange(sequence: 0, kind: kind))
      contents.add(size: size, codes: codes)
      addCuts(kind, places)
      if withSubsets.contains(number) { addSubsets() }
    }
  }

  // MARK: One change

  /// Applies a change and says which pending pieces it touched, in order.
  private mutating func apply(_ change: PendingChange) -> [Int] {
    let range = change.touched(sizeBefore: size)
    change.apply(to: &bytes)
    sizeBefore = size
    size = bytes.count
    codesBefore = codes
    guard !range.isEmpty else { return [] }
    var written: Range<Int>?
    if case .write(let offset, let new) = change.kind { written = offset..<(offset + new.count) }
    var found: [Int] = []
    for piece in (range.lowerBound / profile.unit)...((range.upperBound - 1) / profile.unit) {
      guard let place = places[piece] else { continue }
      found.append(place)
      codes[place] = contents.intern(FileContents.block(piece, of: bytes, unit: profile.unit), at: place)
      let start = piece * profile.unit
      if let written {
        let inside = written.clamped(to: start..<(start + profile.unit))
        covered[place].add((inside.lowerBound - start)..<(inside.upperBound - start))
      }
      for index in fillCodes.indices {
        let block = fillBlock(fillCodes[index].fill, piece: piece, covered: covered[place].ranges)
        fillCodes[index].codes[place] = contents.intern(block, at: place)
      }
    }
    touched.formUnion(found)
    return found
  }

  /// A block that was not written: the fill, and below the durable end what no write covers.
  private func fillBlock(_ fill: CrashProfile.Fill, piece: Int, covered: [Range<Int>]) -> [UInt8] {
    let unit = profile.unit
    var block: [UInt8]
    switch fill {
    case .zero, .old: block = [UInt8](repeating: 0, count: unit)
    case .garbage: block = garbage
    case .stale: block = FileContents.block(piece, of: stale, unit: unit)
    }
    guard profile.powersafeOverwrite else { return block }
    let start = piece * unit
    let end = min(start + unit, durable.count) - start
    var kept = 0
    for range in covered + [max(0, end)..<unit] where kept < end {
      let stop = min(range.lowerBound, end)
      if kept < stop { block.replaceSubrange(kept..<stop, with: durable[(start + kept)..<(start + stop)]) }
      kept = max(kept, range.upperBound)
    }
    return block
  }

  // MARK: What it may leave

  /// The change cut at the edges of pieces, in order, and inside pieces where the profile has that.
  private mutating func addCuts(_ kind: PendingChange.Kind, _ touched: [Int]) {
    guard case .write(let offset, let new) = kind else { return }
    if touched.count > 1 {
      let edges = SubsetPattern.places(in: touched.count)
      if edges.count < touched.count { isSampled = true }
      var mixed = codesBefore
      var done = 0
      for edge in edges where edge > 0 {
        while done < edge {
          mixed[touched[done]] = codes[touched[done]]
          done += 1
        }
        contents.add(size: max(sizeBefore, pieces[touched[edge]] * profile.unit), codes: mixed)
      }
    }
    guard profile.cutsInsideUnits else { return }
    for length in Set([1, new.count / 2, new.count - 1]).sorted() where length > 0 && length < new.count {
      let end = offset + length
      var mixed = codesBefore
      for place in touched {
        let start = pieces[place] * profile.unit
        guard start < end else { break }
        if start + profile.unit <= end {
          mixed[place] = codes[place]
        } else {
          let inside = end - start
          let block =
            contents.block(codes[place], at: place)[0..<inside]
            + contents.block(codesBefore[place], at: place)[inside...]
          mixed[place] = contents.intern(Array(block), at: place)
        }
      }
      contents.add(size: max(sizeBefore, end), codes: mixed)
    }
  }

  /// Subsets of all pieces touched so far, the others with each fill, under each size that may be on the medium.
  private mutating func addSubsets() {
    let pending = touched.sorted()
    var rests = fillCodes.map(\.codes)
    if profile.fills.contains(.old) {
      rests.append(durableCodes)
      if codesBefore != durableCodes { rests.append(codesBefore) }
    }
    let sizes = Set([durable.count, sizeBefore, size]).sorted()
    let isComplete = pending.count <= profile.completeUnits
    if !isComplete { isSampled = true }
    if profile.mixesFills, isComplete {
      addMixtures(pending, rests, sizes)
      return
    }
    for pattern in SubsetPattern.patterns(of: pending.count, complete: profile.completeUnits) {
      for rest in rests {
        var mixed = codes
        for (number, place) in pending.enumerated() where !pattern.contains(number) {
          mixed[place] = rest[place]
        }
        for size in sizes { contents.add(size: size, codes: mixed) }
      }
    }
  }

  private func addMixtures(_ pending: [Int], _ rests: [[UInt32]], _ sizes: [Int]) {
    var digits = [Int](repeating: 0, count: pending.count)
    while true {
      var mixed = codes
      for (number, place) in pending.enumerated() where digits[number] > 0 {
        mixed[place] = rests[digits[number] - 1][place]
      }
      for size in sizes { contents.add(size: size, codes: mixed) }
      guard let step = digits.firstIndex(where: { $0 < rests.count }) else { return }
      for index in 0..<step { digits[index] = 0 }
      digits[step] += 1
    }
  }

  private static let garbageSector = garbage(512)

  /// Bytes of no meaning: none is zero.
  static func garbage(_ count: Int) -> [UInt8] {
    var generator = SplitMix64(seed: 0x6761_7262)
    return generator.bytes(count).map { $0 == 0 ? 0xA5 : $0 }
  }
}
