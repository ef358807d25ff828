// SPDX-License-Identifier: Apache-2.0

/// Looks for valid frames behind damage.
///
/// A frame is proved by the one before it: the stored crc of the one is the seed of the next, so of two in a
/// row the second is proved, wherever they stand. A trial costs at most as much as the crc of 4 KiB, however long
/// the frame; the work is bounded by that of 4 GiB of crc and 64 for each byte searched. Then it gives up and says so.
public struct FrameSearch: Sendable {
  /// Consecutive proved frames.
  public struct Run: Sendable, Equatable {
    /// Where the first begins.
    public var start: Int
    /// One past the last byte.
    public var end: Int
    /// How many.
    public var frames: Int
    /// Whether one of them vouches for the bytes before it.
    public var isMarked: Bool
  }

  /// What was found, in order.
  public private(set) var runs: [Run] = []
  /// Whether the search ended before the end of the bytes.
  public private(set) var gaveUp = false
  /// Whether any frame found carries the synced mark.
  public var isMarked: Bool { runs.contains { $0.isMarked } }

  /// Bytes of crc, and what goes with them, that the search has paid for.
  private(set) var work = 0

  private static let budgetFactor = 64
  private static let budgetStart = 4 << 30
  /// From this length on, the index is quicker than the crc.
  private static let longFrame = 4096
  private var budget: Int {
    didSet { work += oldValue - budget }
  }
  private var index: ChecksumIndex?

  /// Searches behind a bad place.
  /// - Parameters:
  ///   - bad: the offset that is not the next frame; one outside of the bytes counts as the nearest inside.
  ///   - chain: the chain there.
  public init(_ bytes: [UInt8], behind bad: Int, chain: FrameChain) {
    let bad = min(max(0, bad), bytes.count)
    budget = (bytes.count - bad) * Self.budgetFactor + Self.budgetStart
    var candidates: [UInt32] = []
    if bytes.count - bad >= FrameLayout.prefix {
      // The frame at the bad place may have kept its crc field (damage elsewhere in it), or everything but it.
      candidates.append(bytes.littleEndian32(at: bad + 4))
      if let length = plausibleFrameLength(bytes, at: bad) {
        candidates.append(chain.crc(of: bytes.span, at: bad, length: length))
      }
    }
    search(bytes, from: bad, seed: chain.seed, candidates: candidates)
  }

  /// Searches a journal whose header is damaged. The seed is taken from the header's bytes if it proves a frame,
  /// else worked out from three frames in a row.
  public init(_ bytes: [UInt8], behindHeader length: Int, storedSeed: UInt32) {
    let length = min(max(0, length), bytes.count)
    budget = bytes.count * Self.budgetFactor + Self.budgetStart
    search(bytes, from: length, seed: storedSeed, candidates: [0])
    guard runs.isEmpty, !gaveUp else {
      unmarkFirst(bytes, seed: storedSeed)
      return
    }
    guard let seed = derivedSeed(bytes, from: length) else { return }
    search(bytes, from: length, seed: seed, candidates: [0])
    unmarkFirst(bytes, seed: seed)
  }

  /// The mark of a journal's first frame vouches for earlier journals, not for the header it was written with. The
  /// first frame is the one that continues from the seed alone, wherever it stands.
  private mutating func unmarkFirst(_ bytes: [UInt8], seed: UInt32) {
    guard firstMark, let start = runs.first?.start, let length = plausibleFrameLength(bytes, at: start),
      isFrame(bytes, start, length, FrameChain(seed: seed))
    else { return }
    runs[0].isMarked = marksInFirstRun > 1
  }

  private var firstMark = false
  private var marksInFirstRun = 0

  private mutating func search(_ bytes: [UInt8], from start: Int, seed: UInt32, candidates: [UInt32]) {
    var offset = start
    var candidates = candidates
    while offset + FrameLayout.prefix <= bytes.count {
      guard let length = plausibleFrameLength(bytes, at: offset) else {
        offset += 1
        continue
      }
      guard budget > 0 else {
        gaveUp = true
        return
      }
      let stored = bytes.littleEndian32(at: offset + 4)
      if matches(bytes, offset, length, seed, candidates) {
        offset = follow(bytes, from: offset, length: length, stored: stored, seed: seed)
        candidates = []
        continue
      }
      let next = offset + FrameLayout.prefix + length
      if let nextLength = plausibleFrameLength(bytes, at: next) {
        let nextStored = bytes.littleEndian32(at: next + 4)
        if isFrame(bytes, next, nextLength, FrameChain(seed: seed, last: stored)) {
          offset = follow(bytes, from: next, length: nextLength, stored: nextStored, seed: seed)
          candidates = []
          continue
        }
      }
      offset += 1
    }
  }

  private mutating func matches(
    _ bytes: [UInt8], _ offset: Int, _ length: Int, _ seed: UInt32, _ candidates: [UInt32]
  ) -> Bool {
    for last in candidates where isFrame(bytes, offset, length, FrameChain(seed: seed, last: last)) {
      return true
    }
    return false
  }

  /// Whether the plausible frame at an offset is the one behind `chain`.
  private mutating func isFrame(_ bytes: [UInt8], _ offset: Int, _ length: Int, _ chain: FrameChain) -> Bool {
    #if Mutants
      if Mutant.isOn(.searchReadsEverything) {
        return chain.crc(of: bytes.span, at: offset, length: length) == bytes.littleEndian32(at: offset + 4)
      }
    #endif
    budget -= min(length, Self.longFrame) + 64
    let stored = bytes.littleEndian32(at: offset + 4)
    guard length >= Self.longFrame else {
      return chain.crc(of: bytes.span, at: offset, length: length) == stored
    }
    let head = Checksum.crc32(bytes.span.extracting(offset..<(offset + 4)), from: chain.last ^ chain.seed)
    return indexed(bytes).crc32(bytes, (offset + 8)..<(offset + 9 + length), from: head) == stored
  }

  private mutating func indexed(_ bytes: [UInt8]) -> ChecksumIndex {
    if let index { return index }
    let made = ChecksumIndex(bytes)
    index = made
    return made
  }

  /// Takes the proved frame and all that follow it; returns where they end.
  private mutating func follow(_ bytes: [UInt8], from start: Int, length: Int, stored: UInt32, seed: UInt32)
    -> Int
  {
    let mark = bytes[start + 8] & FrameLayout.syncedMark != 0
    var run = Run(start: start, end: start + FrameLayout.prefix + length, frames: 1, isMarked: mark)
    var marks = mark ? 1 : 0
    var chain = FrameChain(seed: seed, last: stored)
    while let length = plausibleFrameLength(bytes, at: run.end), isFrame(bytes, run.end, length, chain) {
      chain.last = bytes.littleEndian32(at: run.end + 4)
      if bytes[run.end + 8] & FrameLayout.syncedMark != 0 {
        run.isMarked = true
        marks += 1
      }
      run.frames += 1
      run.end += FrameLayout.prefix + length
    }
    if runs.isEmpty {
      firstMark = mark
      marksInFirstRun = marks
    }
    runs.append(run)
    return run.end
  }

  /// The seed that makes three plausible frames in a row a chain: the crc of the second, run backwards over
  /// its bytes, gives the value it started from, which is the crc of the first XOR the seed.
  private mutating func derivedSeed(_ bytes: [UInt8], from start: Int) -> UInt32? {
    let reversal = CRCReversal()
    var offset = start
    while offset + 3 * FrameLayout.prefix <= bytes.count {
      defer { offset += 1 }
      guard let first = plausibleFrameLength(bytes, at: offset) else { continue }
      let second = offset + FrameLayout.prefix + first
      guard let secondLength = plausibleFrameLength(bytes, at: second) else { continue }
      let third = second + FrameLayout.prefix + secondLength
      guard let thirdLength = plausibleFrameLength(bytes, at: third) else { continue }
      budget -= 2 * Self.longFrame
      guard budget > 0 else {
        gaveUp = true
        return nil
      }
      let secondCRC = bytes.littleEndian32(at: second + 4)
      // Where two crcs are equal, every repetition of the bytes is a chain of some seed: that proves nothing.
      guard secondCRC != bytes.littleEndian32(at: offset + 4) else { continue }
      var start = indexed(bytes).start(of: secondCRC, bytes, (second + 8)..<(second + 9 + secondLength))
      start = reversal.start(of: start, bytes, second..<(second + 4))
      let seed = start ^ bytes.littleEndian32(at: offset + 4)
      if isFrame(bytes, third, thirdLength, FrameChain(seed: seed, last: secondCRC)) { return seed }
    }
    return nil
  }
}

/// CRC-32 run backwards: from a crc and the bytes it covers to the value it was started from.
struct CRCReversal: Sendable {
  private let table: [UInt32]
  private let byTopByte: [UInt8]

  init() {
    var table = [UInt32](repeating: 0, count: 256)
    var byTopByte = [UInt8](repeating: 0, count: 256)
    for index in 0..<256 {
      var value = UInt32(index)
      for _ in 0..<8 { value = value & 1 != 0 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
      table[index] = value
      byTopByte[Int(value >> 24)] = UInt8(index)
    }
    self.table = table
    self.byTopByte = byTopByte
  }

  func start(of crc: UInt32, _ bytes: [UInt8], _ range: Range<Int>) -> UInt32 {
    var state = ~crc
    for index in range.reversed() {
      let entry = byTopByte[Int(state >> 24)]
      state = (state ^ table[Int(entry)]) << 8 | UInt32(entry ^ bytes[index])
    }
    return ~state
  }
}
