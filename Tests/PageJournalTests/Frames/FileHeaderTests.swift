// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PageJournal

@Suite struct FileHeaderTests {
  private let journal = JournalHeader(
    seed: 0x0102_0304, page: PageID(high: 0x1122_3344_5566_7788, low: 0x99AA_BBCC_DDEE_FF00), generation: 5,
    nonce: 6, previousNonce: 7, commit: 8, previousLength: 9, previousCRC: 10)
  private let snapshot = SnapshotHeader(
    seed: 0x0102_0304, page: PageID(high: 0x1122_3344_5566_7788, low: 0x99AA_BBCC_DDEE_FF00))

  private func envelope(journal bytes: [UInt8]) -> HeaderEnvelope {
    HeaderEnvelope(bytes, magic: JournalHeader.magic, minimum: JournalHeader.size)
  }

  private func envelope(snapshot bytes: [UInt8]) -> HeaderEnvelope {
    HeaderEnvelope(bytes, magic: SnapshotHeader.magic, minimum: SnapshotHeader.size)
  }

  private func resealed(_ bytes: [UInt8]) -> [UInt8] {
    var body = Array(bytes.dropLast(4))
    body.appendLittleEndian(PlainCRC.of(body))
    return body
  }

  @Test func theBytesAreThoseOfThePage() {
    let expected: [UInt8] =
      [0x50, 0x4A, 0x6A, 0x6C, 1, 0, 80, 0, 4, 3, 2, 1, 0, 0, 0, 0]
      + [0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF, 0]
      + [5, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0]
      + [9, 0, 0, 0, 0, 0, 0, 0, 10, 0, 0, 0]
    #expect(journal.encoded.count == JournalHeader.size)
    #expect(Array(journal.encoded.dropLast(4)) == expected)
    #expect(journal.encoded == resealed(journal.encoded))
    #expect(JournalHeader(journal.encoded) == journal)
    #expect(snapshot.encoded.count == SnapshotHeader.size)
    #expect(SnapshotHeader(snapshot.encoded) == snapshot)
    #expect(envelope(journal: journal.encoded) == .valid(length: 80))
    #expect(envelope(snapshot: snapshot.encoded) == .valid(length: 36))
  }

  @Test func everyFlippedBitIsDamage() {
    let tail = [UInt8](repeating: 3, count: 40_000)
    for bit in 0..<(JournalHeader.size * 8) {
      #expect(envelope(journal: (journal.encoded + tail).flipping(bit: bit)) == .damaged, "bit \(bit)")
      #expect(envelope(journal: journal.encoded.flipping(bit: bit)) == .damaged, "bit \(bit)")
    }
    for bit in 0..<(SnapshotHeader.size * 8) {
      #expect(envelope(snapshot: (snapshot.encoded + tail).flipping(bit: bit)) == .damaged, "bit \(bit)")
    }
  }

  @Test func tooShortOrZeroIsAbsent() {
    for count in 0..<JournalHeader.size {
      #expect(envelope(journal: Array(journal.encoded[..<count])) == .absent)
    }
    #expect(envelope(journal: [UInt8](repeating: 0, count: 5000)) == .absent)
    #expect(envelope(journal: [UInt8](repeating: 0, count: 5000) + [1]) == .damaged)
  }

  @Test func theOtherKindOfFileIsDamage() {
    #expect(envelope(journal: snapshot.encoded + journal.encoded) == .damaged)
    #expect(envelope(snapshot: journal.encoded) == .damaged)
  }

  @Test func aNewerMajorIsNewerAndAnOlderOneDamage() {
    for major in [UInt8(2), 3, 255] {
      var bytes = journal.encoded
      bytes[4] = major
      #expect(envelope(journal: resealed(bytes)) == .newer(major: major))
      var other = snapshot.encoded
      other[4] = major
      #expect(envelope(snapshot: resealed(other)) == .newer(major: major))
    }
    var old = journal.encoded
    old[4] = 0
    #expect(envelope(journal: resealed(old)) == .damaged)
  }

  @Test func aNewerMajorIsSeenWhateverTheLengthOfItsHeader() {
    for length in [12, 20, 79, 81, 200] {
      var bytes = HeaderEnvelope.start(magic: JournalHeader.magic, length: length)
      bytes[4] = 2
      while bytes.count < length - 4 { bytes.append(7) }
      let header = HeaderEnvelope.sealed(bytes)
      #expect(envelope(journal: header + [UInt8](repeating: 9, count: 100)) == .newer(major: 2), "\(length)")
      #expect(envelope(journal: header) == .newer(major: 2), "\(length) alone")
    }
  }

  @Test func aNewerMinorMayHaveALongerHeader() {
    var bytes = Array(journal.encoded.dropLast(4))
    bytes[5] = 9
    bytes[6] = 96
    bytes += [UInt8](repeating: 0xEE, count: 16)
    let header = HeaderEnvelope.sealed(bytes)
    #expect(envelope(journal: header) == .valid(length: 96))
    #expect(JournalHeader(header) == journal)
    // A shorter one of this major cannot hold the fields.
    var short = Array(journal.encoded[..<56])
    short[6] = 60
    #expect(envelope(journal: HeaderEnvelope.sealed(short) + [UInt8](repeating: 1, count: 90)) == .damaged)
  }
}
