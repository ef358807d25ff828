// SPDX-License-Identifier: Apache-2.0

import InkElements
import LNote
import LNoteFormats
import PageJournal

enum ExportVerb: Verb {
  static let name = "export"
  static let summary = "draw a document as SVG, or write it as NDJSON"
  static let help = """
    usage: lnote export DOC -o OUT.svg|OUT.ndjson [--pages 2-5]

    The ending of OUT says the format. SVG draws the pages below one another, strokes with their changing
    width; NDJSON loses nothing that was stored and can be imported again. Takes no lock and writes
    nothing to the document.

      -o OUT    replaced when it exists and is a file
      --pages   which pages, counted from 1: 3, 2-5, 2-, -4, or several with commas

    A page that is damaged is exported as far as it can be read, named on standard error, and the exit
    code is 65 (74 for one that could not be read at all).
    """
  static let flags: Set<String> = []
  static let options: Set<String> = ["-o", "--pages"]

  private enum Format { case svg, ndjson }

  static func run(_ arguments: Arguments) throws(Failure) -> ExitCode {
    let path = try arguments.input("the document")
    guard let output = arguments.value("-o"), !output.isEmpty else {
      throw arguments.usage("-o OUT is missing")
    }
    let format: Format
    if output.lowercased().hasSuffix(".svg") {
      format = .svg
    } else if output.lowercased().hasSuffix(".ndjson") {
      format = .ndjson
    } else {
      throw arguments.usage("-o takes a name that ends in .svg or .ndjson, not “\(output)”")
    }
    guard case .document(let inspection) = try Target(path) else {
      throw Failure(.noInput, "cannot export \(path): it is a page's file, not a document")
    }
    let selection = try PageSelection(arguments.value("--pages"), count: inspection.pages.count)
    var code = ExitCode.ok
    var source = ExportSource(inspection, selection)
    try source.load { id, report in
      Output.error("lnote export: page \(id): \(report.verdict.rawValue): \(report.verdict.explanation)")
      let pageCode = CheckVerb.exitCode(report.verdict)
      if pageCode != .ok, code != .damaged { code = pageCode }
    }
    try UserPath.requireParent(of: output)
    let file = try OutputFile(output)
    do throws(Failure) {
      switch format {
      case .svg: try source.writeSVG(to: file)
      case .ndjson: try source.writeNDJSON(to: file)
      }
      try file.finish()
    } catch {
      file.abandon()
      throw error
    }
    return code
  }
}

/// Which pages to export: "2-5", "3", "2-", "1,4-6".
struct PageSelection {
  let indices: [Int]

  init(_ text: String?, count: Int) throws(Failure) {
    guard let text else {
      indices = Array(0..<count)
      return
    }
    var chosen: Set<Int> = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let ends = part.split(separator: "-", omittingEmptySubsequences: false)
      let first = ends.first.flatMap { $0.isEmpty && ends.count == 2 ? 1 : Self.number($0) }
      let last = ends.count == 1 ? first : ends.last.flatMap { $0.isEmpty ? count : Self.number($0) }
      guard ends.count <= 2, !part.isEmpty, part != "-", let first, let last, first >= 1, last >= 1 else {
        throw Failure(.usage, "--pages takes numbers from 1 such as 3, 2-5 or 1,4-6, not “\(text)”")
      }
      guard first <= count, ends.count == 1 || ends[1].isEmpty || last <= count else {
        throw Failure(.usage, "--pages \(text): the document has \(Output.count(count, "page"))")
      }
      guard first <= last else { throw Failure(.usage, "--pages \(text): \(first) is behind \(last)") }
      chosen.formUnion((first - 1)...(last - 1))
    }
    indices = chosen.sorted()
  }

  /// Digits only: no sign, no space.
  private static func number(_ text: Substring) -> Int? {
    text.utf8.allSatisfy { (48...57).contains($0) } ? Int(text) : nil
  }
}
