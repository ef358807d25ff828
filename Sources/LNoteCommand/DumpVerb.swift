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

    Prints {"schema":1,"pages":[…]} in document order: id, size, generation, commit, attributes and
    elements (values and payloads in base64), and what opening found. A page file includes the journals
    beside it. Takes no lock and writes nothing; exits 0 whenever JSON was printed, whatever the verdicts.
    A page of which nothing is known has null for its content. "unlisted" names pages that have files and
    that the document does not name.

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
        throw arguments.usage("--batch takes its paths from standard input, and no --page")
      }
      return try batch(isRecovering)
    }
    let path = try arguments.input("the document or page file")
    var only: PageID?
    if let text = arguments.value("--page") {
      guard let id = PageID(text) else {
        throw arguments.usage("--page takes a lower-case UUID, not “\(text)”")
      }
      only = id
    }
    let dump = try dump(path, only, isRecovering)
    Output.json(.object(dump))
    return .ok
  }

  private static func batch(_ isRecovering: Bool) throws(Failure) -> ExitCode {
    var input = StandardInput(limit: 1 << 16)
    while let line = input.next() {
      let answer: Value
      switch line {
      case .bytes(let bytes) where bytes.isEmpty: continue
      case .bytes(let bytes): answer = batchLine(bytes, isRecovering)
      case .tooLong: answer = batchError("", Failure(.usage, "the path is longer than 65,536 bytes"))
      }
      guard Output.json(answer) else { break }
    }
    if input.hasFailed {
      throw Failure(.io, "cannot read the standard input to its end")
    }
    return .ok
  }

  private static func batchLine(_ bytes: [UInt8], _ isRecovering: Bool) -> Value {
    guard let path = String(validating: bytes, as: UTF8.self) else {
      return batchError(
        String(decoding: bytes, as: UTF8.self), Failure(.noInput, "the path is not UTF-8"))
    }
    do throws(Failure) {
      var members = try dump(UserPath.followed(path), nil, isRecovering)
      members.insert(("path", .text(path)), at: 1)
      return .object(members)
    } catch {
      return batchError(path, error)
    }
  }

  private static func batchError(_ path: String, _ failure: Failure) -> Value {
    let error: [(String, Value)] = [
      ("code", .integer(Int(failure.code.rawValue))), ("message", .text(failure.message)),
    ]
    return .object([("schema", .integer(1)), ("path", .text(path)), ("error", .object(error))])
  }

  private static func dump(
    _ path: String, _ only: PageID?, _ isRecovering: Bool
  ) throws(Failure) -> [(String, Value)] {
    let target = try Target(path)
    var pages: [Value] = []
    if isRecovering {
      pages = try recovered(target, only)
    } else {
      try target.forEachPage(only: only) { (id, record, opened) throws(Failure) in
        pages.append(page(id, record, opened))
      }
    }
    if let only, pages.isEmpty {
      throw Failure(.noInput, "\(path) has no page \(only)")
    }
    var result: [(String, Value)] = [("schema", .integer(1)), ("pages", .list(pages))]
    if case .document(let inspection) = target {
      result.append(("unlisted", .list(inspection.unlisted.map { .text($0.description) })))
      if case .failure(let error) = inspection.record {
        result.append(("documentError", .text(error.sentence)))
      }
    }
    return result
  }

  /// Opens for writing, keeps what was shown, closes.
  private static func recovered(_ target: Target, _ only: PageID?) throws(Failure) -> [Value] {
    var pages: [Value] = []
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
      let store = try Documents.waitingForLock { () throws(StorageError) in try PageStore.open(directory) }
      let opened = try attempt { () throws(StorageError) in try store.open(id) }
      pages.append(page(id, nil, opened))
      try attempt { () throws(StorageError) in try store.close() }
    }
    return pages
  }

  private static func page(_ id: PageID, _ record: PageRecord?, _ opened: OpenedPage) -> Value {
    var keys: [(String, Value)] = [("id", .text(id.description))]
    if let record { keys += [("width", .number(record.width)), ("height", .number(record.height))] }
    if let view = opened.view {
      let attributes = view.attributeList
      var elements: [Value] = []
      elements.reserveCapacity(view.count)
      view.forEach { element, payload in
        elements.append(
          .object([
            ("id", .counter(element.id)), ("kind", .integer(Int(element.kind))),
            ("payload", .base64([UInt8](copying: payload))),
          ]))
      }
      keys += [
        ("generation", .counter(view.generation)), ("commit", .counter(view.commit)),
        ("attributes", .object(attributes.map { ($0.key, .base64($0.value)) })),
        ("elements", .list(elements)),
      ]
    } else {
      keys += [("generation", .null), ("commit", .null), ("attributes", .null), ("elements", .null)]
    }
    keys.append(("recovery", recovery(opened.report)))
    return .object(keys)
  }

  private static func recovery(_ report: RecoveryReport) -> Value {
    var keys: [(String, Value)] = [
      ("verdict", .text(report.verdict.rawValue)), ("framesApplied", .integer(report.framesApplied)),
      ("commitsApplied", .integer(report.commitsApplied)), ("bytesSetAside", .integer(report.bytesSetAside)),
      ("file", .optional(report.file)), ("offset", .optional(report.offset)),
    ]
    if let failure = report.failure { keys.append(("error", .text(failure.sentence))) }
    return .object(keys)
  }
}
