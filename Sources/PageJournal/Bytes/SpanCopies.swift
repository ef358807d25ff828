// SPDX-License-Identifier: Apache-2.0

// On the list of files that may use unsafe code: the standard library has no safe bulk copy from a span
// into an array yet, and a byte-by-byte loop costs fifty times as much.

extension Array where Element == UInt8 {
  /// Appends all bytes of a span in one copy.
  public mutating func append(copying bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }

  /// An array with the bytes of a span.
  public init(copying bytes: Span<UInt8>) {
    self = []
    append(copying: bytes)
  }
}
