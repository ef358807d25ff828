// SPDX-License-Identifier: Apache-2.0

internal import PageJournal
internal import Synchronization

/// Noting what merges did, and replacing `document.json` and the cache.
extension NoteDocument {
  /// A merge of a page is durable: the record's floor for it follows, and is saved after it.
  func noteMerge(_ id: PageID, _ floor: PageFloor) {
    let elements = store?.openCount(of: id)
    content.withLock { content in
      // Of two merges the later one counts, whichever is reported first.
      if let latest = content.merged[id], latest >= floor.generation { return }
      note(id, floor, elements, &content)
      guard content.isDirty, !content.isClosing, obstacle == nil else { return }
      // A floor that could not be saved is only lower than it might be; the next save carries it.
      try? save(&content)
    }
  }

  /// A page was recovered when it was opened, and its snapshot is now this.
  func noteRecovery(_ id: PageID, _ floor: PageFloor) {
    let elements = store?.openCount(of: id)
    content.withLock { content in
      let before = content.record.pages.first { $0.id == id }?.floor
      note(id, floor, elements, &content)
      // A page below its floor, accepted as it is, would be damaged again after a crash: that is saved at once.
      guard let before, floor.generation < before.generation || floor.commit < before.commit,
        !content.isClosing, obstacle == nil
      else { return }
      try? save(&content)
    }
  }

  private func note(_ id: PageID, _ floor: PageFloor, _ elements: Int?, _ content: inout Content) {
    guard let index = content.record.pages.firstIndex(where: { $0.id == id }) else { return }
    content.merged[id] = floor.generation
    var page = content.record.pages[index]
    page.floor = floor
    if let elements { page.elements = Int64(elements) }
    guard page != content.record.pages[index] else { return }
    let now = environment.now()
    page.modified = now
    content.record.pages[index] = page
    content.record.modified = now
    content.isDirty = true
  }

  /// Replaces `document.json` if there is something to save, then the cache. When it throws and there is no `failure`
  /// in the content, the file is as it was.
  func save(_ content: inout Content) throws(StorageError) {
    if let failure = content.failure { throw failure }
    if content.isDirty {
      let bytes = try content.record.bytes(path: paths.document)
      if bytes != content.saved { try replace(&content, bytes) }
      content.isDirty = false
    }
    saveManifest(content.record)
  }

  private func replace(_ content: inout Content, _ bytes: [UInt8]) throws(StorageError) {
    let fileSystem = environment.storage.fileSystem
    do throws(StorageError) {
      try fileSystem.replaceFile(in: paths.root, name: NotePaths.documentName, with: bytes.span)
    } catch {
      let found = try? fileSystem.contents(of: paths.document, limit: NoteInspection.recordLimit)
      if found != content.saved {
        // The new file may have the name, and whether that is durable is unknown. So nothing may be done that is
        // right only for the old list, or only for the new one.
        content.failure = StorageError(
          .readOnly, error.operation, cause: error.cause,
          advice: "open the document again before changing its page list", file: error.file,
          systemError: error.systemError)
      }
      throw error
    }
    content.saved = bytes
  }

  /// The cache is no part of the truth: a failure is mended by the next save.
  private func saveManifest(_ record: DocumentRecord) {
    let bytes = record.manifest
    let fileSystem = environment.storage.fileSystem
    let found = try? fileSystem.contents(of: paths.manifest, limit: 1 << 20)
    guard found != bytes else { return }
    try? fileSystem.replaceFile(in: paths.root, name: NotePaths.manifestName, with: bytes.span)
  }
}
