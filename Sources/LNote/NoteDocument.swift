// SPDX-License-Identifier: Apache-2.0

public import PageJournal
internal import Synchronization

/// A note package that is open.
///
/// Opened for writing it holds the package's lock. Pages are opened when they are asked for; the failure of one is its
/// own. All calls are blocking and may come from any thread.
public final class NoteDocument: Sendable {
  /// The package.
  public let path: String
  /// Why the page list cannot be changed: `document.json` is unreadable or of a newer version. It is left as it is.
  public let obstacle: StorageError?
  /// Pages that have files and that the record does not list: reported, never removed by guess.
  public let unlisted: [PageID]

  let paths: NotePaths
  /// Absent for a document of a newer version: nothing of it is touched, so no lock is taken either.
  let store: PageStore?
  let environment: NoteEnvironment
  /// Held while a page is opened, made or removed and while an asset is written, so that none of these sees half of
  /// another, or goes on after the lock was given back. Taken before `content`, and never while a merge is reported.
  let structure = Mutex(Structure())
  let content: Mutex<Content>

  struct Structure: Sendable {
    /// Whether the name of the assets' folder is known to be on the medium.
    var hasDurableAssets = false
  }

  struct Content: Sendable {
    var record: DocumentRecord
    /// The bytes of `document.json` as they were last read or written.
    var saved: [UInt8]
    /// Whether the record has something to save.
    var isDirty = false
    /// While closing, merges only note what they did: the record is saved once.
    var isClosing = false
    var isClosed = false
    /// A page list that may not be what is on disk.
    var failure: StorageError?
    /// The generation of the latest merge of each page, since two reports may come in either order.
    var merged: [PageID: UInt64] = [:]
  }

  init(
    _ paths: NotePaths, _ store: PageStore?, _ environment: NoteEnvironment, record: DocumentRecord,
    saved: [UInt8], obstacle: StorageError?, unlisted: [PageID]
  ) {
    self.path = paths.root
    self.paths = paths
    self.store = store
    self.environment = environment
    self.obstacle = obstacle
    self.unlisted = unlisted
    content = Mutex(Content(record: record, saved: saved))
  }

  // MARK: Reading

  /// The record as it is now.
  public var record: DocumentRecord { content.withLock { $0.record } }

  /// The title.
  public var title: String { record.title }

  /// The pages in order.
  public var pages: [PageRecord] { record.pages }

  /// Opens a page, or hands out the open one. A page that the record lists and that has no file is a damaged one.
  /// - Throws: `notFound` for a page that the record does not list, `closed`.
  public func page(_ id: PageID) throws(StorageError) -> OpenedPage {
    try structure.withLock { _ throws(StorageError) in
      let floor = try content.withLock { (content) throws(StorageError) in
        try requireOpen(content, "open the page")
        return content.record.pages.first { $0.id == id }?.floor
      }
      guard floor != nil || isFoundWithoutRecord(id) else { throw noPage(id, "open the page") }
      guard let store else {
        return try NoteInspection(path, fileSystem: environment.storage.fileSystem).inspect(id)
      }
      let wasOpen = store.openCount(of: id) != nil
      let opened: OpenedPage
      do throws(StorageError) {
        opened = try store.open(id, floor: floor)
      } catch  where error.code == .notFound {
        return .unavailable(NoteInspection.missing(id, error))
      }
      // Only as it comes from its recovery is the page what its snapshot holds.
      if !wasOpen, let page = opened.page, page.report.verdict != .clean, page.obstacle == nil {
        noteRecovery(id, PageFloor(generation: page.view.generation, commit: page.commit))
      }
      return opened
    }
  }

  /// A page whose file appeared after a document without a readable record was opened.
  private func isFoundWithoutRecord(_ id: PageID) -> Bool {
    guard obstacle != nil else { return false }
    let found = try? PageStore.pages(in: paths.pages, environment.storage.fileSystem)
    return found?.contains(id) == true
  }

  func noPage(_ id: PageID, _ operation: String) -> StorageError {
    StorageError(.notFound, operation, cause: "the document has no page \(id)", file: path, page: id)
  }

  /// Makes every commit of every open page durable.
  /// - Returns: the durable commit of each page of the document that is open.
  @discardableResult
  public func sync() throws(StorageError) -> [PageID: UInt64] {
    var durable: [PageID: UInt64] = [:]
    var failure: StorageError?
    for page in store?.openPages ?? [] {
      do throws(StorageError) {
        durable[page.id] = try page.sync()
      } catch {
        failure = failure ?? error
      }
    }
    try content.withLock { (content) throws(StorageError) in
      if content.isDirty, obstacle == nil, !content.isClosing { try save(&content) }
    }
    if let failure { throw failure }
    return durable
  }

  // MARK: Ending

  /// Merges and closes every page, saves the record, gives back the lock. What is left is a plain folder. A second
  /// call does nothing.
  /// - Throws: the first failure; then journals may be left, which the next open merges.
  public func close() throws(StorageError) {
    guard beginsClosing() else { return }
    var failure: StorageError?
    do throws(StorageError) {
      try store?.closePages()
    } catch {
      failure = error
    }
    // The record is saved while the lock is still held.
    do throws(StorageError) {
      try content.withLock { (content) throws(StorageError) in
        guard !content.isClosed else { return }
        content.isClosed = true
        if obstacle == nil { try save(&content) }
      }
    } catch {
      failure = failure ?? error
    }
    store?.abandon()
    if let failure { throw failure }
  }

  /// Whether this is the first call that ends the document. Waits for what is being done to its structure.
  private func beginsClosing() -> Bool {
    structure.withLock { _ in
      content.withLock { content in
        let isFirst = !content.isClosing
        content.isClosing = true
        return isFirst
      }
    }
  }

  /// Lets everything go without writing anything more, as if the process had ended.
  public func abandon() {
    content.withLock { content in
      content.isClosing = true
      content.isClosed = true
    }
    store?.abandon()
  }

  func requireOpen(_ content: Content, _ operation: String) throws(StorageError) {
    if content.isClosing {
      throw StorageError(.closed, operation, cause: "the document was closed", file: path)
    }
  }

  func requireChangeable(_ content: Content) throws(StorageError) {
    try requireOpen(content, "change the document")
    if let obstacle {
      throw StorageError(
        .readOnly, "change the document", cause: obstacle.description, file: path)
    }
    if let failure = content.failure { throw failure }
  }
}
