// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A directory of pages with one writer.
///
/// The store holds the directory's lock from `open` to `close` (or `suspend`). All calls are blocking and may come
/// from any thread.
public final class PageStore: Sendable {
  /// The directory.
  public let path: String

  private let environment: Environment
  private let options: StoreOptions
  private let inner: Mutex<Inner>
  /// Held while a page is made, opened or removed: of one page there must never be two writers.
  private let opening = Mutex(())

  private struct Inner: Sendable {
    var context: StoreContext?
    var directory: (any Directory)?
    var pages: [PageID: Page] = [:]
    var isSuspended = false
  }

  private init(_ path: String, _ options: StoreOptions, _ environment: Environment, _ inner: Inner) {
    self.path = path
    self.options = options
    self.environment = environment
    self.inner = Mutex(inner)
  }

  /// Takes the directory's lock and makes its names durable, so that nothing is shown that a power cut could take
  /// back; removes temporary files and finishes removals that were cut off.
  /// - Throws: `locked` when another writer has it, `lockUnsupported`, `notFound`, `accessDenied`, …
  public static func open(
    _ path: String, options: StoreOptions = StoreOptions(), environment: Environment = Environment()
  ) throws(StorageError) -> PageStore {
    let directory = try locked(path, options, environment)
    let context = StoreContext(environment: environment, options: options, path: path, directory: directory)
    do throws(StorageError) {
      try cleaned(context)
    } catch {
      directory.close()
      throw error
    }
    return PageStore(path, options, environment, Inner(context: context, directory: directory))
  }

  private static func locked(
    _ path: String, _ options: StoreOptions, _ environment: Environment
  ) throws(StorageError) -> any Directory {
    let directory = try environment.fileSystem.openDirectory(path)
    do throws(StorageError) {
      guard try directory.tryLock() else {
        throw StorageError(
          .locked, "open for writing", cause: "another process or another part of this one is writing here",
          advice: "close it there, or open read-only", file: path)
      }
    } catch {
      if error.code != .lockUnsupported || options.requiresLock {
        directory.close()
        throw error
      }
    }
    return directory
  }

  private static func cleaned(_ context: StoreContext) throws(StorageError) {
    let names = try context.fileSystem.names(in: context.path)
    let known = names.compactMap { PageFileName($0).map { ($0, $0.page) } }
    do throws(StorageError) {
      for (name, page) in known {
        switch name {
        case .temporary:
          #if Mutants
            if Mutant.isOn(.temporaryFileStays) { continue }
          #endif
          // Its name may have more parts than the one that is written today.
          for raw in names where raw.hasSuffix(".tmp") && PageFileName(raw) == name {
            try context.fileSystem.removeIfAny("\(context.path)/\(raw)")
          }
        case .removed where !names.contains(PageFileName.snapshot(page).text):
          // The rename was only read: without it the page would be back, and without its journal.
          try context.synchronizeNames()
          try finishRemoval(page, known.map(\.0), context)
        default: break
        }
      }
    } catch  where error.code == .readOnlyVolume || error.code == .accessDenied || error.code == .noSpace {
      // Only tidying: pages open read-only on such a volume.
    }
    try context.synchronizeNames(isForReading: true)
  }

  private static func finishRemoval(
    _ page: PageID, _ names: [PageFileName], _ context: StoreContext
  ) throws(StorageError) {
    let rest = names.filter { $0.page == page && $0 != .removed(page) }
    for name in rest { try context.fileSystem.removeIfAny(context.path(of: name)) }
    // The mark goes last: without it the rest would look like a page that lost its snapshot.
    if !rest.isEmpty { try context.synchronizeNames() }
    try context.fileSystem.removeIfAny(context.path(of: .removed(page)))
  }

  private func context() throws(StorageError) -> StoreContext {
    guard let context = inner.withLock({ $0.isSuspended ? nil : $0.context }) else {
      throw StorageError(.closed, "use the store", cause: "it is closed or suspended", file: path)
    }
    return context
  }

  // MARK: Pages

  /// The pages that have a file here, sorted by id.
  public func pages() throws(StorageError) -> [PageID] {
    try Self.pages(in: path, environment.fileSystem)
  }

  /// The pages that have a snapshot or a journal in a directory, sorted by id. Takes no lock and writes nothing.
  public static func pages(in path: String, _ fileSystem: any FileSystem) throws(StorageError) -> [PageID] {
    var found: Set<PageID> = []
    for name in try fileSystem.names(in: path) {
      switch PageFileName(name) {
      case .snapshot(let page), .journal(let page, _): found.insert(page)
      default: break
      }
    }
    return Array(found).ordered()
  }

  /// Makes an empty page of commit 0. When it returns, its file is durable.
  /// - Throws: `alreadyExists`, `noSpace`, …
  public func create(_ id: PageID) throws(StorageError) -> Page {
    try opening.withLock { (_) throws(StorageError) in try created(id) }
  }

  private func created(_ id: PageID) throws(StorageError) -> Page {
    let context = try context()
    if let failed = context.directoryFailure { throw failed }
    let names = try context.fileSystem.names(in: path).compactMap { PageFileName($0) }
    guard !names.contains(where: { $0.page == id }) else {
      throw StorageError(
        .alreadyExists, "create the page", cause: "it has files already", file: path, page: id)
    }
    let state = PageState()
    let end = SnapshotEnd(
      generation: 1, nonce: environment.random(), commit: 0, nextID: 1, count: 0, absorbed: [])
    let snapshot: SnapshotFile
    do throws(StorageError) {
      snapshot = try SnapshotFile.rewrite(id, state.wholeContent(), end: end, context)
    } catch {
      throw error.on(page: id)
    }
    var merger = Merger()
    merger.snapshot = snapshot
    let page = Page(
      id: id, report: RecoveryReport(.clean), context: context, merger: merger,
      writer: JournalWriter(snapshot), memory: PageMemory(state, generation: 1))
    inner.withLock { $0.pages[id] = page }
    return page
  }

  /// Opens a page for writing, or as far as it can be opened. A page that is open already is handed out again.
  /// - Parameter floor: the least that the page has to be, as a document remembers it.
  /// - Throws: `notFound` when it has no file at all; under the strict policy what the report would say.
  public func open(_ id: PageID, floor: PageFloor? = nil) throws(StorageError) -> OpenedPage {
    try opening.withLock { (_) throws(StorageError) in try opened(id, floor) }
  }

  private func opened(_ id: PageID, _ floor: PageFloor?) throws(StorageError) -> OpenedPage {
    let context = try context()
    if let page = inner.withLock({ $0.pages[id] }) { return .writable(page) }
    let names = try context.fileSystem.names(in: path).compactMap { PageFileName($0) }
    let opened = try PageOpener.open(id, floor, context, names)
    if case .writable(let page) = opened { inner.withLock { $0.pages[id] = page } }
    return opened
  }

  /// The pages that are open for writing, sorted by id.
  public var openPages: [Page] {
    inner.withLock { Array($0.pages.values).ordered { $0.id < $1.id } }
  }

  /// Elements of a page that is open, or nil.
  public func openCount(of id: PageID) -> Int? { inner.withLock { $0.pages[id] }?.count }

  /// Closes one page; see `Page.close`.
  public func close(_ id: PageID) throws(StorageError) {
    guard let page = inner.withLock({ $0.pages[id] }) else { return }
    // It is known until it is closed: whoever opens it meanwhile must not make a second writer.
    defer {
      inner.withLock { inner in
        if inner.pages[id] === page { inner.pages[id] = nil }
      }
    }
    try page.close()
  }

  /// Removes a page with everything that is in its files, quarantines included. Durable when it returns; after a crash
  /// in between, the page is whole or the next open finishes the removal.
  public func remove(_ id: PageID) throws(StorageError) {
    try opening.withLock { (_) throws(StorageError) in try removed(id) }
  }

  private func removed(_ id: PageID) throws(StorageError) {
    let context = try context()
    if let failed = context.directoryFailure { throw failed }
    if let page = inner.withLock({ $0.pages.removeValue(forKey: id) }) { page.abandon() }
    let snapshot = context.path(of: .snapshot(id))
    if try context.fileSystem.statusIfAny(of: snapshot) != nil {
      try context.fileSystem.rename(snapshot, to: context.path(of: .removed(id)))
      try context.synchronizeNames()
    }
    let names = try context.fileSystem.names(in: path).compactMap { PageFileName($0) }
    try Self.finishRemoval(id, names, context)
    try context.synchronizeNames()
  }

  // MARK: The store

  /// Closes every page, then gives back the lock. Every page is closed even when one fails.
  /// - Throws: the first failure.
  public func close() throws(StorageError) {
    var failure: StorageError?
    do throws(StorageError) {
      try closePages()
    } catch {
      failure = error
    }
    abandon()
    if let failure { throw failure }
  }

  /// Closes every page and keeps the lock. Every page is closed even when one fails.
  /// - Throws: the first failure.
  public func closePages() throws(StorageError) {
    var failure: StorageError?
    for page in openPages {
      do throws(StorageError) {
        try page.close()
      } catch {
        failure = failure ?? error
      }
      inner.withLock { inner in
        if inner.pages[page.id] === page { inner.pages[page.id] = nil }
      }
    }
    if let failure { throw failure }
  }

  /// Gives back lock and descriptors at once, writing nothing more: what is buffered is lost, what was
  /// written stays in the journals. As if the process had ended here.
  public func abandon() {
    // An opening that has begun ends first: its page is let go with the others.
    let (pages, directory) = opening.withLock { _ in
      inner.withLock { inner in
        let taken = (inner.pages, inner.directory)
        inner = Inner()
        return taken
      }
    }
    for page in pages.values { page.abandon() }
    directory?.close()
  }

  /// Merges every page and gives back lock and descriptors, but keeps the pages in memory. If a page cannot be merged,
  /// nothing is given back.
  public func suspend() throws(StorageError) {
    // From here on no page is opened: it would be missing among those that are suspended.
    let pages = opening.withLock { _ in
      inner.withLock { inner -> [Page]? in
        if inner.isSuspended || inner.context == nil { return nil }
        inner.isSuspended = true
        return Array(inner.pages.values).ordered { $0.id < $1.id }
      }
    }
    guard let pages else { return }
    for page in pages {
      do throws(StorageError) {
        try page.suspend()
      } catch {
        for page in pages { try? page.resume() }
        inner.withLock { $0.isSuspended = false }
        throw error
      }
    }
    inner.withLock { inner in
      inner.directory?.close()
      inner.directory = nil
    }
  }

  /// Takes lock and files again.
  /// - Throws: `locked`, …; then the store stays suspended. A page whose file changed meanwhile becomes read-only,
  ///   and that is the failure thrown after all others were resumed: close it and open it again. A page whose file
  ///   could not be read stays suspended, and another call tries again.
  public func resume() throws(StorageError) {
    if inner.withLock({ $0.isSuspended }) {
      let directory = try Self.locked(path, options, environment)
      inner.withLock { inner in
        inner.context?.replaceDirectory(directory)
        inner.directory = directory
        inner.isSuspended = false
      }
    }
    var failure: StorageError?
    for page in openPages {
      do throws(StorageError) {
        try page.resume()
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }
}
