// SPDX-License-Identifier: Apache-2.0

import Foundation
import LNote
import PageJournal

enum InfoVerb: Verb {
  static let name = "info"
  static let summary = "describe a document"
  static let help = """
    usage: lnote info DOC [--json]

    Title, times, and for each page its size, elements, commits, bytes and how it was found. Takes no
    lock and writes nothing.
    """
  static let flags: Set<String> = ["--json"]
  static let options: Set<String> = []

  static func run(_ arguments: Arguments) throws(Failure) -> ExitCode {
    let path = try arguments.input("the document")
    guard case .document(let inspection) = try Target(path) else {
      throw Failure(.noInput, "cannot describe \(path): it is a page's file, not a document")
    }
    let record: DocumentRecord
    switch inspection.record {
    case .success(let found): record = found
    case .failure(let error): throw Failure(error)
    }
    var pages: [Value] = []
    var lines: [String] = []
    for page in record.pages {
      let opened = inspection.inspect(page.id)
      let bytes = pageBytes(page.id, inspection.path)
      let verdict = opened.report.verdict.rawValue
      var keys: [(String, Value)] = [
        ("id", .text(page.id.description)), ("width", .number(page.width)), ("height", .number(page.height)),
      ]
      var line = "page \(lines.count + 1): \(page.id), \(number(page.width)) × \(number(page.height)) pt"
      if let view = opened.view {
        keys += [
          ("elements", .integer(view.count)), ("commit", .counter(view.commit)),
          ("generation", .counter(view.generation)),
        ]
        line +=
          ", \(Output.count(view.count, "element")), commit \(view.commit), generation \(view.generation)"
      }
      keys += [("bytes", .integer(bytes)), ("verdict", .text(verdict))]
      line += ", \(Output.count(bytes, "byte")), \(verdict)"
      pages.append(.object(keys))
      lines.append(line)
    }
    let bytes = FolderSize.bytes(path)
    if arguments.has("--json") {
      Output.json(
        .object([
          ("schema", .integer(1)), ("id", .text(record.id.description)), ("title", .text(record.title)),
          ("created", .integer(Int(record.created))), ("modified", .integer(Int(record.modified))),
          ("bytes", .integer(bytes)), ("pages", .list(pages)),
        ]), pretty: true)
    } else {
      if !record.title.isEmpty { Output.line("title: \(record.title)") }
      Output.line("id: \(record.id)")
      Output.line("created: \(date(record.created)), modified: \(date(record.modified))")
      Output.line("\(Output.count(record.pages.count, "page")), \(Output.count(bytes, "byte"))")
      for line in lines { Output.line(line) }
    }
    return .ok
  }

  private static func pageBytes(_ id: PageID, _ path: String) -> Int {
    let names = (try? PosixFileSystem().names(in: "\(path)/pages")) ?? []
    return names.filter { $0.hasPrefix(id.description) }.reduce(0) {
      $0 + FolderSize.bytes("\(path)/pages/\($1)")
    }
  }

  private static func number(_ value: Double) -> String {
    Int(exactly: value).map(String.init) ?? String(value)
  }

  private static func date(_ milliseconds: Int64) -> String {
    Date(timeIntervalSince1970: Double(milliseconds) / 1000).ISO8601Format()
  }
}
