// SPDX-License-Identifier: Apache-2.0

import PageJournalFaults
import Testing

@testable import PageJournal

@Suite struct FrameScannerTests {
  private let start = JournalHeader.size

  private func scan(_ bytes: [UInt8], seed: UInt32) -> (frames: [Frame], stop: FrameScanner.Stop, at: Int) {
    var scanner = FrameScanner(bytes, from: start, chain: FrameChain(seed: seed))
    var frames: [Frame] = []
    while let frame = scanner.next() { frames.append(frame) }
    return (frames, scanner.stop(), scanner.offset)
  }

  private func made(_ count: Int, seed: UInt32) -> FrameMaker {
    var maker = FrameMaker(.plain(seed: seed))
    for index in 0..<count { maker.append(UInt8(1 + index % 255), [UInt8](repeating: 7, count: index % 9)) }
    return maker
  }

  @Test func whatTheWriterSealsIsByteForByteWhatThePageSays() {
    var random = SplitMix64(seed: 41)
    for isMarked in [false, true] {
      var buffer = FrameBuffer()
      let seed = UInt32(truncatingIfNeeded: random.next())
      var maker = FrameMaker(.plain(seed: seed))
      buffer.appendHeader(maker.bytes)
      for index in 0..<20 {
        let payload = random.bytes(Int(random.next() % 300))
        let type = UInt8(1 + random.next() % 63) | (index % 3 == 0 ? FrameLayout.skippable : 0)
        if index % 2 == 0 {
          buffer.frame(type) { $0.append(contentsOf: payload) }
        } else {
          buffer.appendFrame(type, payload: payload.span)
        }
        maker.add(type | (index == 0 && isMarked ? FrameLayout.syncedMark : 0), payload)
      }
      let chain = buffer.seal(FrameChain(seed: seed), from: start, markFirst: isMarked)
      #expect(buffer.bytes == maker.bytes)
      #expect(chain == FrameChain(seed: seed, last: maker.last))
      let (frames, stop, at) = scan(buffer.bytes, seed: seed)
      #expect(frames.map(\.offset) == maker.offsets)
      #expect(frames.map(\.isMarked) == [isMarked] + [Bool](repeating: false, count: 19))
      #expect(stop == .end)
      #expect(at == maker.bytes.count)
    }
  }

  @Test func sealingAgainTakesAnOldMarkAway() {
    var buffer = FrameBuffer()
    for _ in 0..<3 { buffer.frame(.mark) { _ in } }
    _ = buffer.seal(FrameChain(seed: 5), markFirst: true)
    let marked = buffer.bytes
    _ = buffer.seal(FrameChain(seed: 5), markFirst: false)
    #expect(buffer.bytes[8] == FrameType.mark.rawValue)
    #expect(buffer.bytes != marked)
  }

  @Test func aMovedDoubledForeignOrReseededFrameDoesNotVerify() {
    let seed: UInt32 = 0xDEAD_BEEF
    let maker = made(6, seed: seed)
    let at = maker.offsets
    let bytes = maker.bytes
    #expect(scan(bytes, seed: seed).frames.count == 6)
    // Doubled.
    let doubled = Array(bytes[..<at[3]]) + Array(bytes[at[2]..<at[3]]) + Array(bytes[at[3]...])
    #expect(scan(doubled, seed: seed).frames.count == 3)
    // One left out.
    let holed = Array(bytes[..<at[2]]) + Array(bytes[at[3]...])
    #expect(scan(holed, seed: seed).frames.count == 2)
    // Two exchanged.
    let swapped =
      Array(bytes[..<at[2]]) + Array(bytes[at[3]..<at[4]]) + Array(bytes[at[2]..<at[3]])
      + Array(bytes[at[4]...])
    #expect(scan(swapped, seed: seed).frames.count == 2)
    // Another file with the same frames but another seed; and its tail behind this one's head.
    let other = made(6, seed: seed ^ 1)
    #expect(scan(bytes, seed: seed ^ 1).frames.isEmpty)
    let mixed = Array(bytes[..<at[3]]) + Array(other.bytes[at[3]...])
    #expect(scan(mixed, seed: seed).frames.count == 3)
    // Two stale frames of a removed journal do not prove each other here.
    #expect(FrameSearch(mixed, behind: at[3], chain: FrameChain(seed: seed)).runs.isEmpty)
  }

  @Test func zerosToTheEndArePreparedSpaceAndAnythingElseIsBad() {
    let maker = made(4, seed: 9)
    for count in [1, 8, 9, 10, 4096] {
      let zeros = maker.bytes + [UInt8](repeating: 0, count: count)
      #expect(scan(zeros, seed: 9).frames.count == 4)
      #expect(scan(zeros, seed: 9).stop == .zeros)
      #expect(scan(zeros + [1], seed: 9).stop == .bad)
    }
    for count in 1..<(maker.bytes.count - maker.offsets[3]) {
      let cut = scan(Array(maker.bytes.dropLast(count)), seed: 9)
      #expect(cut.frames.count == 3)
      #expect(cut.at == maker.offsets[3])
      // A cut that leaves only zeros of the length field cannot be told from prepared space.
      #expect(cut.stop == (isZero(Array(maker.bytes.dropLast(count)), from: cut.at) ? .zeros : .bad))
    }
  }

  @Test func typeZeroIsNoFrameEvenWithARightCRC() {
    for type in [UInt8(0), FrameLayout.skippable, FrameLayout.syncedMark, 0xC0] {
      var maker = FrameMaker(.plain(seed: 4))
      maker.add(type, [1, 2, 3])
      #expect(scan(maker.bytes, seed: 4).frames.isEmpty)
      #expect(scan(maker.bytes, seed: 4).stop == .bad)
    }
  }

  @Test func aLengthAboveTheLimitOrTheEndIsBadBeforeAnythingIsRead() {
    var maker = FrameMaker(.plain(seed: 4))
    maker.add(1, [1, 1, 1, 1])
    let lengths: [UInt32] = [5, 6, 1000, UInt32(FrameLayout.maximumPayload) + 1, .max, 0x8000_0000]
    for length in lengths {
      var bytes = maker.bytes
      bytes.putLittleEndian(length, at: start)
      #expect(scan(bytes, seed: 4).frames.isEmpty)
      #expect(scan(bytes, seed: 4).stop == .bad)
      #expect(plausibleFrameLength(bytes, at: start) == nil)
    }
    #expect(plausibleFrameLength(maker.bytes, at: -1) == nil)
    #expect(plausibleFrameLength(maker.bytes, at: maker.bytes.count) == nil)
    #expect(plausibleFrameLength(maker.bytes, at: .max) == nil)
  }

  @Test func everyBitOfAFrameIsCovered() {
    let maker = made(3, seed: 77)
    for bit in (maker.offsets[1] * 8)..<(maker.offsets[2] * 8) {
      let found = scan(maker.bytes.flipping(bit: bit), seed: 77)
      #expect(found.frames.count == 1, "bit \(bit)")
      #expect(found.stop == .bad)
    }
  }

  @Test func offsetsOutsideOfTheBytesTrapNothing() {
    for count in [0, 8, 40] {
      let bytes = [UInt8](repeating: 1, count: count)
      for offset in [Int.min, -1, count + 1, Int.max - 3, Int.max] {
        var scanner = FrameScanner(bytes, from: offset, chain: FrameChain(seed: 1))
        #expect(scanner.next() == nil)
        #expect(FrameSearch(bytes, behind: offset, chain: FrameChain(seed: 1)).runs.isEmpty)
        #expect(FrameSearch(bytes, behindHeader: offset, storedSeed: 1).runs.isEmpty)
      }
    }
  }
}
