// SPDX-License-Identifier: Apache-2.0

import LNote
import PageJournal

enum CompactVerb: Verb {
  static let name = "compact"
  static let summary = "merge every journal and close the document"
  static let help = """
    usage: lnote compact DOC

    Opens the document for writing, merges the journals of every page into its snapshot and closes it
    again. A page that is damaged or of a newer version stays as it is and is named.
    """
  static let flags: Set<String> = []
  static let options: Set<String> = []

  static func run(_ arguments: Arguments) throws(Failure) -> ExitCode {
    let path = try arguments.input("the document")
    let before = FolderSize.bytes(path)
    let document = try Documents.openForWriting(path)
    var code = ExitCode.ok
    if let obstacle = document.obstacle {
      Output.error("lnote compact: \(obstacle.sentence); its pages are merged all the same")
      code = Failure(obstacle).code
    }
    for record in document.pages {
      do throws(StorageError) {
        let opened = try document.page(record.id)
        if let page = opened.page {
          try page.compact()
        } else {
          Output.error(
            "lnote compact: page \(record.id) is left as it is: \(opened.report.verdict.explanation)")
          code = opened.report.verdict == .unavailable ? .io : .damaged
        }
      } catch {
        Output.error("lnote compact: \(error.sentence)")
        code = .io
      }
    }
    try attempt { () throws(StorageError) in try document.close() }
    Output.line(
      "\(Output.count(document.pages.count, "page")): \(Output.grouped(before)) bytes before, "
        + "\(Output.grouped(FolderSize.bytes(path))) after")
    return code
  }
}
