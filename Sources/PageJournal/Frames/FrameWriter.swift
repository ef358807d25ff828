// SPDX-License-Identifier: Apache-2.0

/// Frames in a buffer. They are begun and ended without a crc, and sealed later, when it is known which file
/// they go to and what had been synchronised by then.
struct FrameBuffer: Sendable {
  /// The frames, one behind the other.
  private(set) var bytes: [UInt8] = []

  var isEmpty: Bool { bytes.isEmpty }

  /// Begins a frame and returns its offset; the payload follows through `append…` of the closure.
  mutating func frame(_ typeByte: UInt8, _ body: (inout [UInt8]) -> Void) {
    let start = bytes.count
    bytes.appendLittleEndian(UInt32(0))
    bytes.appendLittleEndian(UInt32(0))
    bytes.append(typeByte)
    body(&bytes)
    bytes.putLittleEndian(UInt32(truncatingIfNeeded: bytes.count - start - FrameLayout.prefix), at: start)
  }

  mutating func frame(_ type: FrameType, _ body: (inout [UInt8]) -> Void) { frame(type.rawValue, body) }

  /// A frame whose payload is a span.
  mutating func appendFrame(_ typeByte: UInt8, payload: Span<UInt8>) {
    let start = bytes.count
    bytes.appendLittleEndian(UInt32(truncatingIfNeeded: payload.count))
    bytes.appendLittleEndian(UInt32(0))
    bytes.append(typeByte)
    bytes.append(copying: payload)
    assert(bytes.count == start + FrameLayout.prefix + payload.count)
  }

  /// Bytes before the first frame: a file's header.
  mutating func appendHeader(_ header: [UInt8]) { bytes.append(contentsOf: header) }

  /// Adds the frames of another buffer behind these.
  mutating func append(_ other: FrameBuffer) { bytes.append(contentsOf: other.bytes) }

  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

  /// Drops bytes from the front: frames that are on disk in another way.
  mutating func dropFirst(_ count: Int) { bytes.removeFirst(min(count, bytes.count)) }

  /// Cuts what was written behind an offset: a frame that turned out too large.
  mutating func cut(to count: Int) { bytes.removeLast(bytes.count - count) }

  /// Gives every frame from `start` on its crc, and the first one the synced mark if it is due.
  /// - Returns: the chain behind the last frame.
  mutating func seal(_ chain: FrameChain, from start: Int = 0, markFirst: Bool) -> FrameChain {
    var chain = chain
    var offset = start
    while offset < bytes.count {
      let length = Int(bytes.littleEndian32(at: offset))
      if offset == start, markFirst {
        bytes[offset + 8] |= FrameLayout.syncedMark
      } else {
        bytes[offset + 8] &= ~FrameLayout.syncedMark
      }
      chain.last = chain.crc(of: bytes.span, at: offset, length: length)
      bytes.putLittleEndian(chain.last, at: offset + 4)
      offset += FrameLayout.prefix + length
    }
    return chain
  }
}
