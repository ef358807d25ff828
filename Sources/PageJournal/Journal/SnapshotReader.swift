// SPDX-License-Identifier: Apache-2.0

/// A snapshot file as it was found.
struct SnapshotReading: Sendable {
  enum Condition: Sendable, Equatable {
    /// Ends with an `end` frame.
    case complete
    /// Something stands behind the last `end`: a merge that was cut off, or damage.
    case trailing
    /// No `end` is reached.
    case damaged
    /// Its version, or a frame in it, is newer than this code.
    case newer
    /// A valid frame whose payload does not decode.
    case undecodable
  }

  var condition: Condition
  /// Where the condition begins.
  var offset = 0
  var header: SnapshotHeader?
  var end: SnapshotEnd?
  /// The state as of `end`; empty when there is none.
  var state = PageState()
  /// Where the last `end` frame ends, and the chain there.
  var length = 0
  var chain = FrameChain(seed: 0)
  /// Payload bytes that all blocks placed, dead ones included.
  var placedBytes = 0
  /// `end` frames in the file.
  var ends = 0
  private var rawChunk: Int32?
  private var highestID: UInt64 = 0
  private var inflatedBytes = 0
  /// What a search behind the damage found.
  var search: FrameSearch?

  init(_ bytes: [UInt8]) {
    self.init(bytes, upTo: bytes.count)
  }

  private init(_ bytes: [UInt8], upTo limit: Int) {
    condition = .damaged
    switch HeaderEnvelope(bytes, magic: SnapshotHeader.magic, minimum: SnapshotHeader.size) {
    case .absent, .damaged: return
    case .newer:
      condition = .newer
      return
    case .valid(let headerLength):
      guard let header = SnapshotHeader(bytes) else { return }
      self.header = header
      read(bytes, header, from: headerLength, upTo: limit)
    }
  }

  private mutating func read(_ bytes: [UInt8], _ header: SnapshotHeader, from start: Int, upTo limit: Int) {
    var scanner = FrameScanner(bytes, from: start, chain: FrameChain(seed: header.seed))
    var group: [Frame] = []
    while scanner.offset < limit, let frame = scanner.next() {
      if frame.type == nil, !frame.isSkippable {
        stopAt(frame, .newer, bytes)
        return
      }
      group.append(frame)
      guard frame.type == .end else { continue }
      guard let next = SnapshotEnd(bytes, frame.payload), apply(group, next, bytes) else {
        var isNewer = false
        while let later = scanner.next() { isNewer = isNewer || (later.type == nil && !later.isSkippable) }
        stopAt(frame, isNewer ? .newer : .undecodable, bytes)
        return
      }
      end = next
      ends += 1
      length = frame.end
      chain = scanner.chain
      group.removeAll(keepingCapacity: true)
    }
    offset = scanner.offset
    if end != nil {
      condition = length == bytes.count ? .complete : .trailing
      if condition == .trailing { offset = group.isEmpty ? scanner.offset : length }
    }
    if condition != .complete, limit == bytes.count {
      search = FrameSearch(bytes, behind: min(scanner.offset, bytes.count), chain: scanner.chain)
    }
    _ = state.beginChanges()
  }

  /// A frame that ends the reading. Its group may have been applied in part: the file is read again up to
  /// the `end` before it.
  private mutating func stopAt(_ frame: Frame, _ condition: Condition, _ bytes: [UInt8]) {
    if length > 0 {
      let before = SnapshotReading(bytes, upTo: length)
      self = before
    } else {
      state = PageState()
      rawChunk = nil
    }
    self.condition = condition
    offset = frame.offset
    search = nil
  }

  // MARK: Decoding

  private mutating func apply(_ group: [Frame], _ end: SnapshotEnd, _ bytes: [UInt8]) -> Bool {
    var aside: [UInt64: Edit.Content] = [:]
    for frame in group {
      let applied: Bool
      switch frame.type {
      case .place: applied = place(frame, bytes, &aside)
      case .takeOut: applied = takeOut(frame, bytes, &aside)
      case .attributes: applied = setAttributes(frame, bytes)
      case .end: applied = true
      case nil:
        state.keep(
          .init(
            typeByte: frame.typeByte & ~FrameLayout.syncedMark,
            payload: [UInt8](copying: bytes.span.extracting(frame.payload))))
        applied = true
      default: applied = false
      }
      guard applied else { return false }
    }
    guard end.count == UInt64(state.count), end.nextID > highestID else { return false }
    state.setCounters(commit: end.commit, nextID: end.nextID)
    return true
  }

  private mutating func takeOut(_ frame: Frame, _ bytes: [UInt8], _ aside: inout [UInt64: Edit.Content])
    -> Bool
  {
    var reader = ByteReader(bytes, frame.payload)
    guard let count = reader.count(atMost: reader.remaining) else { return false }
    var id: UInt64 = 0
    for _ in 0..<count {
      // Ascending: a difference of 0, or one that wraps around, is not what a writer makes.
      guard let step = reader.varint(), step > 0, step <= UInt64.max - id else { return false }
      id += step
      guard let content = state.takeOutElement(id) else { return false }
      aside[id] = content
    }
    return true
  }

  private mutating func place(_ frame: Frame, _ bytes: [UInt8], _ aside: inout [UInt64: Edit.Content]) -> Bool
  {
    var reader = ByteReader(bytes, frame.payload)
    guard let encoding = reader.byte(), let size = reader.count(atMost: FrameLayout.maximumPayload) else {
      return false
    }
    let rest = reader.position..<frame.payload.upperBound
    #if Mutants
      if Mutant.isOn(.statedSizeIsAllocated) {
        let room = [UInt8](repeating: 1, count: size)
        guard room.last != 0 else { return false }
      }
    #endif
    switch encoding {
    case 0:
      guard size <= rest.count else { return false }
      // The file's own buffer is kept only when a block of it is used as it is.
      let chunk = rawChunk ?? state.adopt(bytes)
      rawChunk = chunk
      return placeBlock(ByteReader(bytes, rest.lowerBound..<(rest.lowerBound + size)), chunk, &aside)
    case 1:
      guard size <= PageLimits.inflated - inflatedBytes,
        let body = Deflate.inflated(bytes, rest, size: size)
      else { return false }
      inflatedBytes += size
      return placeBlock(ByteReader(body), state.adopt(body), &aside)
    default:
      return false
    }
  }

  private mutating func placeBlock(
    _ block: ByteReader, _ chunk: Int32, _ aside: inout [UInt64: Edit.Content]
  ) -> Bool {
    var ids = block
    // An element costs at least three bytes: id, kind, length.
    guard let anchor = ids.varint(), let count = ids.count(atMost: ids.remaining / 3),
      var place = firstPlace(anchor)
    else { return false }
    var kinds = ids
    for _ in 0..<count where kinds.varint() == nil { return false }
    var lengths = kinds
    guard lengths.range(count) != nil else { return false }
    var payloads = lengths
    for _ in 0..<count where payloads.varint() == nil { return false }
    var expected: UInt64 = 1
    for _ in 0..<count {
      guard let step = ids.zigzag(), let kind = kinds.byte(), let code = lengths.varint() else {
        return false
      }
      let id = expected &+ UInt64(bitPattern: step)
      expected = id &+ 1
      highestID = max(highestID, id)
      var content: Edit.Content
      if code == 0 {
        guard let moved = aside.removeValue(forKey: id) else { return false }
        content = moved
      } else {
        guard code - 1 <= UInt64(PageLimits.elementPayload), let range = payloads.range(Int(code - 1)) else {
          return false
        }
        let ref =
          range.isEmpty ? .empty : PayloadRef(chunk: chunk, offset: range.lowerBound, length: range.count)
        content = Edit.Content(kind: kind, payload: ref)
        placedBytes += range.count
      }
      guard content.kind != 0, state.count < PageLimits.elements, state.placeElement(id, content, at: place)
      else { return false }
      place += 1
    }
    return true
  }

  private func firstPlace(_ anchor: UInt64) -> Int? {
    switch anchor {
    case 0: state.count
    case 1: 0
    default: state.place(of: anchor - 1).map { $0 + 1 }
    }
  }

  private mutating func setAttributes(_ frame: Frame, _ bytes: [UInt8]) -> Bool {
    var reader = ByteReader(bytes, frame.payload)
    guard let count = reader.count(atMost: reader.remaining / 3) else { return false }
    for _ in 0..<count {
      guard let (key, value) = reader.attribute() else { return false }
      state.setAttribute(key, value)
    }
    return true
  }
}
