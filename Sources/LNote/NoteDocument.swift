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
  let store: PageStore
  let environment: NoteEnvironment
  let content: Mutex<Content>

  struct Content: Sendable {
    var record: DocumentRecord
    /// The bytes of `document.json` as they were last read or written.
    var saved: [UInt8]
    var isDirty = false
    var isClosed = false
    /// While closing, merges only note what they did: the record is saved once.
    var isClosing = false
    /// A page list that may not be what is on disk.
    var failure: StorageError?
  }

  init(
    _ paths: NotePaths, _ store: PageStore, _ environment: NoteEnvironment, record: DocumentRecord,
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
  /// - Throws: `notFound` for a page that the record does not list.
  public func page(_ id: PageID) throws(StorageError) -> OpenedPage {
    let floor = content.withLock { content in content.record.pages.first { $0.id == id }?.floor }
    let isFound = floor == nil && obstacle != nil ? try store.pages().contains(id) : false
    guard floor != nil || isFound else {
      throw StorageError(
        .notFound, "open the page", cause: "the document has no page \(id)", file: path, page: id)
    }
    let opened: OpenedPage
    do throws(StorageError) {
      opened = try store.open(id, floor: floor)
    } catch  where error.code == .notFound {
      return .unavailable(NoteInspection.missing(id, error))
    }
    if let page = opened.page, page.report.verdict != .clean, page.obstacle == nil {
      noteMerge(id, PageFloor(generation: page.view.generation, commit: page.commit), save: false)
    }
    return opened
  }

  // MARK: Merges

  /// A merge of a page is durable: the record's floor for it rises, and is saved after it.
  func noteMerge(_ id: PageID, _ floor: PageFloor, save: Bool = true) {
    let elements = store.openCount(of: id)
    content.withLock { content in
      guard let index = content.record.pages.firstIndex(where: { $0.id == id }) else { return }
      if content.record.pages[index].floor != floor {
        content.record.pages[index].floor = floor
        content.record.pages[index].modified = environment.now()
        content.isDirty = true
      }
      if let elements, content.record.pages[index].elements != Int64(elements) {
        content.record.pages[index].elements = Int64(elements)
        content.isDirty = true
      }
      guard save, !content.isClosing, !content.isClosed, obstacle == nil else { return }
      // A floor that could not be saved is only lower than it might be; the next save carries it.
      try? self.save(&content)
    }
  }

  /// Makes every commit of every open page durable.
  /// - Returns: the durable commit of each page of the document that is open.
  @discardableResult
  public func sync() throws(StorageError) -> [PageID: UInt64] {
    var durable: [PageID: UInt64] = [:]
    var failure: StorageError?
    for page in store.openPages {
      do throws(StorageError) {
        durable[page.id] = try page.sync()
      } catch {
        failure = failure ?? error
      }
    }
    try content.withLock { (content) throws(StorageError) in
      if content.isDirty, obstacle == nil, !content.isClosed { try save(&content) }
    }
    if let failure { throw failure }
    return durable
  }

  // MARK: Saving

  /// Replaces `document.json`, then the cache. When it throws before the new file has its name, nothing has changed.
  func save(_ content: inout Content) throws(StorageError) {
    if let failure = content.failure { throw failure }
    if content.isDirty { content.record.modified = environment.now() }
    let bytes = content.record.bytes
    if bytes != content.saved {
      do throws(StorageError) {
        try environment.storage.fileSystem.replaceFile(
          in: paths.root, name: NotePaths.documentName, with: bytes.span)
      } catch {
        let found = try? environment.storage.fileSystem.contents(
          of: paths.document, limit: NoteInspection.recordLimit)
        if found == bytes {
          // The new file has the name, but whether the name is durable is unknown.
          content.failure = StorageError(
            .readOnly, error.operation, cause: error.cause,
            advice: "open the document again before changing its page list", file: error.file,
            systemError: error.systemError)
        }
        throw error
      }
      content.saved = bytes
    }
    content.isDirty = false
    saveManifest(content.record)
  }

  /// The cache is no part of the truth: a failure is mended by the next save.
  private func saveManifest(_ record: DocumentRecord) {
    let bytes = record.manifest
    let fileSystem = environment.storage.fileSystem
    let found = try? fileSystem.contents(of: paths.manifest, limit: 1 << 20)
    guard found != bytes else { return }
    try? fileSystem.replaceFile(in: paths.root, name: NotePaths.manifestName, with: bytes.span)
  }

  // MARK: Ending

  /// Merges and closes every page, saves the record, gives back the lock. What is left is a plain folder.
  /// - Throws: the first failure; then journals may be left, which the next open merges.
  public func close() throws(StorageError) {
    let wasClosed = content.withLock { content in
      let was = content.isClosed
      content.isClosing = true
      return was
    }
    if wasClosed { return }
    var failure: StorageError?
    do throws(StorageError) {
      try store.closePages()
    } catch {
      failure = error
    }
    // The record is saved while the lock is still held.
    do throws(StorageError) {
      try content.withLock { (content) throws(StorageError) in
        content.isClosed = true
        if obstacle == nil { try save(&content) }
      }
    } catch {
      failure = failure ?? error
    }
    store.abandon()
    if let failure { throw failure }
  }

  /// Lets everything go without writing anything more, as if the process had ended.
  public func abandon() {
    content.withLock { $0.isClosed = true }
    store.abandon()
  }

  func requireChangeable(_ content: Content) throws(StorageError) {
    if content.isClosed {
      throw StorageError(.closed, "change the document", cause: "it was closed", file: path)
    }
    if let obstacle {
      throw StorageError(
        .readOnly, "change the document", cause: obstacle.description, file: path)
    }
    if let failure = content.failure { throw failure }
  }
}
