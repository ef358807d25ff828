// SPDX-License-Identifier: Apache-2.0

import Foundation
import LNote
import PageJournal

enum ApplyVerb: Verb {
  static let name = "apply"
  static let summary = "change a document by JSON lines: the engine for scripts"
  static let help = """
    usage: lnote apply DOC [--create] [--durability buffered|written|durable] [--compact-at BYTES]
                       [--leave-open]

    Reads a JSON object a line and answers each with one, in order, before it waits for more. An answer
    with "ok":true appears only when the chosen durability (default: durable) holds.

      {"op":"addPage","width":612,"height":792}            {"ok":true,"page":"uuid"}
      {"op":"append","page":P,"kind":K,"payload":"base64"} {"ok":true,"id":17,"commit":5}
      {"op":"insert","page":P,"at":0,"kind":K,"payload":…} {"ok":true,"id":…,"commit":…}
      {"op":"replace","page":P,"id":17,"with":[{"kind":K,"payload":…}]}
                                                           {"ok":true,"ids":[18],"commit":…}
      {"op":"remove","page":P,"id":17}                     {"ok":true,"commit":…}
      {"op":"move","page":P,"id":17,"to":0}                "to" is the index after the move
      {"op":"set","page":P,"key":"paper","value":"base64"} null removes
      {"op":"stroke","page":P,"width":1.4,"x":[…],"y":[…]} an append in the form of stroke NDJSON
      {"op":"batch","page":P,"ops":[…]}                    {"ok":true,"ids":[…],"commit":…}
                                                           one commit, all or none
      {"op":"sync","page":P}                               {"ok":true,"durable":N}
      {"op":"sync"}                                        {"ok":true,"pages":{P:N,…}}
      {"op":"compact","page":P}                            answers when the merge has ended; all
                                                           pages without "page"
      {"op":"movePage","page":P,"to":0}  {"op":"removePage","page":P}
      {"op":"addAsset","type":"png","data":"base64"}       {"ok":true,"asset":"uuid"}
      {"op":"close"}                                       closes and ends

    A refused operation answers {"ok":false,"error":{"code","message"}} and changes nothing. One that was
    accepted and did not reach the durability answers {"ok":false,"applied":true,…,"error":…} and is
    covered by a later successful sync. Codes: usage noSuchPage noSuchElement badPayload tooLarge
    readOnly noSpace io locked damaged newerVersion internal.

      --create       makes the document when it does not exist
      --compact-at   journal bytes at which a page is merged in the background (default 262144)
      --leave-open   at the end of input exits at once, with nothing more written

    Exits 0 if the final close held, even if operations were refused; 74 if an answer could not be printed.
    """
  static let flags: Set<String> = ["--create", "--leave-open"]
  static let options: Set<String> = ["--durability", "--compact-at"]

  static func run(_ arguments: Arguments) throws(Failure) -> ExitCode {
    let path = try arguments.input("the document")
    guard let level = ApplySession.Level(rawValue: arguments.value("--durability") ?? "durable") else {
      throw arguments.usage(
        "--durability is buffered, written or durable, not “\(arguments.value("--durability") ?? "")”")
    }
    var options = StoreOptions()
    if let text = arguments.value("--compact-at") {
      guard let bytes = Int(text), bytes > 0 else {
        throw arguments.usage("--compact-at takes a number of bytes above 0, not “\(text)”")
      }
      options.compactionThreshold = bytes
    }
    let document = try open(path, options, creates: arguments.has("--create"))
    let session = ApplySession(document, level)
    var input = StandardInput(limit: ApplyRequest.lineLimit)
    while let line = input.next() {
      let (answer, isLast) = answer(line, session)
      // When nobody reads the answers any more, what follows is the same as at the end of input.
      guard Output.json(answer.value) || isLast else { break }
      if isLast {
        if let failure = session.closeFailure { throw Failure(failure) }
        return .ok
      }
    }
    if arguments.has("--leave-open") {
      // Not by returning: a document that is let go would write what is buffered.
      exit((!input.hasFailed && !Output.hasFailed ? ExitCode.ok : .io).rawValue)
    }
    try attempt { () throws(StorageError) in try session.closeDocument() }
    if input.hasFailed {
      throw Failure(.io, "cannot read the standard input to its end; the document was closed")
    }
    return .ok
  }

  private static func answer(
    _ line: StandardInput.Line, _ session: ApplySession
  ) -> (ApplyAnswer, isLast: Bool) {
    switch line {
    case .bytes(let bytes): return session.answer(bytes)
    case .tooLong:
      let refusal = Refusal(
        .tooLarge, "the line is longer than \(Output.grouped(ApplyRequest.lineLimit)) bytes")
      return (ApplyAnswer(refused: refusal), false)
    }
  }

  private static func open(
    _ path: String, _ options: StoreOptions, creates: Bool
  ) throws(Failure) -> NoteDocument {
    if creates {
      let found = try attempt { () throws(StorageError) in try PosixFileSystem().statusIfAny(of: path) }
      if found == nil {
        try UserPath.requireParent(of: path)
        do throws(StorageError) {
          return try NoteDocument.create(at: path, environment: Documents.environment(options))
        } catch  where error.code == .alreadyExists {
          // Another process made it in this moment: open that one.
        } catch {
          throw Failure.creating(error, path)
        }
      }
    }
    return try Documents.openForWriting(path, options)
  }
}
