// SPDX-License-Identifier: Apache-2.0

// On the list of files that may use unsafe code: it hands spans to zlib.

import CZlib

/// CRC-32 (zlib's: polynomial 0xEDB88320, reflected, inverted before and after).
public enum Checksum {
  /// The crc of `bytes`, continued from `start`; start with 0 for a crc of these bytes alone.
  public static func crc32(_ bytes: Span<UInt8>, from start: UInt32 = 0) -> UInt32 {
    guard !bytes.isEmpty else { return start }
    return unsafe bytes.withUnsafeBufferPointer { buffer in
      UInt32(truncatingIfNeeded: unsafe crc32_z(UInt(start), buffer.baseAddress, buffer.count))
    }
  }

  /// What `value`, a crc so far, contributes to the crc after `count` more bytes:
  /// crc32(bytes, from: value) = shifted(value, past: bytes.count) ^ crc32(bytes). Costs about as much as the crc of
  /// 4 KiB, whatever the count.
  static func shifted(_ value: UInt32, past count: Int) -> UInt32 {
    UInt32(truncatingIfNeeded: crc32_combine(UInt(value), 0, count))
  }

  /// The value that `shifted(_:past:)` turns into `value`. The polynomial is primitive: 2^32 − 1 steps are none.
  static func unshifted(_ value: UInt32, past count: Int) -> UInt32 {
    let period = Int(UInt32.max)
    return shifted(value, past: (period - count % period) % period)
  }
}

/// Crcs of any range of a buffer, from any start, without going over the range: every 64th prefix's crc is kept.
struct ChecksumIndex: Sendable {
  private static let step = 64
  private var prefixes: [UInt32] = [0]

  init(_ bytes: [UInt8]) {
    prefixes.reserveCapacity(bytes.count / Self.step + 1)
    var start = 0
    var crc: UInt32 = 0
    while start + Self.step <= bytes.count {
      crc = Checksum.crc32(bytes.span.extracting(start..<(start + Self.step)), from: crc)
      prefixes.append(crc)
      start += Self.step
    }
  }

  private func prefix(_ bytes: [UInt8], _ end: Int) -> UInt32 {
    let whole = end / Self.step
    return Checksum.crc32(bytes.span.extracting((whole * Self.step)..<end), from: prefixes[whole])
  }

  /// The crc of a range of the indexed bytes, continued from `start`.
  func crc32(_ bytes: [UInt8], _ range: Range<Int>, from start: UInt32) -> UInt32 {
    Checksum.shifted(start ^ prefix(bytes, range.lowerBound), past: range.count)
      ^ prefix(bytes, range.upperBound)
  }

  /// The start from which a range of the indexed bytes leads to `crc`.
  func start(of crc: UInt32, _ bytes: [UInt8], _ range: Range<Int>) -> UInt32 {
    Checksum.unshifted(crc ^ prefix(bytes, range.upperBound), past: range.count)
      ^ prefix(bytes, range.lowerBound)
  }
}
