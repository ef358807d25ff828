// SPDX-License-Identifier: Apache-2.0

import LNote
import PageJournal
import PageJournalFaults

/// `document.json` of a package without pages' files: read, it can be written and read again without losing a key; not
/// read, it stays as it is.
enum RecordEntry {
  private static let path = "/n.lnote"

  static func check(_ bytes: [UInt8]) throws {
    let disk = try disk(bytes)
    let before = try Image(reading: disk, at: path)
    let inspection = try NoteInspection(path, fileSystem: disk)
    try require(try Image(reading: disk, at: path) == before, "an inspection changed files")
    switch inspection.record {
    case .success(let record): try checkRead(record, bytes, disk)
    case .failure(let error): try checkRefused(error, bytes, disk, before)
    }
  }

  private static func disk(_ bytes: [UInt8]) throws -> SimulatedFileSystem {
    let disk = SimulatedFileSystem(recordsEvents: false)
    try disk.createDirectory(path)
    for folder in ["pages", "assets", "thumbnails"] { try disk.createDirectory("\(path)/\(folder)") }
    try disk.replaceFile(in: path, name: "document.json", with: bytes.span)
    return disk
  }

  private static func open(_ disk: SimulatedFileSystem) throws -> NoteDocument {
    try NoteDocument.open(
      path, environment: NoteEnvironment(storage: .quiet(disk), now: { 1_234_567 }, pause: { _ in }))
  }

  private static func stored(_ disk: SimulatedFileSystem) throws -> [UInt8] {
    try disk.contents(of: "\(path)/document.json", limit: 1 << 30)
  }

  private static func checkRefused(
    _ error: StorageError, _ bytes: [UInt8], _ disk: SimulatedFileSystem, _ before: Image
  ) throws {
    try requireSentence(error.description)
    try require(error.code == .damaged || error.code == .newerVersion, "refused as \(error.code)")
    let document = try open(disk)
    try require(document.obstacle?.code == error.code, "opened with \(String(describing: document.obstacle))")
    do {
      try document.setTitle("new")
      throw BrokenProperty("a document without a record took a title")
    } catch let error as StorageError {
      try requireSentence(error.description)
    }
    try document.close()
    try require(try stored(disk) == bytes, "an unreadable record was replaced")
    if error.code == .newerVersion {
      try require(try Image(reading: disk, at: path) == before, "a document of a newer version was touched")
    }
  }

  private static func checkRead(
    _ record: DocumentRecord, _ bytes: [UInt8], _ disk: SimulatedFileSystem
  ) throws {
    var expected = record
    expected.removed = []
    let document = try open(disk)
    try require(document.obstacle == nil, "opened with \(String(describing: document.obstacle))")
    try require(document.record == expected, "opened as another record")
    for page in record.pages.prefix(2) {
      let found = try document.page(page.id).report.verdict
      try require(found == .damagedSnapshot, "a page without a file is \(found)")
    }
    try document.close()
    if record.removed.isEmpty { try require(try stored(disk) == bytes, "a record was written unasked") }

    let again = try open(disk)
    let title = record.title + "!"
    try again.setTitle(title)
    try again.close()
    expected.title = title
    expected.modified = 1_234_567
    guard case .success(let written) = try NoteInspection(path, fileSystem: disk).record else {
      throw BrokenProperty("a record that was written does not read")
    }
    try require(written == expected, "written and read again: \(written) instead of \(expected)")
    try checkKeys(try stored(disk), bytes)
    let manifest = JSON(parsing: try disk.contents(of: "\(path)/manifest.json", limit: 1 << 20))
    try require(
      manifest?["title"]?.string == title && manifest?["pages"]?.integer == Int64(record.pages.count),
      "the manifest says \(String(describing: manifest))")
  }

  /// Every key that this version gives no meaning to is there, with the value it had, in the document and in its pages.
  private static func checkKeys(_ written: [UInt8], _ bytes: [UInt8]) throws(BrokenProperty) {
    guard let old = LosslessJSON(bytes), let new = LosslessJSON(written) else {
      // Foundation also reads other encodings than UTF-8; those are not compared.
      return
    }
    let own: Set<String> = ["schema", "id", "title", "created", "modified", "pages", "removed"]
    try compare(old, new, own)
    guard let oldPages = old["pages"]?.array, let newPages = new["pages"]?.array else { return }
    let pageKeys: Set<String> = [
      "id", "width", "height", "created", "modified", "elements", "generation", "commit",
    ]
    for (old, new) in zip(oldPages, newPages) { try compare(old, new, pageKeys) }
  }

  private static func compare(
    _ old: LosslessJSON, _ new: LosslessJSON, _ own: Set<String>
  ) throws(BrokenProperty) {
    for (key, value) in old.members where !own.contains(key) {
      let found = new[key]
      try require(found == value, "“\(key)” was \(value) and is \(String(describing: found))")
    }
  }
}
