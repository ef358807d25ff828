// SPDX-License-Identifier: Apache-2.0

import CZlib
import Foundation
import InkElements
import LNoteFormats

/// Real ink of other people, which is beside the package on some machines and never part of it.
enum SharedInk {
  static let folder: URL? = {
    let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let folder = package.deletingLastPathComponent().appending(path: "shared/ink")
    return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
  }()

  static func bytes(_ path: String) throws -> [UInt8]? {
    guard let folder else {
      print("skipped: no shared ink")
      return nil
    }
    return [UInt8](try Data(contentsOf: folder.appending(path: path)))
  }

  static func names(in path: String) throws -> [String] {
    guard let folder else {
      print("skipped: no shared ink")
      return []
    }
    return try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: path).path).sorted()
  }
}

/// Everything that an import yields, or its error.
func importAll(
  _ bytes: [UInt8], limit: DecompressionLimit = .standard
) throws(TransferError<Never>) -> [ImportItem] {
  var items: [ImportItem] = []
  try Importer(limit: limit).read(bytes, name: "test") { items.append($0) }
  return items
}

/// The format's error, or nil where the import succeeds.
func importError(_ bytes: [UInt8], limit: DecompressionLimit = .standard) -> FormatError? {
  do {
    _ = try importAll(bytes, limit: limit)
    return nil
  } catch {
    guard case .format(let error) = error else { return nil }
    return error
  }
}

func importError(_ text: String) -> FormatError? { importError(Array(text.utf8)) }

extension [ImportItem] {
  var strokes: [Stroke] {
    compactMap { if case .stroke(_, let stroke) = $0 { stroke } else { nil } }
  }

  var skipped: [String] {
    compactMap { if case .skipped(let what, let reason, _) = $0 { "\(what): \(reason)" } else { nil } }
  }

  var simplified: [String] {
    compactMap { if case .simplified(let what, _, _) = $0 { what } else { nil } }
  }
}

/// A Xournal++ document with one page of these elements.
func xournal(_ elements: String) -> String {
  """
  <?xml version="1.0" standalone="no"?>
  <xournal creator="test" fileversion="4"><page width="100" height="200">
  <background type="solid" color="#ffffffff" style="plain"/><layer>\(elements)</layer></page></xournal>
  """
}

/// A gzip member of `bytes`.
func gzip(_ bytes: [UInt8]) -> [UInt8] {
  var stream = z_stream()
  deflateInit2_(
    &stream, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
  defer { deflateEnd(&stream) }
  var source = bytes
  var packed = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))))
  source.withUnsafeMutableBufferPointer { source in
    packed.withUnsafeMutableBufferPointer { target in
      stream.next_in = source.baseAddress
      stream.avail_in = UInt32(source.count)
      stream.next_out = target.baseAddress
      stream.avail_out = UInt32(target.count)
      _ = deflate(&stream, Z_FINISH)
    }
  }
  return Array(packed[..<Int(stream.total_out)])
}

/// A generator that gives the same numbers for the same seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }
}
