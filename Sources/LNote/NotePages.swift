// SPDX-License-Identifier: Apache-2.0

public import PageJournal
internal import Synchronization

/// Changing the list of pages. Each call is durable when it returns; a crash shows the list before it or after it.
extension NoteDocument {
  /// Adds an empty page: its file is durable before the record names it.
  /// - Parameters:
  ///   - width, height: in points, finite and above 0.
  ///   - index: the place in the list; nil for the end.
  /// - Throws: `usage`, `readOnly`, `noSpace`, …; then the list is as before, unless `wasApplied` of the record says else.
  public func addPage(width: Double, height: Double, at index: Int? = nil) throws(StorageError) -> Page {
    try Self.requireSize(width, height, path)
    let count = content.withLock { $0.record.pages.count }
    let place = index ?? count
    guard place >= 0, place <= count else {
      throw StorageError(
        .usage, "add a page at \(place)", cause: "the document has \(count) pages", file: path)
    }
    try content.withLock { (content) throws(StorageError) in try requireChangeable(content) }
    let id = environment.storage.newPageID()
    let page = try store.create(id)
    do throws(StorageError) {
      try change { record in
        record.pages.insert(
          PageRecord(id: id, width: width, height: height, now: environment.now()),
          at: min(place, record.pages.count))
      }
    } catch {
      // The record may have got the new list (its directory's synchronisation failed): then the file stays.
      if !isListed(id) { try? store.remove(id) }
      throw error
    }
    return page
  }

  /// Removes a page: the record says so first, durably, then its files go, then its id is forgotten.
  /// - Throws: `notFound`, `readOnly`, …
  public func removePage(_ id: PageID) throws(StorageError) {
    guard isListed(id) else { throw noPage(id, "remove the page") }
    try change { record in
      record.pages.removeAll { $0.id == id }
      record.removed.append(id)
    }
    try store.remove(id)
    try change { record in record.removed.removeAll { $0 == id } }
  }

  /// Moves a page in the list.
  /// - Parameter index: its place afterwards.
  public func movePage(_ id: PageID, to index: Int) throws(StorageError) {
    guard let from = record.pages.firstIndex(where: { $0.id == id }) else {
      throw noPage(id, "move the page")
    }
    guard index >= 0, index < record.pages.count else {
      throw StorageError(
        .usage, "move the page to \(index)", cause: "the document has \(record.pages.count) pages",
        file: path,
        page: id)
    }
    try change { record in
      let page = record.pages.remove(at: from)
      record.pages.insert(page, at: index)
    }
  }

  /// Gives a page another size, in points.
  public func setPageSize(_ id: PageID, width: Double, height: Double) throws(StorageError) {
    try Self.requireSize(width, height, path)
    guard isListed(id) else { throw noPage(id, "resize the page") }
    try change { record in
      guard let index = record.pages.firstIndex(where: { $0.id == id }) else { return }
      record.pages[index].width = width
      record.pages[index].height = height
    }
  }

  private static func requireSize(_ width: Double, _ height: Double, _ path: String) throws(StorageError) {
    guard width.isFinite, height.isFinite, width > 0, height > 0, width <= 1e6, height <= 1e6 else {
      throw StorageError(
        .usage, "size a page", cause: "\(width) × \(height) is not a size of up to 1,000,000 points",
        file: path)
    }
  }

  /// Gives the document another title.
  public func setTitle(_ title: String) throws(StorageError) {
    try change { $0.title = title }
  }

  /// Whether the record lists a page now.
  public func isListed(_ id: PageID) -> Bool {
    content.withLock { content in content.record.pages.contains { $0.id == id } }
  }

  /// Changes the record and saves it; a failed save leaves the record as it was, unless the file has changed.
  private func change(_ body: (inout DocumentRecord) -> Void) throws(StorageError) {
    try content.withLock { (content) throws(StorageError) in
      try requireChangeable(content)
      let before = content.record
      body(&content.record)
      content.isDirty = true
      do throws(StorageError) {
        try save(&content)
      } catch {
        if content.failure == nil { content.record = before }
        throw error
      }
    }
  }

  private func noPage(_ id: PageID, _ operation: String) -> StorageError {
    StorageError(.notFound, operation, cause: "the document has no page \(id)", file: path, page: id)
  }
}
