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
}
