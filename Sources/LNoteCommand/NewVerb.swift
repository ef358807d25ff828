// SPDX-License-Identifier: Apache-2.0

import LNote
import PageJournal

enum NewVerb: Verb {
  static let name = "new"
  static let summary = "make an empty document"
  static let help = """
    usage: lnote new DOC [--title T]

    Makes an empty note package with that name. Nothing that exists is touched.
    """
  static let flags: Set<String> = []
  static let options: Set<String> = ["--title"]

  static func run(_ arguments: Arguments) throws(Failure) -> ExitCode {
    let path = try arguments.only("the document")
    try UserPath.requireParent(of: path)
    do throws(StorageError) {
      try NoteDocument.create(at: path, title: arguments.value("--title") ?? "").close()
    } catch {
      throw Failure.creating(error, path)
    }
    return .ok
  }
}
