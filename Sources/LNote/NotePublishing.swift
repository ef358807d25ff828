// SPDX-License-Identifier: Apache-2.0

public import PageJournal

/// Building a document aside and putting it in its place when it is whole.
public struct NotePublishing: Sendable {
  /// Where the document is built: beside its place, hidden.
  public let temporary: String
  private let target: NotePaths
  private let old: String
  private let fileSystem: any FileSystem

  /// Chooses the names; touches nothing.
  public init(to path: String, environment: NoteEnvironment = NoteEnvironment()) {
    target = NotePaths(path)
    fileSystem = environment.storage.fileSystem
    let mark = environment.storage.newPageID()
    temporary = "\(target.parent)/.\(target.name).\(mark).building"
    old = "\(target.parent)/.\(target.name).\(mark).replaced"
  }

  /// Puts the closed document in its place, durable. What it replaces is moved away first, and comes back if the
  /// second step fails; it is removed at the end.
  /// - Parameter replaces: whether a note package of that name may go. It must not be open for writing.
  /// - Throws: `alreadyExists`, also for anything there that is no note package; `locked`.
  public func publish(replaces: Bool) throws(StorageError) {
    guard try fileSystem.statusIfAny(of: target.root) != nil else {
      try fileSystem.rename(temporary, to: target.root)
      try fileSystem.synchronizeDirectory(target.parent)
      return
    }
    try requireReplaceable(replaces)
    let directory = try lockedPages()
    defer { directory?.close() }
    try fileSystem.rename(target.root, to: old)
    do throws(StorageError) {
      try fileSystem.rename(temporary, to: target.root)
    } catch {
      try? fileSystem.rename(old, to: target.root)
      throw error
    }
    try fileSystem.synchronizeDirectory(target.parent)
    // The new document is in its place, durable: what is left of the old one is only in the way.
    try? fileSystem.removeTree(old)
  }

  /// Puts a document back that was moved away to be replaced, when a crash kept the new one from its place. Nothing
  /// is done unless exactly one is there.
  static func restore(_ paths: NotePaths, _ fileSystem: any FileSystem) throws(StorageError) {
    guard try fileSystem.statusIfAny(of: paths.root) == nil else { return }
    guard let names = try? fileSystem.names(in: paths.parent) else { return }
    let found = names.filter { name in
      guard name.hasPrefix(".\(paths.name)."), name.hasSuffix(".replaced") else { return false }
      return PageID(name.dropFirst(paths.name.count + 2).dropLast(".replaced".count)) != nil
    }
    guard found.count == 1, let name = found.first else { return }
    // Whoever is replacing it at this moment holds its lock.
    let directory = try? fileSystem.openDirectory("\(paths.parent)/\(name)/pages")
    defer { directory?.close() }
    if let directory, (try? directory.tryLock()) == false { return }
    try fileSystem.rename("\(paths.parent)/\(name)", to: paths.root)
    try fileSystem.synchronizeDirectory(paths.parent)
  }

  /// Whether `publish` would find the name free, or something that it may replace.
  public func requireReplaceable(_ replaces: Bool) throws(StorageError) {
    guard let status = try fileSystem.statusIfAny(of: target.root) else { return }
    guard replaces else {
      throw StorageError(
        .alreadyExists, "create the document", cause: "the name is taken",
        advice: "choose another name, or replace it with --force", file: target.root)
    }
    let isPackage =
      status.kind == .directory && (try? NoteInspection.requirePackage(target, fileSystem)) != nil
    guard isPackage else {
      throw StorageError(
        .alreadyExists, "replace it", cause: "what has the name is no note package, and is left alone",
        file: target.root)
    }
  }

  /// Removes what was built. Nothing of the name itself is touched.
  public func abandon() { try? fileSystem.removeTree(temporary) }

  private func lockedPages() throws(StorageError) -> (any Directory)? {
    guard try fileSystem.statusIfAny(of: target.pages) != nil else { return nil }
    let directory = try fileSystem.openDirectory(target.pages)
    do throws(StorageError) {
      guard try directory.tryLock() else {
        throw StorageError(
          .locked, "replace the document", cause: "another process is writing it", file: target.root)
      }
    } catch {
      directory.close()
      throw error
    }
    return directory
  }
}
