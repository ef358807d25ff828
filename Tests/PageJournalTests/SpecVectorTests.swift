// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import PageJournal

/// The hex dumps of SPEC.md §14 are what the engine writes, and read as it says there.
@Suite struct SpecVectorTests {
  static let page = PageID("01234567-89ab-4cde-8123-456789abcdef") ?? PageID(high: 0, low: 0)

  static var journal: [UInt8] {
    let header = JournalHeader(
      seed: 0x1122_3344, page: page, generation: 1, nonce: 0x0102_0304_0506_0708, previousNonce: 0, commit: 0,
      previousLength: 0, previousCRC: 0)
    var buffer = FrameBuffer()
    buffer.appendHeader(header.encoded)
    buffer.appendFrame(FrameType.append.rawValue, payload: [200, 2, 0x68, 0x69].span)
    buffer.appendFrame(FrameType.append.rawValue, payload: [201, 0].span)
    let chain = buffer.seal(FrameChain(seed: header.seed), from: JournalHeader.size, markFirst: false)
    let start = buffer.bytes.count
    buffer.appendFrame(FrameType.remove.rawValue, payload: [1].span)
    _ = buffer.seal(chain, from: start, markFirst: true)
    return buffer.bytes
  }

  static var snapshot: [UInt8] {
    let header = SnapshotHeader(seed: 0x5566_7788, page: page)
    var state = PageState()
    let first = SnapshotEnd(
      generation: 1, nonce: 0x0102_0304_0506_0708, commit: 0, nextID: 1, count: 0, absorbed: [])
    var (frames, chain) = SnapshotWriter.frames(
      state.wholeContent(), end: first, chain: FrameChain(seed: header.seed), deflate: false, header: header)
    _ = state.beginChanges()
    var reading = JournalReading(journal)
    reading.replay(onto: &state)
    guard case .valid(let journalHeader) = reading.header else { return [] }
    let second = SnapshotEnd(
      generation: 2, nonce: 0x1112_1314_1516_1718, commit: 3, nextID: 3, count: 1,
      absorbed: [
        AbsorbedJournal(
          generation: 1, seed: journalHeader.seed, length: UInt64(reading.length), crc: reading.chain.last)
      ])
    let group: FrameBuffer
    (group, chain) = SnapshotWriter.frames(
      state.contentSinceSnapshot(), end: second, chain: chain, deflate: false)
    frames.append(group)
    return frames.bytes
  }

  static func hex(_ bytes: [UInt8]) -> String {
    var lines: [String] = []
    for start in stride(from: 0, to: bytes.count, by: 16) {
      let row = bytes[start..<min(start + 16, bytes.count)].map { String(format: "%02x", $0) }
      lines.append(String(format: "%04x  ", start) + row.joined(separator: " "))
    }
    return lines.joined(separator: "\n")
  }

  private func specification() throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: root.appendingPathComponent("SPEC.md"), encoding: .utf8)
  }

  @Test func theJournalOfTheSpecificationIsWhatTheEngineWrites() throws {
    #expect(try specification().contains(Self.hex(Self.journal)), "\(Self.hex(Self.journal))")
  }

  @Test func theSnapshotOfTheSpecificationIsWhatTheEngineWrites() throws {
    #expect(try specification().contains(Self.hex(Self.snapshot)), "\(Self.hex(Self.snapshot))")
    let reading = SnapshotReading(Self.snapshot)
    #expect(reading.condition == .complete)
    #expect(reading.state.record(at: 0)?.id == 2)
  }
}
