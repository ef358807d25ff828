// SPDX-License-Identifier: Apache-2.0

/// What went wrong, where, why, and what to do about it.
///
/// Every throwing function of the engine throws this one type. It is a plain value: it may be kept,
/// compared and passed between threads.
public struct StorageError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kind of failure, for programs; `description` is the sentence for a person.
  public enum Code: String, Sendable, Equatable, CaseIterable {
    /// A call that makes no sense: an index out of range, an empty replacement, a closed page.
    case usage
    /// The file, directory or page does not exist.
    case notFound
    /// The name is already taken.
    case alreadyExists
    /// A directory where a file should be, or a file where a directory should be.
    case wrongKind
    /// The operating system refused access.
    case accessDenied
    /// The volume is mounted read-only.
    case readOnlyVolume
    /// Disk full, or a quota used up.
    case noSpace
    /// The medium or the driver failed.
    case io
    /// Another writer holds the directory.
    case locked
    /// The volume cannot lock; the caller may opt out of locking.
    case lockUnsupported
    /// The process or the system has no descriptor left.
    case tooManyOpenFiles
    /// No element with that id is on the page.
    case noSuchElement
    /// A payload, key, frame or file is above its limit.
    case tooLarge
    /// A payload that does not decode, or a value that cannot be stored.
    case badPayload
    /// The page cannot be written now; its elements stay readable.
    case readOnly
    /// The bytes on disk are not what was written.
    case damaged
    /// The file was written by a newer version of the format.
    case newerVersion
    /// The page or store was closed.
    case closed
    /// The engine contradicts itself: a defect of ours.
    case `internal`
  }

  /// All of it in one place of the heap: an error is thrown and caught by nearly every function of the engine, and as one
  /// reference it costs each of them a register instead of 120 bytes to copy.
  private final class Content: Sendable {
    let code: Code
    let operation: String
    let cause: String
    let advice: String
    let file: String?
    let offset: UInt64?
    let page: PageID?
    let systemError: Int32?

    @inline(never)
    init(
      _ code: Code, _ operation: String, _ cause: String, _ advice: String, _ file: String?,
      _ offset: UInt64?, _ page: PageID?, _ systemError: Int32?
    ) {
      self.code = code
      self.operation = operation
      self.cause = cause
      self.advice = advice
      self.file = file
      self.offset = offset
      self.page = page
      self.systemError = systemError
    }
  }

  private let content: Content

  /// The kind of failure.
  public var code: Code { content.code }
  /// What was being done, as a verb phrase: "append to the journal".
  public var operation: String { content.operation }
  /// Why it failed.
  public var cause: String { content.cause }
  /// What the reader of the message can do; may be empty.
  public var advice: String { content.advice }
  /// The file concerned, as a path.
  public var file: String? { content.file }
  /// The place in the file, in bytes from its start.
  public var offset: UInt64? { content.offset }
  /// The page concerned.
  public var page: PageID? { content.page }
  /// The operating system's error number, where one was given.
  public var systemError: Int32? { content.systemError }

  /// Makes an error; all places are optional.
  @inline(never)
  public init(
    _ code: Code, _ operation: String, cause: String, advice: String = "", file: String? = nil,
    offset: UInt64? = nil, page: PageID? = nil, systemError: Int32? = nil
  ) {
    content = Content(code, operation, cause, advice, file, offset, page, systemError)
  }

  /// By content.
  public static func == (left: StorageError, right: StorageError) -> Bool {
    left.content === right.content
      || (left.code == right.code && left.operation == right.operation && left.cause == right.cause
        && left.advice == right.advice && left.file == right.file && left.offset == right.offset
        && left.page == right.page && left.systemError == right.systemError)
  }

  /// One sentence: what, where, why and what to do.
  public var description: String {
    var text = "cannot \(operation)"
    if let file { text += " (\(file)" + (offset.map { " at byte \($0)" } ?? "") + ")" }
    if file == nil, let page { text += " (page \(page))" }
    text += ": \(cause)"
    if let systemError { text += " [errno \(systemError)]" }
    if !advice.isEmpty { text += "; \(advice)" }
    return text.plainLine
  }

  /// The same error, with the page named.
  public func on(page: PageID) -> StorageError {
    guard self.page == nil else { return self }
    return StorageError(
      code, operation, cause: cause, advice: advice, file: file, offset: offset, page: page,
      systemError: systemError)
  }
}
