// SPDX-License-Identifier: Apache-2.0

import PageJournal

/// The exit codes, as in sysexits.h.
enum ExitCode: Int32 {
  case ok = 0
  case usage = 64
  case damaged = 65
  case noInput = 66
  case `internal` = 70
  case cannotCreate = 73
  case io = 74
  case locked = 75
}

/// A verb's failure: a sentence and a code.
struct Failure: Error {
  var code: ExitCode
  var message: String

  init(_ code: ExitCode, _ message: String) {
    self.code = code
    self.message = message
  }

  init(_ error: StorageError) {
    self.init(Failure.code(of: error), error.sentence)
  }

  /// An error of making an output: what is missing there is not an input, and the temporary names that it has until
  /// it is whole tell nobody anything.
  static func creating(_ error: StorageError, _ path: String) -> Failure {
    switch error.code {
    case .notFound, .wrongKind, .accessDenied, .readOnlyVolume:
      let advice =
        error.code == .accessDenied ? "check owner and mode of the folder that it goes into" : error.advice
      let named = StorageError(
        error.code, "create", cause: error.cause, advice: advice, file: path, offset: error.offset,
        page: error.page, systemError: error.systemError)
      return Failure(.cannotCreate, named.sentence)
    case .alreadyExists: return Failure(.cannotCreate, error.sentence)
    case .noSpace:
      return Failure(
        StorageError(
          .noSpace, "write", cause: error.cause, advice: "free some space", file: path, page: error.page,
          systemError: error.systemError))
    default: return Failure(error)
    }
  }

  private static func code(of error: StorageError) -> ExitCode {
    switch error.code {
    case .usage: .usage
    // With an error number it is the volume that takes no larger file.
    case .tooLarge where error.systemError != nil: .io
    case .damaged, .newerVersion, .badPayload, .tooLarge: .damaged
    case .notFound, .wrongKind: .noInput
    case .alreadyExists: .cannotCreate
    case .locked, .lockUnsupported: .locked
    case .accessDenied, .readOnlyVolume, .noSpace, .io, .tooManyOpenFiles, .readOnly: .io
    case .noSuchElement, .closed, .internal: .internal
    }
  }
}

extension StorageError {
  /// The error as the command line says it: what cannot be done to which file, why, and what to do.
  var sentence: String {
    let place = (file ?? page.map { "page \($0)" }).map { $0 + (offset.map { ", byte \($0)" } ?? "") }
    // “examine” and its like have the file as their object; “open the document” has one already.
    let verb = operation == "examine" ? "open" : operation
    let hasObject = verb.contains(" ") && verb != "write to"
    var text =
      switch place {
      case let place? where hasObject: "\(place): cannot \(verb)"
      case let place?: "cannot \(verb) \(place)"
      case nil: "cannot \(verb)"
      }
    text += ": \(cause)"
    if code == .io, let systemError { text += " (error \(systemError))" }
    if !advice.isEmpty { text += "; \(advice)" }
    return text
  }
}

/// Runs engine code and turns its errors into a verb's.
func attempt<Result>(_ body: () throws(StorageError) -> Result) throws(Failure) -> Result {
  do throws(StorageError) {
    return try body()
  } catch {
    throw Failure(error)
  }
}
