// SPDX-License-Identifier: Apache-2.0

public import PageJournal
internal import Synchronization

/// Changing the list of pages. Each call is durable when it returns; a crash shows the list before it or after it.
extension NoteDocument {
  /// Adds an empty page: its file is durable before the record names it.
  /// - Parameters:
  ///   - width, height: in points, finite and above 0.
  ///   - index: the place in the list; nil for the end.
  /// - Throws: `usage`, `readOnly`, `noSpace`, …; then the page is not there, unless `isListed` says that the record
  ///   may name it.
  public func addPage(width: Double, height: Double, at index: Int? = nil) throws(StorageError) -> Page {
    try Self.requireSize(width, height, path)
    return try structure.withLock { _ throws(StorageError) in
      let count = try content.withLock { (content) throws(StorageError) in
        try requireChangeable(content)
        return content.record.pages.count
      }
      let place = index ?? count
      guard place >= 0, place <= count else {
        throw StorageError(
          .usage, "add a page at \(place)", cause: "the document has \(count) pages", file: path)
      }
      let store = try requireStore()
      let id = environment.storage.newPageID()
      #if Mutants
        if Mutant.isOn(.listBeforePageFile) {
          try change { $0.pages.insert(PageRecord(id: id, width: width, height: height, now: 0), at: place) }
          return try store.create(id)
        }
      #endif
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
  }

  /// Removes a page: the record says so first, durably, then its files go, then its id is forgotten.
  /// - Throws: `notFound`, `readOnly`, …; when `isListed` then says no, the next open finishes the removal.
  public func removePage(_ id: PageID) throws(StorageError) {
    try structure.withLock { _ throws(StorageError) in
      guard isListed(id) else { throw noPage(id, "remove the page") }
      let store = try requireStore()
      try change { record in
        record.pages.removeAll { $0.id == id }
        #if Mutants
          if Mutant.isOn(.removalIsNotRecorded) { return }
        #endif
        record.removed.append(id)
      }
      try store.remove(id)
      // The page is gone for good; an id that is not forgotten now is forgotten by the next open.
      try? change { record in record.removed.removeAll { $0 == id } }
    }
  }

  /// Moves a page in the list.
  /// - Parameter index: its place afterwards.
  public func movePage(_ id: PageID, to index: Int) throws(StorageError) {
    let pages = pages
    guard pages.contains(where: { $0.id == id }) else { throw noPage(id, "move the page") }
    guard index >= 0, index < pages.count else {
      throw StorageError(
        .usage, "move the page to \(index)", cause: "the document has \(pages.count) pages", file: path,
        page: id)
    }
    try change { record in
      // Another thread may have changed the list since.
      guard let from = record.pages.firstIndex(where: { $0.id == id }) else { return }
      let page = record.pages.remove(at: from)
      record.pages.insert(page, at: min(index, record.pages.count))
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

  /// Changes the record and saves it, if it is another one then; a failed save leaves the record as it was, unless
  /// the file may have changed.
  private func change(_ body: (inout DocumentRecord) -> Void) throws(StorageError) {
    try content.withLock { (content) throws(StorageError) in
      try requireChangeable(content)
      let before = (record: content.record, isDirty: content.isDirty)
      body(&content.record)
      guard content.record != before.record else { return }
      content.record.modified = environment.now()
      content.isDirty = true
      do throws(StorageError) {
        try save(&content)
      } catch {
        if content.failure == nil { (content.record, content.isDirty) = before }
        throw error
      }
    }
  }

  private func requireStore() throws(StorageError) -> PageStore {
    guard let store else {
      throw StorageError(
        .readOnly, "change the document", cause: obstacle?.description ?? "it is read-only", file: path)
    }
    return store
  }
}
