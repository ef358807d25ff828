// SPDX-License-Identifier: Apache-2.0

public import PageJournal

/// A document as it lies on disk, read without a lock and without writing.
public struct NoteInspection: Sendable {
  /// The package.
  public let path: String
  /// `document.json`, or why it could not be read.
  public let record: Result<DocumentRecord, StorageError>
  /// In document order; when the record could not be read, the pages that have files, by id.
  public let pages: [PageID]
  /// Pages that have files and that the record neither lists nor removes.
  public let unlisted: [PageID]
  let fileSystem: any FileSystem

  /// The greatest `document.json` that is read.
  static let recordLimit: UInt64 = 1 << 30

  /// Reads the record and the names, no page.
  /// - Throws: `notFound`, `wrongKind` when the path is no note package, `accessDenied`, `io`.
  public init(_ path: String, fileSystem: any FileSystem = PosixFileSystem()) throws(StorageError) {
    let paths = NotePaths(path)
    self.path = paths.root
    self.fileSystem = fileSystem
    try Self.requirePackage(paths, fileSystem)
    var reading = try Self.read(paths, fileSystem)
    // A writer may have been between the page's file and the record: only what is seen twice is reported.
    for _ in 0..<Self.attempts where !reading.unlisted.isEmpty {
      let again = try Self.read(paths, fileSystem)
      let isSame = again.unlisted == reading.unlisted
      reading = again
      if isSame { break }
    }
    (record, pages, unlisted) = reading
  }

  private static let attempts = 5

  /// The names first: a page that is made meanwhile is then not taken for one that nobody lists.
  private static func read(_ paths: NotePaths, _ fileSystem: any FileSystem) throws(StorageError)
    -> (record: Result<DocumentRecord, StorageError>, pages: [PageID], unlisted: [PageID])
  {
    let found: [PageID]
    do throws(StorageError) {
      found = try PageStore.pages(in: paths.pages, fileSystem)
    } catch  where error.code == .notFound {
      found = []
    }
    let result = readRecord(paths, fileSystem)
    guard case .success(let record) = result else { return (result, found, []) }
    let known = Set(record.pages.map(\.id) + record.removed)
    return (result, record.pages.map(\.id), found.filter { !known.contains($0) })
  }

  /// Whether the path is a directory with a record or a folder of pages.
  static func requirePackage(_ paths: NotePaths, _ fileSystem: any FileSystem) throws(StorageError) {
    let status = try fileSystem.status(of: paths.root)
    guard status.kind == .directory else {
      throw StorageError(
        .wrongKind, "open the document", cause: "it is not a folder, and a note package is one",
        file: paths.root)
    }
    if try fileSystem.statusIfAny(of: paths.document) != nil { return }
    if let pages = try fileSystem.statusIfAny(of: paths.pages), pages.kind == .directory { return }
    throw StorageError(
      .wrongKind, "open the document",
      cause: "the folder has neither document.json nor pages: it is no note package", file: paths.root)
  }

  static func readRecord(_ paths: NotePaths, _ fileSystem: any FileSystem) -> Result<
    DocumentRecord, StorageError
  > {
    Result { () throws(StorageError) in
      let bytes = try fileSystem.contents(of: paths.document, limit: recordLimit)
      return try DocumentRecord(parsing: bytes, path: paths.document)
    }
  }

  /// What the document remembers of a page.
  public func pageRecord(_ id: PageID) -> PageRecord? {
    guard case .success(let record) = record else { return nil }
    return record.pages.first { $0.id == id }
  }

  /// Reads one page. A page that is listed and has no file is a damaged snapshot: it is missing, not empty.
  public func inspect(_ id: PageID) -> OpenedPage {
    do throws(StorageError) {
      return try PageInspector.inspect(
        id, in: NotePaths(path).pages, floor: pageRecord(id)?.floor, fileSystem: fileSystem)
    } catch {
      return .unavailable(Self.missing(id, error))
    }
  }

  static func missing(_ id: PageID, _ error: StorageError) -> RecoveryReport {
    var report = RecoveryReport(error.code == .notFound ? .damagedSnapshot : .unavailable)
    report.file = "\(id).content"
    report.offset = error.code == .notFound ? 0 : nil
    report.failure = error
    return report
  }
}
