// SPDX-License-Identifier: Apache-2.0

import PageJournal

/// Why an operation was not done, or did not reach its durability.
struct Refusal: Error {
  enum Code: String {
    case usage, noSuchPage, noSuchElement, badPayload, tooLarge, readOnly, noSpace, io, locked, damaged,
      newerVersion
    case `internal`
  }
  var code: Code
  var message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  init(_ error: StorageError) {
    let code: Code
    switch error.code {
    case .usage, .closed, .alreadyExists: code = .usage
    case .notFound: code = error.page == nil ? .io : .noSuchPage
    case .noSuchElement: code = .noSuchElement
    case .badPayload: code = .badPayload
    // With an error number it is the volume that takes no larger file.
    case .tooLarge: code = error.systemError == nil ? .tooLarge : .noSpace
    case .readOnly, .readOnlyVolume: code = .readOnly
    case .noSpace: code = .noSpace
    case .io, .accessDenied, .tooManyOpenFiles, .wrongKind: code = .io
    case .locked, .lockUnsupported: code = .locked
    case .damaged: code = .damaged
    case .newerVersion: code = .newerVersion
    case .internal: code = .internal
    }
    self.init(code, error.sentence)
  }

  var value: Value { .object([("code", .text(code.rawValue)), ("message", .text(message))]) }
}
