// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults

/// What SPEC.md says of a page's files, read and written anew, without the engine's help.
package enum PageFile {
  package static let journalHeader = 80
  package static let framePrefix = 9

  /// The paths in an image that end like this, in order of their generation.
  package static func paths(_ image: Image, _ suffix: String) -> [String] {
    image.paths.filter { $0.hasSuffix(suffix) && image[$0] != nil }.sorted { generation($0) < generation($1) }
  }

  /// 12 of "/pages/<page>.12.journal"; 0 where there is none.
  package static func generation(_ path: String) -> UInt64 {
    let parts = path.split(separator: ".")
    return parts.count > 2 ? UInt64(parts[1]) ?? 0 : 0
  }

  /// Generation and seed of the journals that the last `end` of a snapshot lists.
  package static func absorbed(_ snapshot: [UInt8]) -> [(generation: UInt64, seed: UInt64)] {
    guard let end = FrameListing(snapshot).frames.last(where: { $0.type == .end }) else { return [] }
    let payload = Array(snapshot[end.payload])
    var at = 40
    var count = 0
    var shift = 0
    while at < payload.count {
      count |= Int(payload[at] & 0x7F) << shift
      at += 1
      shift += 7
      if payload[at - 1] < 0x80 || shift > 28 { break }
    }
    return (0..<count).compactMap { number in
      let start = at + 24 * number
      guard start + 24 <= payload.count else { return nil }
      return (littleEndian(payload, start, 8), littleEndian(payload, start + 8, 4))
    }
  }

  package static func littleEndian(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> UInt64 {
    guard offset + count <= bytes.count else { return 0 }
    return (0..<count).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
  }

  package static func littleEndian(_ value: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
  }

  /// A frame that follows the last valid one of a file.
  package static func appendingFrame(_ file: [UInt8], type: UInt8, _ payload: [UInt8]) -> [UInt8] {
    let listing = FrameListing(file)
    let seed = UInt32(truncatingIfNeeded: littleEndian(file, 8, 4))
    let last = listing.frames.last?.crc ?? 0
    return Array(file[..<listing.stopOffset]) + frame(type, payload, after: last, seed: seed)
  }

  package static func frame(_ type: UInt8, _ payload: [UInt8], after last: UInt32, seed: UInt32) -> [UInt8] {
    let length = littleEndian(UInt64(payload.count), 4)
    let rest = [type] + payload
    let crc = Checksum.crc32(rest.span, from: Checksum.crc32(length.span, from: last ^ seed))
    return length + littleEndian(UInt64(crc), 4) + rest
  }

  /// The same file with another major version in its header, which has the right crc.
  package static func withMajorVersion(_ major: UInt8, _ file: [UInt8], header size: Int) -> [UInt8] {
    var file = file
    file[4] = major
    let crc = Checksum.crc32(file.span.extracting(0..<(size - 4)))
    file.replaceSubrange((size - 4)..<size, with: littleEndian(UInt64(crc), 4))
    return file
  }
}

extension Image {
  /// The same with one file changed; nil removes it.
  package func replacing(_ path: String, _ bytes: [UInt8]?) -> Image {
    var files: [String: [UInt8]] = [:]
    for name in paths { if let content = self[name] { files[name] = content } }
    files[path] = bytes
    return Image(files, directories: [CrashRun.directory])
  }
}
