// SPDX-License-Identifier: Apache-2.0

import InkElements
import LNoteFormats

/// Files of strangers: refused with one sentence, or taken, and then exported and imported again without loss.
enum ImportEntries {
  private static let importer = Importer(limit: DecompressionLimit(bytes: 4 << 20, ratio: 200, free: 1 << 20))

  static func checkLines(_ bytes: [UInt8]) throws {
    if let items = try items(bytes) { try TransferTrial(items).run() }
  }

  static func checkXournal(_ bytes: [UInt8]) throws {
    let plain = try result(bytes)
    if !bytes.starts(with: [0x1F, 0x8B]) {
      let packed = try result(GzipWriting.stored(bytes))
      try require(
        packed == plain || bytes.isEmpty, "packed, it is read as \(packed) and not as \(plain)")
    }
    if case .items(let items) = plain { try TransferTrial(items).run() }
  }

  private enum Reading: Equatable {
    case items([ImportItem])
    case refused(FormatError)
  }

  private static func items(_ bytes: [UInt8]) throws(BrokenProperty) -> [ImportItem]? {
    if case .items(let items) = try result(bytes) { items } else { nil }
  }

  private static func result(_ bytes: [UInt8]) throws(BrokenProperty) -> Reading {
    do {
      return .items(try read(bytes))
    } catch {
      guard case .format(let reason) = error else {
        throw BrokenProperty("a closure that never throws threw")
      }
      try requireSentence(reason.description)
      return .refused(reason)
    }
  }

  /// Everything in a file, at once.
  static func read(_ bytes: [UInt8]) throws(TransferError<Never>) -> [ImportItem] {
    var items: [ImportItem] = []
    try importer.read(bytes, name: "file") { items.append($0) }
    return items
  }
}
