// SPDX-License-Identifier: Apache-2.0

import Foundation
import LNote
import LNoteFormats
import PageJournal

enum ImportVerb: Verb {
  static let name = "import"
  static let summary = "make a document from files of other apps"
  static let help = """
    usage: lnote import FILE… -o DOC [--force]

    Reads Xournal++ files (.xopp, .xoj; packed or plain XML) and stroke NDJSON (a JSON object a line),
    told by their content, and writes them stroke by stroke through the journal, as an app would. The
    pages of several files follow one another. What cannot be kept is named on standard error.

      -o DOC    the document to make; nothing is overwritten
      --force   replaces a note package of that name, when the new one is complete and closed

    A failed or interrupted import leaves nothing behind. A packed file may unpack to at most 1 GiB and,
    above 16 MiB, to 200 times its size.
    """
  static let flags: Set<String> = ["--force"]
  static let options: Set<String> = ["-o"]

  /// The greatest file that is read.
  private static let fileLimit: UInt64 = 1 << 30

  static func run(_ arguments: Arguments) throws(Failure) -> ExitCode {
    guard !arguments.rest.isEmpty else { throw arguments.usage("a file to import is missing") }
    guard let output = arguments.value("-o"), !output.isEmpty else {
      throw arguments.usage("-o DOC is missing")
    }
    let meter = MeteredFileSystem()
    let environment = NoteEnvironment(
      storage: Environment(fileSystem: meter), lockWait: Documents.lockWait)
    let publishing = NotePublishing(to: output, environment: environment)
    let replaces = arguments.has("--force")
    try UserPath.requireParent(of: output)
    try creating(output) { () throws(StorageError) in try publishing.requireReplaceable(replaces) }
    try Documents.requireUnlocked(output)
    let signals = Interruption.watch()
    defer { withExtendedLifetime(signals) {} }
    var session: ImportSession?
    do throws(Failure) {
      let document = try creating(output) { () throws(StorageError) in
        try NoteDocument.create(at: publishing.temporary, environment: environment)
      }
      var importing = ImportSession(document)
      session = importing
      for path in arguments.rest { try importFile(path, &importing) }
      session = importing
      guard importing.hasContent else {
        throw Failure(.damaged, "there is nothing to import in \(arguments.rest.joined(separator: ", "))")
      }
      let journalBytes = meter.count.journal
      try attempt { () throws(StorageError) in try document.close() }
      try Interruption.check()
      // Somebody may have opened the old document meanwhile.
      try Documents.requireUnlocked(output)
      try creating(output) { () throws(StorageError) in try publishing.publish(replaces: replaces) }
      Output.clearProgress()
      importing.printSummary(output, journalBytes: journalBytes, written: meter.count)
    } catch {
      Output.clearProgress()
      session?.document.abandon()
      publishing.abandon()
      throw error
    }
    return .ok
  }

  private static func importFile(_ path: String, _ session: inout ImportSession) throws(Failure) {
    let bytes = try attempt { () throws(StorageError) in
      try PosixFileSystem().contents(of: UserPath.followed(path), limit: fileLimit)
    }
    session.beginFile(path)
    do throws(TransferError<Failure>) {
      try Importer().read(bytes, name: path) { (item) throws(Failure) in
        try Interruption.check()
        try session.add(item)
      }
    } catch {
      switch error {
      case .format(let error):
        throw Failure(error.code == .unsupported ? .noInput : .damaged, "cannot import \(error)")
      case .caller(let failure, let line):
        throw Failure(failure.code, line.map { "\(path), line \($0): \(failure.message)" } ?? failure.message)
      }
    }
    try session.endFile()
  }

  /// Errors of the place to write to.
  private static func creating<Result>(
    _ path: String, _ body: () throws(StorageError) -> Result
  ) throws(Failure) -> Result {
    do throws(StorageError) {
      return try body()
    } catch {
      throw Failure.creating(error, path)
    }
  }
}
