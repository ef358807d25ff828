// SPDX-License-Identifier: Apache-2.0

// On the list of files that may use unsafe code: it hands arrays to zlib.

import CZlib

/// Unpacks gzip files (RFC 1952), also those of several members.
enum Gunzip {
  /// True for the first bytes of a gzip file.
  static func isGzip(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x1F, 0x8B]) }

  /// The unpacked bytes, and how many bytes that are not gzip stand behind them (padding with zeros is none).
  /// Memory is bounded by `limit`; a stream that would go beyond is refused on the way.
  static func inflated(
    _ bytes: [UInt8], file: String, limit: DecompressionLimit
  ) throws(FormatError) -> (bytes: [UInt8], trailing: Int) {
    // zlib remembers where its stream is and refuses one that moved, hence an allocation of its own.
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    defer { unsafe stream.deallocate() }
    unsafe stream.initialize(to: z_stream())
    guard unsafe inflateInit2_(stream, 31, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { throw FormatError(.unreadable, file: file, cause: "there is no memory to unpack it") }
    defer { _ = unsafe inflateEnd(stream) }

    let allowed = limit.allowed(packed: bytes.count)
    var output: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    var at = 0
    while true {
      let step = unsafe inflateStep(stream, bytes, from: at, into: &chunk)
      at += step.consumed
      guard step.produced <= allowed - output.count else {
        throw FormatError(
          .tooLarge, file: file,
          cause:
            "unpacked it holds more than \(allowed) bytes, which is more than \(bytes.count) packed bytes may"
        )
      }
      output += chunk[..<step.produced]
      switch step.status {
      case Z_STREAM_END:
        let rest = bytes[at...]
        guard rest.starts(with: [0x1F, 0x8B]) else {
          return (output, rest.allSatisfy { $0 == 0 } ? 0 : rest.count)
        }
        _ = unsafe inflateReset(stream)
      case Z_OK, Z_BUF_ERROR:
        guard step.consumed > 0 || step.produced > 0 else {
          throw FormatError(
            .malformed, file: file, offset: bytes.count, cause: "the compressed data ends too early")
        }
      case Z_MEM_ERROR:
        throw FormatError(.unreadable, file: file, cause: "there is no memory to unpack it")
      default:
        throw FormatError(.malformed, file: file, offset: at, cause: "the compressed data is damaged")
      }
    }
  }

  /// One call of zlib: as much of the input from `at` as fills `chunk`.
  private static func inflateStep(
    _ stream: UnsafeMutablePointer<z_stream>, _ bytes: [UInt8], from at: Int, into chunk: inout [UInt8]
  ) -> (status: Int32, consumed: Int, produced: Int) {
    let offered = min(bytes.count - at, 1 << 30)
    let room = chunk.count
    let status = unsafe bytes.withUnsafeBufferPointer { source in
      unsafe chunk.withUnsafeMutableBufferPointer { target in
        guard let base = source.baseAddress else { return Z_BUF_ERROR }
        // zlib's input pointer is not const in this header version; it never writes through it.
        unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: base + at)
        unsafe stream.pointee.avail_in = UInt32(offered)
        unsafe stream.pointee.next_out = target.baseAddress
        unsafe stream.pointee.avail_out = UInt32(room)
        return unsafe inflate(stream, Z_NO_FLUSH)
      }
    }
    return unsafe (
      status, offered - Int(stream.pointee.avail_in), room - Int(stream.pointee.avail_out)
    )
  }
}
