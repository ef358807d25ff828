// SPDX-License-Identifier: Apache-2.0

/// Where a payload's bytes are.
struct PayloadRef: Sendable, Equatable {
  var chunk: Int32
  var offset: Int
  var length: Int

  static let empty = PayloadRef(chunk: -1, offset: 0, length: 0)
}

/// The payload bytes of a page: buffers of files as they were read, and chunks that new payloads are copied
/// into. Copies of an arena share the chunks, so that a compaction can read them while the page goes on.
struct Arena: Sendable {
  private(set) var chunks: [[UInt8]] = []
  /// Bytes in all chunks, dead ones included.
  private(set) var total = 0
  private var open: Int32 = -1

  private static let chunkSize = 64 << 10

  /// Takes a buffer as a chunk without copying it.
  mutating func adopt(_ bytes: [UInt8]) -> Int32 {
    total += bytes.count
    chunks.append(bytes)
    return Int32(truncatingIfNeeded: chunks.count - 1)
  }

  /// Copies a payload in.
  mutating func add(_ bytes: Span<UInt8>) -> PayloadRef {
    guard !bytes.isEmpty else { return .empty }
    if bytes.count >= Self.chunkSize {
      return PayloadRef(chunk: adopt([UInt8](copying: bytes)), offset: 0, length: bytes.count)
    }
    if open < 0 || chunks[Int(open)].count + bytes.count > Self.chunkSize {
      var chunk: [UInt8] = []
      chunk.reserveCapacity(Self.chunkSize)
      chunks.append(chunk)
      open = Int32(truncatingIfNeeded: chunks.count - 1)
    }
    let offset = chunks[Int(open)].count
    chunks[Int(open)].append(copying: bytes)
    total += bytes.count
    return PayloadRef(chunk: open, offset: offset, length: bytes.count)
  }

  /// A payload's bytes, for the length of the call.
  func withBytes<Result, Failure: Error>(
    _ ref: PayloadRef, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard ref.chunk >= 0 else {
      let nothing: [UInt8] = []
      return try body(nothing.span)
    }
    let chunk = chunks[Int(ref.chunk)]
    return try body(chunk.span.extracting(ref.offset..<(ref.offset + ref.length)))
  }

  /// A payload's bytes, copied.
  func bytes(_ ref: PayloadRef) -> [UInt8] { withBytes(ref) { [UInt8](copying: $0) } }
}
