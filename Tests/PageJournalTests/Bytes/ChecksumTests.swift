// SPDX-License-Identifier: Apache-2.0

import PageJournalFaults
import Testing

@testable import PageJournal

@Suite struct ChecksumTests {
  @Test func theUsualVectorHolds() {
    #expect(Checksum.crc32(Array("123456789".utf8).span) == 0xCBF4_3926)
    #expect(PlainCRC.of(Array("123456789".utf8)) == 0xCBF4_3926)
    let nothing: [UInt8] = []
    #expect(Checksum.crc32(nothing.span) == 0)
    #expect(Checksum.crc32(nothing.span, from: 77) == 77)
  }

  @Test func continuingIsTheSameAsOneRun() {
    var random = SplitMix64(seed: 21)
    for length in [1, 2, 7, 8, 9, 63, 64, 65, 1000] {
      let bytes = random.bytes(length)
      let whole = Checksum.crc32(bytes.span)
      #expect(whole == PlainCRC.of(bytes))
      let cut = Int(random.next() % UInt64(length))
      let head = Checksum.crc32(bytes.span.extracting(0..<cut))
      #expect(Checksum.crc32(bytes.span.extracting(cut..<length), from: head) == whole)
    }
  }

  @Test func runBackwardsItGivesTheStart() {
    var random = SplitMix64(seed: 22)
    let reversal = CRCReversal()
    for _ in 0..<300 {
      let bytes = random.bytes(Int(random.next() % 60))
      let start = UInt32(truncatingIfNeeded: random.next())
      let crc = Checksum.crc32(bytes.span, from: start)
      #expect(reversal.start(of: crc, bytes, 0..<bytes.count) == start)
    }
  }
}

@Suite struct DeflateTests {
  @Test func whatIsDeflatedComesBack() throws {
    var random = SplitMix64(seed: 31)
    for count in [30, 64, 1000, 70_000, 1 << 20] {
      let pattern = random.bytes(11)
      let bytes = (0..<count).map { pattern[$0 % 11] }
      let packed = try #require(Deflate.compressed(bytes))
      #expect(packed.count < count)
      #expect(Deflate.inflated(packed, 0..<packed.count, size: count) == bytes)
      let framed = [9, 9] + packed + [9]
      #expect(Deflate.inflated(framed, 2..<(2 + packed.count), size: count) == bytes)
    }
  }

  @Test func whatWouldGrowIsLeftAsItIs() {
    var random = SplitMix64(seed: 32)
    #expect(Deflate.compressed(random.bytes(5000)) == nil)
    #expect(Deflate.compressed([]) == nil)
    #expect(Deflate.compressed([1, 1, 1, 1, 1, 1, 1, 1]) == nil)
  }

  @Test func aFalseSizeIsRefused() throws {
    let bytes = [UInt8](repeating: 7, count: 4000)
    let packed = try #require(Deflate.compressed(bytes))
    let all = 0..<packed.count
    for size in [0, 1, 3999, 4001, 8000, -1, .max, Int(UInt32.max), packed.count * 1032 + 65] {
      #expect(Deflate.inflated(packed, all, size: size) == nil, "\(size)")
    }
    for count in all { #expect(Deflate.inflated(packed, 0..<count, size: 4000) == nil, "\(count)") }
    #expect(Deflate.inflated(packed, 0..<(packed.count + 1), size: 4000) == nil)
    #expect(Deflate.inflated([], 0..<0, size: 0) == nil)
  }

  @Test func randomBytesNeverInflateToMoreThanTheySay() {
    var random = SplitMix64(seed: 33)
    for _ in 0..<5000 {
      let bytes = random.bytes(Int(random.next() % 40))
      let size = Int(random.next() % 200)
      if let found = Deflate.inflated(bytes, 0..<bytes.count, size: size) { #expect(found.count == size) }
    }
  }
}
