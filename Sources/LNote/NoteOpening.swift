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
    let record = DocumentRecord(id: environment.storage.newPageID(), title: title, now: environment.now())
    let bytes = try record.bytes(path: paths.document)
    do throws(StorageError) {
      try fileSystem.createDirectory(temporary.root)
      for folder in [temporary.pages, temporary.assets, temporary.thumbnails] {
        try fileSystem.createDirectory(folder)
        try fileSystem.synchronizeDirectory(folder)
      }
      try fileSystem.replaceFile(in: temporary.root, name: NotePaths.documentName, with: bytes.span)
      try fileSystem.replaceFile(in: temporary.root, name: NotePaths.manifestName, with: record.manifest.span)
      try requireFree(paths, fileSystem)
      try fileSystem.rename(temporary.root, to: paths.root)
    } catch {
      try? fileSystem.removeTree(temporary.root)
      throw error
    }
    do throws(StorageError) {
      try fileSystem.synchronizeDirectory(paths.parent)
      return try open(paths.root, environment: environment)
    } catch {
      withdraw(paths, to: temporary, bytes, fileSystem)
      throw error
    }
  }

  /// Takes back a document that could not be acknowledged, unless somebody else has begun to use it.
  private static func withdraw(
    _ paths: NotePaths, to temporary: NotePaths, _ bytes: [UInt8], _ fileSystem: any FileSystem
  ) {
    guard let directory = try? fileSystem.openDirectory(paths.pages) else { return }
    defer { directory.close() }
    guard (try? directory.tryLock()) == true,
      (try? fileSystem.contents(of: paths.document, limit: NoteInspection.recordLimit)) == bytes,
      (try? fileSystem.names(in: paths.pages)) == []
    else { return }
    do throws(StorageError) {
      try fileSystem.rename(paths.root, to: temporary.root)
      try fileSystem.removeTree(temporary.root)
    } catch {
      // What is left is an empty document, whole.
    }
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
    try NotePublishing.restore(paths, fileSystem)
    try NoteInspection.requirePackage(paths, fileSystem)
    let glance = readRecord(paths, fileSystem)
    if case .failure(let error) = glance.record, error.code == .newerVersion {
      return try untouched(paths, environment, error)
    }
    try restorePages(paths, fileSystem)
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
      let document = try loaded(paths, store, environment, glance)
      owner.set(document)
      return document
    } catch {
      store.abandon()
      // It may have been saved by a newer program since it was looked at.
      guard error.code == .newerVersion else { throw error }
      return try untouched(paths, environment, error)
    }
  }

  /// The record with the bytes that it was read from.
  private typealias Reading = (bytes: [UInt8], record: Result<DocumentRecord, StorageError>)

  /// - Parameter former: not parsed again when the bytes are the same.
  private static func readRecord(
    _ paths: NotePaths, _ fileSystem: any FileSystem, former: Reading? = nil
  ) -> Reading {
    do throws(StorageError) {
      let bytes = try fileSystem.contents(of: paths.document, limit: NoteInspection.recordLimit)
      if let former, former.bytes == bytes, case .success = former.record { return former }
      return (
        bytes,
        Result { () throws(StorageError) in try DocumentRecord(parsing: bytes, path: paths.document) }
      )
    } catch {
      return ([], .failure(error))
    }
  }

  /// A document whose rules are not known: its pages are shown, and nothing is locked, tidied or written.
  private static func untouched(
    _ paths: NotePaths, _ environment: NoteEnvironment, _ cause: StorageError
  ) throws(StorageError) -> NoteDocument {
    let found = try NoteInspection(paths.root, fileSystem: environment.storage.fileSystem).pages
    return withoutRecord(found, paths, nil, environment, cause)
  }

  /// Programs that copy folders may leave an empty one out, and the lock is taken on it.
  private static func restorePages(_ paths: NotePaths, _ fileSystem: any FileSystem) throws(StorageError) {
    guard try fileSystem.statusIfAny(of: paths.pages) == nil else { return }
    try fileSystem.createDirectory(paths.pages)
    try fileSystem.synchronizeDirectory(paths.root)
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

  /// What was only read is not durable: a killed process may have left it in the kernel's memory. That goes for the
  /// package's own name too, which its folder holds.
  private static func makeDurable(_ paths: NotePaths, _ fileSystem: any FileSystem) throws(StorageError) {
    #if Mutants
      if Mutant.isOn(.recordShownBeforeDurable) { return }
    #endif
    do throws(StorageError) {
      let file = try fileSystem.open(paths.document, .readWrite)
      defer { file.close() }
      _ = try file.synchronize()
    } catch  where [.notFound, .wrongKind, .accessDenied, .readOnlyVolume].contains(error.code) {
      // No record to show, or a volume on which nothing can be pending.
    }
    for folder in [paths.root, paths.parent] {
      do throws(StorageError) {
        try fileSystem.synchronizeDirectory(folder)
      } catch  where [.accessDenied, .readOnlyVolume].contains(error.code) {
        // An app may have been given the package and nothing around it; and the volume as above.
      }
    }
  }

  private static func loaded(
    _ paths: NotePaths, _ store: PageStore, _ environment: NoteEnvironment, _ glance: Reading
  ) throws(StorageError) -> NoteDocument {
    let fileSystem = environment.storage.fileSystem
    let (bytes, result) = readRecord(paths, fileSystem, former: glance)
    let record: DocumentRecord
    switch result {
    case .success(let read): record = read
    case .failure(let error):
      if error.code == .newerVersion { throw error }
      return withoutRecord(try store.pages(), paths, store, environment, error)
    }
    // Only now: beside a record that cannot be read, a temporary one may be all that there is.
    removeTemporaryFiles(paths, fileSystem)
    return try swept(paths, store, environment, record, bytes)
  }

  private static func removeTemporaryFiles(_ paths: NotePaths, _ fileSystem: any FileSystem) {
    // Only tidying: what cannot be removed now is removed by a later open.
    let own = [NotePaths.documentName, NotePaths.manifestName].map { "\($0).tmp" }
    for name in (try? fileSystem.names(in: paths.root)) ?? [] where own.contains(name) {
      try? fileSystem.removeIfAny("\(paths.root)/\(name)")
    }
    for folder in [paths.assets, paths.thumbnails] {
      for name in (try? fileSystem.names(in: folder)) ?? [] where NotePaths.isTemporary(name) {
        try? fileSystem.removeIfAny("\(folder)/\(name)")
      }
    }
  }

  /// The record is unreadable: the pages that are found are offered, the list cannot be changed.
  private static func withoutRecord(
    _ found: [PageID], _ paths: NotePaths, _ store: PageStore?, _ environment: NoteEnvironment,
    _ cause: StorageError
  ) -> NoteDocument {
    var record = DocumentRecord(id: PageID(high: 0, low: 0), title: "", now: 0)
    record.pages = found.map { id in
      var page = PageRecord(id: id, width: 0, height: 0, now: 0)
      page.floor = PageFloor(generation: 0, commit: 0)
      return page
    }
    return NoteDocument(
      paths, store, environment, record: record, saved: [], obstacle: cause, unlisted: [])
  }

  /// Finishes removals and undoes creations that a crash cut off. What cannot be done now, the next open does.
  private static func swept(
    _ paths: NotePaths, _ store: PageStore, _ environment: NoteEnvironment, _ record: DocumentRecord,
    _ bytes: [UInt8]
  ) throws(StorageError) -> NoteDocument {
    var record = record
    let known = Set(record.pages.map(\.id) + record.removed)
    var unlisted: [PageID] = []
    for id in try store.pages() where !known.contains(id) {
      let isRest = isRestOfCreation(id, paths, environment.storage.fileSystem)
      #if Mutants
        if Mutant.isOn(.unlistedPageIsSwept), (try? store.remove(id)) != nil { continue }
      #endif
      if !isRest || (try? store.remove(id)) == nil { unlisted.append(id) }
    }
    let pending = record.removed.count
    record.removed.removeAll { (try? store.remove($0)) != nil }
    let document = NoteDocument(
      paths, store, environment, record: record, saved: bytes, obstacle: nil, unlisted: unlisted)
    if record.removed.count != pending {
      document.content.withLock { content in
        content.isDirty = true
        // A removed id that is still in the file costs nothing but this work again.
        try? document.save(&content)
      }
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
