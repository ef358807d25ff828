// SPDX-License-Identifier: Apache-2.0

public import PageJournal
internal import Synchronization

extension NoteDocument {
  /// Makes a new package: built under a temporary name, made durable, renamed into place, and opened.
  /// - Throws: `alreadyExists` when anything has the name; then it is untouched.
  public static func create(
    at path: String, title: String = "", environment: NoteEnvironment = NoteEnvironment()
  ) throws(StorageError) -> NoteDocument {
    let paths = NotePaths(path)
    let fileSystem = environment.storage.fileSystem
    try requireFree(paths, fileSystem)
    let temporary = NotePaths("\(paths.parent)/.\(paths.name).\(environment.storage.newPageID()).new")
    do throws(StorageError) {
      try fileSystem.createDirectory(temporary.root)
      for folder in [temporary.pages, temporary.assets, temporary.thumbnails] {
        try fileSystem.createDirectory(folder)
        try fileSystem.synchronizeDirectory(folder)
      }
      let record = DocumentRecord(id: environment.storage.newPageID(), title: title, now: environment.now())
      try fileSystem.replaceFile(in: temporary.root, name: NotePaths.documentName, with: record.bytes.span)
      try fileSystem.replaceFile(in: temporary.root, name: NotePaths.manifestName, with: record.manifest.span)
      try requireFree(paths, fileSystem)
      try fileSystem.rename(temporary.root, to: paths.root)
    } catch {
      try? fileSystem.removeTree(temporary.root)
      throw error
    }
    try fileSystem.synchronizeDirectory(paths.parent)
    return try open(paths.root, environment: environment)
  }

  private static func requireFree(_ paths: NotePaths, _ fileSystem: any FileSystem) throws(StorageError) {
    guard try fileSystem.statusIfAny(of: paths.root) == nil else {
      throw StorageError(
        .alreadyExists, "create the document", cause: "the name is taken", advice: "choose another name",
        file: paths.root)
    }
  }

  /// Opens a package for writing. Waits for the lock as long as the environment says.
  ///
  /// Before anything is shown, names and record are made durable; a removal or a creation that a crash cut off is
  /// finished or undone.
  /// - Throws: `notFound`, `wrongKind`, `locked`, `accessDenied`, …
  public static func open(
    _ path: String, environment: NoteEnvironment = NoteEnvironment()
  ) throws(StorageError) -> NoteDocument {
    let paths = NotePaths(path)
    let fileSystem = environment.storage.fileSystem
    try NoteInspection.requirePackage(paths, fileSystem)
    let owner = Owner()
    var options = environment.options
    let other = options.merged
    options.merged = { id, floor in
      owner.document?.noteMerge(id, floor)
      other?(id, floor)
    }
    let store = try openStore(paths, options, environment)
    do throws(StorageError) {
      try makeDurable(paths, fileSystem)
      let document = try loaded(paths, store, environment)
      owner.set(document)
      return document
    } catch {
      store.abandon()
      throw error
    }
  }

  /// The document that a store's merges are told to; it is made after the store.
  private final class Owner: Sendable {
    private let reference = Mutex<Weak>(Weak())

    struct Weak: Sendable {
      weak var document: NoteDocument?
    }

    var document: NoteDocument? { reference.withLock { $0.document } }

    func set(_ document: NoteDocument) { reference.withLock { $0.document = document } }
  }

  private static func openStore(
    _ paths: NotePaths, _ options: StoreOptions, _ environment: NoteEnvironment
  ) throws(StorageError) -> PageStore {
    var waited = Duration.zero
    let step = Duration.milliseconds(25)
    while true {
      do throws(StorageError) {
        return try PageStore.open(paths.pages, options: options, environment: environment.storage)
      } catch  where error.code == .locked && waited < environment.lockWait {
        environment.pause(step)
        waited += step
      }
    }
  }

  /// What was only read is not durable: a killed process may have left it in the kernel's memory.
  private static func makeDurable(_ paths: NotePaths, _ fileSystem: any FileSystem) throws(StorageError) {
    do throws(StorageError) {
      let file = try fileSystem.open(paths.document, .readWrite)
      defer { file.close() }
      _ = try file.synchronize()
    } catch  where [.notFound, .accessDenied, .readOnlyVolume].contains(error.code) {
      // No record to show, or a volume on which nothing can be pending.
    }
    do throws(StorageError) {
      for name in [NotePaths.documentName, NotePaths.manifestName] {
        try fileSystem.removeIfAny("\(paths.root)/\(name).tmp")
      }
    } catch  where error.code == .readOnlyVolume || error.code == .accessDenied {
      // Only tidying.
    }
    try fileSystem.synchronizeDirectory(paths.root)
  }

  private static func loaded(
    _ paths: NotePaths, _ store: PageStore, _ environment: NoteEnvironment
  ) throws(StorageError) -> NoteDocument {
    let fileSystem = environment.storage.fileSystem
    let bytes: [UInt8]
    var record: DocumentRecord
    do throws(StorageError) {
      bytes = try fileSystem.contents(of: paths.document, limit: NoteInspection.recordLimit)
      record = try DocumentRecord(parsing: bytes, path: paths.document)
    } catch {
      return try withoutRecord(paths, store, environment, error)
    }
    let document = try swept(paths, store, environment, record, bytes)
    return document
  }

  /// The record is unreadable: the pages that are found can be read and written, the list cannot be changed.
  private static func withoutRecord(
    _ paths: NotePaths, _ store: PageStore, _ environment: NoteEnvironment, _ cause: StorageError
  ) throws(StorageError) -> NoteDocument {
    let found = try store.pages()
    var record = DocumentRecord(id: PageID(high: 0, low: 0), title: "", now: 0)
    record.pages = found.map { PageRecord(id: $0, width: 0, height: 0, now: 0) }
    for index in record.pages.indices { record.pages[index].floor = PageFloor(generation: 0, commit: 0) }
    return NoteDocument(
      paths, store, environment, record: record, saved: [], obstacle: cause, unlisted: [])
  }

  /// Finishes removals and undoes creations that a crash cut off.
  private static func swept(
    _ paths: NotePaths, _ store: PageStore, _ environment: NoteEnvironment, _ record: DocumentRecord,
    _ bytes: [UInt8]
  ) throws(StorageError) -> NoteDocument {
    var record = record
    let fileSystem = environment.storage.fileSystem
    let known = Set(record.pages.map(\.id) + record.removed)
    var unlisted: [PageID] = []
    do throws(StorageError) {
      for id in try store.pages() where !known.contains(id) {
        if isRestOfCreation(id, paths, fileSystem) {
          try store.remove(id)
        } else {
          unlisted.append(id)
        }
      }
      for id in record.removed { try store.remove(id) }
      record.removed = []
    } catch  where [.readOnlyVolume, .accessDenied, .noSpace].contains(error.code) {
      // The next open that can write does it.
    }
    let document = NoteDocument(
      paths, store, environment, record: record, saved: bytes, obstacle: nil, unlisted: unlisted)
    document.content.withLock { content in
      // A removed id that is still in the file costs nothing but this work again.
      if record.bytes != bytes, known.count != record.pages.count { try? document.save(&content) }
    }
    return document
  }

  private static func isRestOfCreation(_ id: PageID, _ paths: NotePaths, _ fileSystem: any FileSystem) -> Bool
  {
    guard let names = try? fileSystem.names(in: paths.pages),
      names.filter({ $0.hasPrefix(id.description) }) == ["\(id).content"],
      let opened = try? PageInspector.inspect(id, in: paths.pages, fileSystem: fileSystem)
    else { return false }
    return opened.report.verdict == .clean && opened.view?.commit == 0
  }
}

extension FileSystem {
  /// Removes a directory with all that is in it. Links are removed, not followed.
  public func removeTree(_ path: String) throws(StorageError) {
    guard let status = try statusIfAny(of: path) else { return }
    if status.kind == .directory {
      for name in try names(in: path) { try removeTree("\(path)/\(name)") }
      try removeDirectory(path)
    } else {
      try remove(path)
    }
  }
}
