// SPDX-License-Identifier: Apache-2.0

/// Answers for one file whether a power cut may leave it with certain bytes, from the rule and not from a list: so it is
/// exact also where the list is only a sample.
///
/// The rule, for each of the orders in which the changes may have reached the medium: the size is one that the file
/// had, or one at which a write was cut; and each piece shows something that it showed since it was certain, or one of
/// the fills, whatever the other pieces show.
struct ContentMembership {
  private let durable: [UInt8]
  private let stale: [UInt8]
  private let profile: CrashProfile
  private let histories: [[PendingChange.Kind]]
  private let pieces: [Int]

  init(durable: [UInt8], changes: [PendingChange], stale: [UInt8], profile: CrashProfile) {
    self.durable = durable
    self.stale = stale
    self.profile = profile
    let histories = ChangeHistories(durableSize: durable.count, changes: changes, profile: profile)
    self.histories = histories.all
    pieces = histories.touchedPieces(unit: profile.unit)
  }

  /// Whether these bytes may be left. O(bytes + bytes of the pending changes, each rounded up to pieces).
  func allows(_ bytes: [UInt8]) -> Bool {
    guard isCertainPartKept(bytes) else { return false }
    return histories.contains { history in
      var walk = MembershipWalk(
        wanted: bytes, durable: durable, pieces: pieces, stale: stale, profile: profile)
      return walk.run(history)
    }
  }

  /// For bytes that may not be left: a few words on what speaks against them.
  func objection(to bytes: [UInt8]) -> String {
    guard isCertainPartKept(bytes) else { return "bytes that were certain are not there" }
    var walk = MembershipWalk(
      wanted: bytes, durable: durable, pieces: pieces, stale: stale, profile: profile)
    if histories.first.map({ walk.run($0) }) == true { return "nothing" }
    guard walk.isSizeExplained else { return "it never had the size \(bytes.count)" }
    let places = walk.open.sorted().prefix(4).map { "\($0 * profile.unit)" }
    return "the piece of \(profile.unit) bytes at \(places.joined(separator: ", ")) never showed this"
  }

  /// Whether every byte outside of the pending pieces is the durable one.
  private func isCertainPartKept(_ bytes: [UInt8]) -> Bool {
    var done = 0
    for piece in pieces {
      let start = min(piece * profile.unit, bytes.count)
      guard isDurable(bytes, done..<start) else { return false }
      done = min(start + profile.unit, bytes.count)
    }
    return isDurable(bytes, done..<bytes.count)
  }

  private func isDurable(_ bytes: [UInt8], _ range: Range<Int>) -> Bool {
    range.isEmpty || range.upperBound <= durable.count && bytes[range] == durable[range]
  }
}

/// Goes through one history and strikes off the pieces that are explained.
private struct MembershipWalk {
  private let wanted: [UInt8]
  private let durable: [UInt8]
  private let stale: [UInt8]
  private let garbage: [UInt8]
  private let profile: CrashProfile
  private let unit: Int

  private var now: [UInt8]
  private(set) var isSizeExplained: Bool
  /// Pieces below the wanted size that are not explained yet.
  private(set) var open: Set<Int> = []
  private var covered: [Int: CoveredBytes] = [:]

  init(
    wanted: [UInt8], durable: [UInt8], pieces: [Int], stale: [UInt8], profile: CrashProfile
  ) {
    self.wanted = wanted
    self.durable = durable
    self.stale = stale
    self.profile = profile
    unit = profile.unit
    garbage = ContentWalk.garbage(unit)
    now = durable
    isSizeExplained = wanted.count == durable.count
    for piece in pieces where piece * unit < wanted.count {
      if !shows(piece, durable) { open.insert(piece) }
    }
  }

  mutating func run(_ history: [PendingChange.Kind]) -> Bool {
    for kind in history {
      if open.isEmpty, isSizeExplained { return true }
      apply(kind)
    }
    return open.isEmpty && isSizeExplained
  }

  private mutating func apply(_ kind: PendingChange.Kind) {
    let change = PendingChange(sequence: 0, kind: kind)
    let sizeBefore = now.count
    let range = change.touched(sizeBefore: sizeBefore)
    let first = range.isEmpty ? 0 : range.lowerBound / unit
    let touched = range.isEmpty ? 0..<0 : first..<((range.upperBound - 1) / unit + 1)
    // Only where a write may end inside a piece is it of interest what stood there before.
    var before: [Int: [UInt8]] = [:]
    if profile.cutsInsideUnits {
      for piece in touched { before[piece] = FileContents.block(piece, of: now, unit: unit) }
    }
    change.apply(to: &now)
    explainSize(kind, sizeBefore, touched)
    for piece in touched {
      if case .write(let offset, let new) = kind {
        let start = piece * unit
        let inside = (offset..<(offset + new.count)).clamped(to: start..<(start + unit))
        covered[piece, default: CoveredBytes()].add((inside.lowerBound - start)..<(inside.upperBound - start))
      }
      guard open.contains(piece) else { continue }
      if shows(piece, now) || showsFill(piece) || isCut(piece, before[piece]) { open.remove(piece) }
    }
  }

  private mutating func explainSize(_ kind: PendingChange.Kind, _ before: Int, _ touched: Range<Int>) {
    let size = wanted.count
    if size == now.count { isSizeExplained = true }
    guard case .write(let offset, let new) = kind, size > before, size < now.count else { return }
    if size % unit == 0, size / unit > touched.lowerBound { isSizeExplained = true }
    if profile.cutsInsideUnits, size > offset, size < offset + new.count { isSizeExplained = true }
  }

  // MARK: One piece

  /// The bytes of the piece that are wanted.
  private func range(_ piece: Int) -> Range<Int> { piece * unit..<min(piece * unit + unit, wanted.count) }

  /// Whether the piece is wanted as `bytes` has it, zeros behind its end.
  private func shows(_ piece: Int, _ bytes: [UInt8]) -> Bool {
    let range = range(piece)
    let known = range.clamped(to: 0..<max(range.lowerBound, bytes.count))
    return wanted[known] == bytes[known.clamped(to: 0..<bytes.count)]
      && wanted[known.upperBound..<range.upperBound].allSatisfy { $0 == 0 }
  }

  private func showsFill(_ piece: Int) -> Bool {
    profile.fills.contains { fill in
      switch fill {
      case .old: false
      case .zero: shows(piece, filled: [])
      case .garbage: shows(piece, filled: garbage)
      case .stale: shows(piece, filled: FileContents.block(piece, of: stale, unit: unit))
      }
    }
  }

  /// Whether the piece is wanted with the fill (zeros when empty) where the profile lets it be lost.
  private func shows(_ piece: Int, filled: [UInt8]) -> Bool {
    let start = piece * unit
    let covered = covered[piece]
    for place in range(piece) {
      let isKept =
        profile.powersafeOverwrite && place < durable.count && covered?.contains(place - start) != true
      let byte = isKept ? durable[place] : filled.isEmpty ? 0 : filled[place - start]
      if wanted[place] != byte { return false }
    }
    return true
  }

  /// Whether the piece is wanted as it is now up to some byte, and from there on as it was before.
  private func isCut(_ piece: Int, _ before: [UInt8]?) -> Bool {
    guard let before else { return false }
    let range = range(piece)
    let after = FileContents.block(piece, of: now, unit: unit)
    var head = 0
    while head < range.count, wanted[range.lowerBound + head] == after[head] { head += 1 }
    var tail = range.count
    while tail > 0, wanted[range.lowerBound + tail - 1] == before[tail - 1] { tail -= 1 }
    return head >= tail
  }
}

/// Which bytes of a piece a write covered, as ranges that do not touch, sorted.
struct CoveredBytes {
  private(set) var ranges: [Range<Int>] = []

  func contains(_ place: Int) -> Bool { ranges.contains { $0.contains(place) } }

  mutating func add(_ range: Range<Int>) {
    guard !range.isEmpty else { return }
    var merged = range
    var rest: [Range<Int>] = []
    for known in ranges {
      if known.upperBound >= merged.lowerBound, known.lowerBound <= merged.upperBound {
        merged = min(known.lowerBound, merged.lowerBound)..<max(known.upperBound, merged.upperBound)
      } else {
        rest.append(known)
      }
    }
    rest.append(merged)
    rest.sort { $0.lowerBound < $1.lowerBound }
    ranges = rest
  }
}
