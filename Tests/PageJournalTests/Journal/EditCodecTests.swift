// SPDX-License-Identifier: Apache-2.0

import PageJournalFaults
import Testing

@testable import PageJournal

@Suite struct EditCodecTests {
  private let operations: [PageJournal.Operation] = [
    .append(kind: 1, payload: []),
    .append(kind: 255, payload: [UInt8](repeating: 3, count: 300)),
    .insert(at: 0, kind: 2, payload: [1]),
    .insert(at: 1 << 24, kind: 2, payload: [UInt8](repeating: 9, count: 127)),
    .replace(id: 1, with: [NewElement(kind: 4, payload: [1, 2, 3])]),
    .replace(
      id: .max,
      with: [.init(kind: 4, payload: []), .init(kind: 5, payload: [7]), .init(kind: 6, payload: [])]
    ),
    .remove(id: 1), .remove(id: 300), .remove(id: .max),
    .move(id: 5, to: 0), .move(id: 1 << 40, to: 1 << 24),
    .set(key: "k", value: nil), .set(key: "k", value: []),
    .set(key: String(repeating: "é", count: 127), value: [UInt8](repeating: 1, count: 200)),
  ]

  private func frame(_ type: FrameType, _ payload: [UInt8]) -> (Frame, [UInt8]) {
    var maker = FrameMaker(continuing: [], seed: 1, last: 0)
    maker.add(type, payload)
    var scanner = FrameScanner(maker.bytes, from: 0, chain: FrameChain(seed: 1))
    return (scanner.next() ?? Frame(offset: 0, typeByte: 0, payload: 0..<0, crc: 0), maker.bytes)
  }

  /// Type and payload that the engine writes for one commit.
  private func encoded(_ operations: [PageJournal.Operation]) throws -> (FrameType, [UInt8]) {
    var memory = PageMemory(PageState(), generation: 1)
    let edits = operations.map { memory.edit($0) }
    try memory.encode(edits, PageID(high: 1, low: 2))
    let bytes = memory.pending.bytes
    return (try #require(FrameType(rawValue: bytes[8])), Array(bytes[9...]))
  }

  /// What a payload says, as operations again; nil when it does not decode.
  private func decoded(_ type: FrameType, _ payload: [UInt8]) -> [PageJournal.Operation]? {
    let (frame, bytes) = frame(type, payload)
    var arena = Arena()
    let chunk = arena.adopt(bytes)
    guard let edits = EditCodec.decodeCommit(frame, bytes, chunk: chunk) else { return nil }
    func new(_ content: Edit.Content) -> NewElement {
      NewElement(kind: content.kind, payload: arena.bytes(content.payload))
    }
    return edits.map { edit in
      switch edit {
      case .append(let content): .append(kind: content.kind, payload: new(content).payload)
      case .insert(let content, let at): .insert(at: at, kind: content.kind, payload: new(content).payload)
      case .replace(let id, let contents): .replace(id: id, with: contents.map(new))
      case .remove(let id): .remove(id: id)
      case .move(let id, let to): .move(id: id, to: to)
      case .set(let key, let value): .set(key: key, value: value)
      }
    }
  }

  @Test func everyOperationComesBackAlone() throws {
    for operation in operations {
      let (type, payload) = try encoded([operation])
      #expect(decoded(type, payload) == [operation])
      #expect(type != .batch)
    }
  }

  @Test func aBatchComesBackWhole() throws {
    let (type, payload) = try encoded(operations)
    #expect(type == .batch)
    #expect(decoded(type, payload) == operations)
  }

  @Test func aPayloadCutAnywhereDoesNotDecode() throws {
    for operation in operations {
      let (type, payload) = try encoded([operation])
      for count in payload.indices {
        #expect(decoded(type, Array(payload[..<count])) == nil, "\(operation) cut to \(count)")
      }
    }
    let (type, payload) = try encoded(operations)
    for count in payload.indices { #expect(decoded(type, Array(payload[..<count])) == nil, "\(count)") }
  }

  @Test func fieldsAddedBehindAreSkipped() throws {
    for operation in operations {
      let (type, payload) = try encoded([operation])
      for extra in 1...12 {
        #expect(decoded(type, payload + [UInt8](repeating: 0xFE, count: extra)) == [operation])
      }
    }
    let (type, payload) = try encoded(operations)
    #expect(decoded(type, payload + [1, 2, 3, 4]) == operations)
    // Also inside a batch, since each part has its own length.
    let parts: [UInt8] = [2, 4, 3, 9, 0xAA, 0xBB, 1, 4, 8, 0, 0xCC, 0xDD]
    #expect(decoded(.batch, parts) == [.remove(id: 9), .append(kind: 8, payload: [])])
  }

  @Test func whatNoWriterWritesIsRefused() {
    var huge: [UInt8] = []
    huge.appendVarint(.max)
    let bad: [(FrameType, [UInt8])] = [
      (.append, [0, 0]),  // kind 0
      (.append, [1] + huge),  // a length past the end
      (.insert, huge + [1, 0]),  // a place above the limit
      (.replace, [1, 0]),  // by nothing
      (.replace, [1] + huge),  // by more than there are bytes
      (.replace, [1, 2, 1, 0]),
      (.move, [1] + huge),
      (.set, [0, 0]),
      (.batch, huge),
      (.batch, [1, 0, 0]), (.batch, [1, 7, 1, 0]),  // type 0, a batch in a batch
      (.batch, [1, 8, 0]), (.batch, [1, 16, 0]), (.batch, [1, 0x84, 1, 1]),  // no commits
      (.batch, [2, 4, 1, 1]),  // fewer parts than stated
      (.batch, [1, 4, 5, 1]),  // a part past the end
      (.mark, []), (.place, [0, 0]), (.end, []),
    ]
    for (type, payload) in bad { #expect(decoded(type, payload) == nil, "\(type) \(payload)") }
    #expect(decoded(.batch, [0]) == [])
  }
}
