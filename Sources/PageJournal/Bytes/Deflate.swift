// SPDX-License-Identifier: Apache-2.0

// On the list of files that may use unsafe code: it hands arrays to zlib.

import CZlib

/// Raw deflate (RFC 1951, no zlib or gzip wrapper) of whole buffers.
enum Deflate {
  /// No deflate stream grows by more than this factor, so a stated size above it is false.
  static let maximumRatio = 1032

  /// `bytes` deflated, or nil when that is not smaller (or zlib has no memory).
  static func compressed(_ bytes: [UInt8], level: Int32 = 6) -> [UInt8]? {
    guard bytes.count > 16, bytes.count < Int(UInt32.max) else { return nil }
    var stream = unsafe z_stream()
    guard
      unsafe deflateInit2_(
        &stream, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
        Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { return nil }
    defer { _ = unsafe deflateEnd(&stream) }
    let capacity = bytes.count - 1
    var done = false
    let output = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { target, count in
      unsafe bytes.withUnsafeBufferPointer { source in
        // zlib's input pointer is not const in this header version; it never writes through it.
        unsafe stream.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
        unsafe stream.avail_in = UInt32(source.count)
        unsafe stream.next_out = target.baseAddress
        unsafe stream.avail_out = UInt32(capacity)
        done = unsafe deflate(&stream, Z_FINISH) == Z_STREAM_END
        count = done ? capacity - Int(unsafe stream.avail_out) : 0
      }
    }
    return done ? output : nil
  }

  /// The inflated bytes of a range, or nil unless they are exactly `size` bytes. The size is checked against
  /// deflate's greatest ratio before anything is allocated.
  static func inflated(_ bytes: [UInt8], _ range: Range<Int>, size: Int) -> [UInt8]? {
    guard range.lowerBound >= 0, range.upperBound <= bytes.count, size >= 0,
      size <= range.count * maximumRatio + 64, range.count < Int(UInt32.max), size < Int(UInt32.max)
    else { return nil }
    var stream = unsafe z_stream()
    guard unsafe inflateInit2_(&stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { return nil }
    defer { _ = unsafe inflateEnd(&stream) }
    var done = false
    let output = unsafe [UInt8](unsafeUninitializedCapacity: max(size, 1)) { target, count in
      unsafe bytes.withUnsafeBufferPointer { source in
        guard let base = source.baseAddress else { return }
        unsafe stream.next_in = UnsafeMutablePointer(mutating: base + range.lowerBound)
        unsafe stream.avail_in = UInt32(range.count)
        unsafe stream.next_out = target.baseAddress
        unsafe stream.avail_out = UInt32(size)
        done = unsafe inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_out == 0
        count = done ? size : 0
      }
    }
    return done ? output : nil
  }
}
