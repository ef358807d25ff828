// SPDX-License-Identifier: Apache-2.0

import PageJournalFaults
import Testing

@testable import PageJournal

@Suite struct FrameSearchTests {
  private static let seed: UInt32 = 0x5EED_1234

  private func journal(_ count: Int, marks: Set<Int> = []) -> FrameMaker {
    var random = SplitMix64(seed: 51)
    var maker = FrameMaker(.plain(seed: Self.seed))
    for index in 0..<count {
      maker.append(1, random.bytes(Int(random.next() % 20)), marked: marks.contains(index))
    }
    return maker
  }

  /// The search as the reader of a journal begins it: behind the first bad place.
  private func search(_ bytes: [UInt8]) -> (bad: Int, found: FrameSearch) {
    var scanner = FrameScanner(bytes, from: JournalHeader.size, chain: FrameChain(seed: Self.seed))
    while scanner.next() != nil {}
    return (scanner.offset, FrameSearch(bytes, behind: scanner.offset, chain: scanner.chain))
  }

  @Test func behindAnyFlippedBitAllLaterFramesAreFound() {
    let maker = journal(10, marks: [7])
    for index in 0..<9 {
      for bit in (maker.offsets[index] * 8)..<(maker.offsets[index + 1] * 8) {
        let (bad, found) = search(maker.bytes.flipping(bit: bit))
        #expect(bad == maker.offsets[index])
        let expected = FrameSearch.Run(
          start: maker.offsets[index + 1], end: maker.bytes.count, frames: 9 - index, isMarked: index < 7)
        #expect(found.runs == [expected], "frame \(index), bit \(bit)")
        #expect(!found.gaveUp)
        #expect(found.isMarked == (index < 7))
      }
    }
  }

  @Test func aFrameWhoseLengthAndCRCAreGoneCostsTheNextOneItsProof() {
    let maker = journal(8)
    for index in 0..<6 {
      let at = maker.offsets[index]
      let (_, found) = search(maker.bytes.zeroing(at..<(at + 9)))
      #expect(found.runs.map(\.start) == [maker.offsets[index + 2]], "frame \(index)")
      #expect(found.runs.map(\.frames) == [6 - index])
    }
    let at = maker.offsets[6]
    #expect(search(maker.bytes.zeroing(at..<(at + 9))).found.runs.isEmpty)
  }

  @Test func twoDamagedPlacesGiveTwoRuns() {
    let maker = journal(12)
    let bytes = maker.bytes.flipping(bit: (maker.offsets[2] + 8) * 8).flipping(
      bit: (maker.offsets[7] + 9) * 8)
    let found = search(bytes).found
    #expect(found.runs.map(\.start) == [maker.offsets[3], maker.offsets[8]])
    #expect(found.runs.map(\.frames) == [4, 4])
  }

  @Test func insertedAndLostBytesDoNotHideWhatFollows() {
    let maker = journal(9)
    let at = maker.offsets[4]
    for count in [1, 5, 17] {
      let longer = Array(maker.bytes[..<at]) + [UInt8](repeating: 0xA5, count: count) + maker.bytes[at...]
      #expect(search(longer).found.runs.map(\.frames) == [4])
    }
    let shorter = Array(maker.bytes[..<at]) + Array(maker.bytes[(at + 3)...])
    #expect(search(shorter).found.runs.last?.end == shorter.count)
  }

  @Test func behindADamagedHeaderFramesAreFound() {
    let maker = journal(6, marks: [0, 4])
    for bit in 0..<(JournalHeader.size * 8) {
      let bytes = maker.bytes.flipping(bit: bit)
      let found = FrameSearch(
        bytes, behindHeader: JournalHeader.size, storedSeed: bytes.littleEndian32(at: 8))
      let expected = FrameSearch.Run(
        start: JournalHeader.size, end: bytes.count, frames: 6, isMarked: true)
      #expect(found.runs == [expected], "bit \(bit)")
    }
  }

  @Test func theFirstFramesMarkDoesNotVouchForItsOwnHeader() {
    let maker = journal(6, marks: [0])
    for range in [0..<8, 8..<12] {
      let bytes = maker.bytes.zeroing(range)
      let found = FrameSearch(
        bytes, behindHeader: JournalHeader.size, storedSeed: bytes.littleEndian32(at: 8))
      #expect(found.runs.map(\.frames) == [6])
      #expect(!found.isMarked)
    }
  }

  @Test func withoutItsSeedTwoFramesProveNothingAndThreeDo() {
    for count in 1...4 {
      let bytes = journal(count).bytes.zeroing(0..<JournalHeader.size)
      let found = FrameSearch(bytes, behindHeader: JournalHeader.size, storedSeed: 0)
      #expect(found.runs.map(\.frames) == (count >= 3 ? [count] : []), "\(count) frames")
    }
  }

  @Test func noiseProvesNothing() {
    for seed in UInt64(0)..<40 {
      var random = SplitMix64(seed: 5200 + seed)
      let noise = random.bytes(20_000)
      let small = noise.map { $0 & 3 == 0 ? $0 >> 4 : 0 }
      for bytes in [noise, small] {
        let found = FrameSearch(bytes, behind: 10, chain: FrameChain(seed: UInt32(seed)))
        #expect(found.runs.isEmpty, "seed \(5200 + seed)")
        #expect(FrameSearch(bytes, behindHeader: 80, storedSeed: 1).runs.isEmpty, "seed \(5200 + seed)")
      }
    }
  }

  /// Every offset reads as a frame of 16 MiB with another one behind it: without a bound this is 10^13 bytes.
  @Test func aFileOfPlausibleFramesIsGivenUp() {
    let bytes = [UInt8](repeating: 1, count: 36 << 20)
    let found = FrameSearch(bytes, behind: 0, chain: FrameChain(seed: 1))
    #expect(found.gaveUp)
    #expect(found.runs.isEmpty)
    #expect(found.work <= 65 * bytes.count + (4 << 30) + (1 << 16))
    let header = FrameSearch(bytes, behindHeader: 80, storedSeed: 1)
    #expect(header.gaveUp)
    #expect(header.work <= 65 * bytes.count + (4 << 30) + (1 << 16))
  }

  /// Small numbers read as plausible lengths at nearly every fourth offset; the frames behind them are found.
  @Test func framesBehindAMegabyteOfSmallNumbersAreFound() {
    var payload: [UInt8] = []
    for index in 0..<(256 << 10) { payload.appendLittleEndian(UInt32(index % 30_000)) }
    var maker = FrameMaker(continuing: [], seed: 7, last: 0)
    maker.add(1, payload)
    for _ in 0..<3 { maker.add(0x81, [1, 2, 3]) }
    var bytes = maker.bytes
    bytes[2] ^= 0x40
    let found = FrameSearch(bytes, behind: 0, chain: FrameChain(seed: 7))
    let (gaveUp, isMarked) = (found.gaveUp, found.isMarked)
    #expect(!gaveUp)
    #expect(isMarked)
    #expect(found.runs.first?.frames == 3)
  }

  /// Proved pairs of frames, each followed by a false one that reaches to the end of the file.
  @Test func provedFramesDoNotLendTheirBudgetToFalseOnes() {
    let seed: UInt32 = 99
    let unit = 3 * FrameLayout.prefix
    let count = 10_000
    var bytes: [UInt8] = []
    for index in 0..<count {
      var pair = FrameMaker(continuing: [], seed: seed, last: UInt32(index))
      pair.add(1, [])
      pair.add(1, [])
      bytes += pair.bytes
      bytes.appendLittleEndian(UInt32((count - index - 1) * unit))
      bytes.appendLittleEndian(UInt32(0))
      bytes.append(1)
    }
    let found = FrameSearch(bytes, behind: 0, chain: FrameChain(seed: seed, last: 12345))
    #expect(!found.gaveUp)
    #expect(found.runs.count == count)
    #expect(found.work <= 65 * bytes.count + (4 << 30))
  }
}
