// SPDX-License-Identifier: Apache-2.0

internal import PageJournal

/// Why a file of another format cannot be read, or why something cannot be written in one.
///
/// A plain value: it may be kept, compared and passed between threads.
public struct FormatError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kind of failure, for programs; `description` is the sentence for a person.
  public enum Code: String, Sendable, Equatable, CaseIterable {
    /// The format is known, but the bytes break its rules.
    case malformed
    /// A format, version or feature that is not read or written here.
    case unsupported
    /// Above a limit that keeps hostile files from using up memory.
    case tooLarge
    /// Nothing in it.
    case empty
    /// The bytes could not be fetched or unpacked for a reason outside of them.
    case unreadable
  }

  /// The kind of failure.
  public var code: Code
  /// The file concerned, as the caller named it; empty where there is none.
  public var file: String
  /// The line concerned, from 1, where the format has lines.
  public var line: Int?
  /// The place in bytes from the file's start, where the format has no lines.
  public var offset: Int?
  /// What is wrong, as a clause: "x has 3 values, y has 2".
  public var cause: String

  /// Makes an error; the places are optional.
  public init(_ code: Code, file: String = "", line: Int? = nil, offset: Int? = nil, cause: String) {
    self.code = code
    self.file = file
    self.line = line
    self.offset = offset
    self.cause = cause
  }

  /// One sentence: where and what.
  public var description: String {
    var place = file
    if let line { place += place.isEmpty ? "line \(line)" : ", line \(line)" }
    if let offset { place += place.isEmpty ? "byte \(offset)" : ", byte \(offset)" }
    return (place.isEmpty ? cause : "\(place): \(cause)").plainLine
  }
}

/// What ended an import or export: the format, or the caller's own closure.
public enum TransferError<Caller: Error>: Error, CustomStringConvertible {
  /// The file is at fault, or a value that the format cannot hold.
  case format(FormatError)
  /// The closure threw this; `line` is how far an import had read, from 1.
  case caller(Caller, line: Int?)

  /// The sentence of whichever it was.
  public var description: String {
    switch self {
    case .format(let error): error.description
    case .caller(let error, let line): line.map { "line \($0): \(error)" } ?? "\(error)"
    }
  }
}
