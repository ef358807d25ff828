// SPDX-License-Identifier: Apache-2.0

/// A gzip file of stored blocks (RFC 1951, 1952).
enum GzipWriting {
  static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var file: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
    var start = 0
    repeat {
      let end = min(start + 0xFFFF, bytes.count)
      let length = UInt16(end - start)
      file.append(end == bytes.count ? 1 : 0)
      for number in [length, ~length] { file += [UInt8(truncatingIfNeeded: number), UInt8(number >> 8)] }
      file += bytes[start..<end]
      start = end
    } while start < bytes.count
    var trailer = [UInt8](repeating: 0, count: 8)
    FrameBytes.put(UInt64(FrameBytes.crc32(bytes, 0..<bytes.count)), 4, into: &trailer, at: 0)
    FrameBytes.put(UInt64(bytes.count), 4, into: &trailer, at: 4)
    return file + trailer
  }
}
