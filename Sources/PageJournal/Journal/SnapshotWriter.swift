// SPDX-License-Identifier: Apache-2.0

/// The frames of a merge (SPEC.md §5): what is taken out, what is placed, attributes, kept frames, `end`.
enum SnapshotWriter {
  /// Payload bytes after which a block is closed; more than deflate's window, less than a stall.
  private static let blockBytes = 256 << 10
  private static let blockElements = 16 << 10

  /// Sealed frames that continue `chain`.
  static func frames(
    _ change: SnapshotChange, end: SnapshotEnd, chain: FrameChain, deflate: Bool,
    header: SnapshotHeader? = nil
  ) -> (bytes: FrameBuffer, chain: FrameChain) {
    var buffer = FrameBuffer()
    if let header { buffer.appendHeader(header.encoded) }
    let start = buffer.bytes.count
    appendTakenOut(change.takenOut, to: &buffer)
    for run in change.runs { append(run, change.arena, deflate, to: &buffer) }
    appendAttributes(change.attributes[...], to: &buffer)
    for kept in change.keptFrames { buffer.appendFrame(kept.typeByte, payload: kept.payload.span) }
    buffer.frame(.end) { end.encode(into: &$0) }
    let sealed = buffer.seal(chain, from: start, markFirst: false)
    return (buffer, sealed)
  }

  // A frame has a greatest size; what goes into these two has none: they are as many frames as it takes.

  private static func appendTakenOut(_ ids: [UInt64], to buffer: inout FrameBuffer) {
    var rest = ids[...]
    while !rest.isEmpty {
      let part = rest.prefix(blockBytes)
      buffer.frame(.takeOut) { bytes in
        bytes.appendVarint(UInt64(part.count))
        var last: UInt64 = 0
        for id in part {
          bytes.appendVarint(id - last)
          last = id
        }
      }
      rest = rest.dropFirst(part.count)
    }
  }

  private static func appendAttributes(
    _ attributes: ArraySlice<(key: String, value: [UInt8]?)>, to buffer: inout FrameBuffer
  ) {
    var rest = attributes
    while !rest.isEmpty {
      var size = 0
      let part = rest.prefix { key, value in
        defer { size += key.utf8.count + (value?.count ?? 0) + 12 }
        return size < blockBytes
      }
      buffer.frame(.attributes) { bytes in
        bytes.appendVarint(UInt64(part.count))
        for (key, value) in part { bytes.appendAttribute(key, value) }
      }
      rest = rest.dropFirst(part.count)
    }
  }

  private static func append(
    _ run: SnapshotChange.Run, _ arena: Arena, _ deflate: Bool, to buffer: inout FrameBuffer
  ) {
    var anchor = run.anchor
    var first = 0
    while first < run.elements.count {
      var last = first
      var size = 0
      while last < run.elements.count, last - first < blockElements {
        let element = run.elements[last]
        let length = element.isMoved ? 0 : element.payload.length
        if last > first, size + length > blockBytes { break }
        size += length
        last += 1
      }
      append(run.elements[first..<last], anchor, arena, deflate, to: &buffer)
      anchor = .behind(run.elements[last - 1].id)
      first = last
    }
  }

  private static func append(
    _ elements: ArraySlice<SnapshotChange.Element>, _ anchor: SnapshotChange.Anchor, _ arena: Arena,
    _ deflate: Bool, to buffer: inout FrameBuffer
  ) {
    let body = blockBody(elements, anchor, arena)
    let packed = deflate && body.count >= 64 ? Deflate.compressed(body) : nil
    buffer.frame(.place) { bytes in
      bytes.append(packed == nil ? 0 : 1)
      bytes.appendVarint(UInt64(body.count))
      bytes.append(contentsOf: packed ?? body)
    }
  }

  private static func blockBody(
    _ elements: ArraySlice<SnapshotChange.Element>, _ anchor: SnapshotChange.Anchor, _ arena: Arena
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(
      elements.reduce(elements.count * 4 + 20) { $0 + ($1.isMoved ? 0 : $1.payload.length) })
    switch anchor {
    case .end: bytes.appendVarint(0)
    case .start: bytes.appendVarint(1)
    case .behind(let id): bytes.appendVarint(id + 1)
    }
    bytes.appendVarint(UInt64(elements.count))
    var expected: UInt64 = 1
    for element in elements {
      bytes.appendZigzag(Int64(bitPattern: element.id &- expected))
      expected = element.id &+ 1
    }
    for element in elements { bytes.append(element.kind) }
    for element in elements {
      bytes.appendVarint(element.isMoved ? 0 : UInt64(element.payload.length) + 1)
    }
    for element in elements where !element.isMoved {
      arena.withBytes(element.payload) { bytes.append(copying: $0) }
    }
    return bytes
  }
}
