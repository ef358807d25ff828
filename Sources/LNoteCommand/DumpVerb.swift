// SPDX-License-Identifier: Apache-2.0

import Foundation
import LNote
import PageJournal

enum DumpVerb: Verb {
  static let name = "dump"
  static let summary = "print pages as JSON"
  static let help = """
    usage: lnote dump DOC|PAGEFILE [--page UUID] [--recover]
           lnote dump --batch [--recover] < paths

    Prints {"schema":1,"pages":[…]} in document order: id, size, generation, commit, attributes and elements (values and
    payloads in base64), and what opening found. A page file includes the journals beside it. Takes no lock and writes
    nothing; exits 0 whenever JSON was printed, whatever the verdicts. A page of which nothing is known has null for its
    content. "unlisted" names pages that have files and that the document does not name.

      --page UUID   only that page
      --recover     opens for writing first, reports what that found, and closes as an app would
      --batch       reads paths from standard input, a line each, and prints a line of JSON for each
    """
  static let flags: Set<String> = ["--recover", "--batch"]
  static let options: Set<String> = ["--page"]

  static func run(_ arguments: Arguments) throws(Failure) -> ExitCode {
    let isRecovering = arguments.has("--recover")
    if arguments.has("--batch") {
      guard arguments.rest.isEmpty, arguments.value("--page") == nil else {
        throw Failure(.usage, "--batch takes its paths from standard input")
      }
      while let path = readLine() {
        guard !path.isEmpty else { continue }
        Output.json(batchLine(path, isRecovering))
      }
      return .ok
    }
    let path = try arguments.only("document or page file")
    var only: PageID?
    if let text = arguments.value("--page") {
      guard let id = PageID(text) else {
        throw Failure(.usage, "--page takes a lower-case UUID, not “\(text)”")
      }
      only = id
    }
    let dump = try dump(path, only, isRecovering)
    guard Output.json(.object(dump)) else { return .io }
    return .ok
  }

  private static func batchLine(_ path: String, _ isRecovering: Bool) -> JSON {
    do throws(Failure) {
      var dump = try dump(path, nil, isRecovering)
      dump["path"] = .string(path)
      return .object(dump)
    } catch {
      return .object([
        "schema": .integer(1), "path": .string(path),
        "error": .object(["code": .integer(Int64(error.code.rawValue)), "message": .string(error.message)]),
      ])
    }
  }

  private static func dump(
    _ path: String, _ only: PageID?, _ isRecovering: Bool
  ) throws(Failure) -> [String: JSON] {
    let target = try Target(path)
    var pages: [JSON] = []
    var result: [String: JSON] = ["schema": .integer(1)]
    if isRecovering {
      pages = try recovered(target, only)
    } else {
      try target.forEachPage(only: only) { (id, record, opened) throws(Failure) in
        pages.append(page(id, record, opened))
      }
    }
    if let only, pages.isEmpty {
      throw Failure(.noInput, "cannot dump page \(only): \(path) has no such page")
    }
    result["pages"] = .array(pages)
    if case .document(let inspection) = target {
      result["unlisted"] = .array(inspection.unlisted.map { .string($0.description) })
      if case .failure(let error) = inspection.record { result["documentError"] = .string(error.description) }
    }
    return result
  }

  /// Opens for writing, keeps what was shown, closes.
  private static func recovered(_ target: Target, _ only: PageID?) throws(Failure) -> [JSON] {
    var pages: [JSON] = []
    switch target {
    case .document(let inspection):
      let document = try Documents.openForWriting(inspection.path)
      for record in document.pages where only == nil || record.id == only {
        let opened = try attempt { () throws(StorageError) in try document.page(record.id) }
        pages.append(page(record.id, inspection.pageRecord(record.id), opened))
      }
      try attempt { () throws(StorageError) in try document.close() }
    case .page(let directory, let id):
      guard only == nil || only == id else { return [] }
      let store = try attempt { () throws(StorageError) in try PageStore.open(directory) }
      let opened = try attempt { () throws(StorageError) in try store.open(id) }
      pages.append(page(id, nil, opened))
      try attempt { () throws(StorageError) in try store.close() }
    }
    return pages
  }

  private static func page(_ id: PageID, _ record: PageRecord?, _ opened: OpenedPage) -> JSON {
    var keys: [String: JSON] = [
      "id": .string(id.description), "generation": .null, "commit": .null, "attributes": .null,
      "elements": .null, "recovery": recovery(opened.report),
    ]
    if let record {
      keys["width"] = .number(record.width)
      keys["height"] = .number(record.height)
    }
    if let view = opened.view {
      keys["generation"] = .integer(Int64(clamping: view.generation))
      keys["commit"] = .integer(Int64(clamping: view.commit))
      keys["attributes"] = .object(view.attributes.mapValues { .string(Data($0).base64EncodedString()) })
      var elements: [JSON] = []
      elements.reserveCapacity(view.count)
      view.forEach { element, payload in
        elements.append(
          .object([
            "id": .integer(Int64(clamping: element.id)), "kind": .integer(Int64(element.kind)),
            "payload": .string(Data([UInt8](copying: payload)).base64EncodedString()),
          ]))
      }
      keys["elements"] = .array(elements)
    }
    return .object(keys)
  }

  private static func recovery(_ report: RecoveryReport) -> JSON {
    var keys: [String: JSON] = [
      "verdict": .string(report.verdict.rawValue), "framesApplied": .integer(Int64(report.framesApplied)),
      "commitsApplied": .integer(Int64(report.commitsApplied)),
      "bytesSetAside": .integer(Int64(report.bytesSetAside)),
      "file": report.file.map { .string($0) } ?? .null,
      "offset": report.offset.map { .integer(Int64($0)) } ?? .null,
    ]
    keys["error"] = report.failure.map { .string($0.description) }
    return .object(keys)
  }
}
