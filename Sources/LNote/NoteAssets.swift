// SPDX-License-Identifier: Apache-2.0

public import PageJournal
internal import Synchronization

/// Images and other files that pages refer to.
extension NoteDocument {
  /// Writes an asset. When it returns, its file is durable, so that a page may name it.
  /// - Parameters:
  ///   - bytes: the content, at least one byte.
  ///   - type: a file extension ("png") or a MIME type ("image/png").
  /// - Returns: the asset's id.
  public func addAsset(_ bytes: [UInt8], type: String) throws(StorageError) -> PageID {
    guard let suffix = Self.fileExtension(type) else {
      throw StorageError(
        .usage, "add an asset", cause: "“\(type)” is neither a file extension nor a MIME type", file: path)
    }
    guard !bytes.isEmpty else { throw StorageError(.usage, "add an asset", cause: "it is empty", file: path) }
    return try structure.withLock { (structure) throws(StorageError) in
      try content.withLock { (content) throws(StorageError) in try requireChangeable(content) }
      try prepareAssets(&structure)
      let id = environment.storage.newPageID()
      try write(bytes, "\(id).\(suffix)")
      return id
    }
  }

  /// The folder, with its name on the medium: else a power cut would take it with all that is in it.
  private func prepareAssets(_ structure: inout Structure) throws(StorageError) {
    guard !structure.hasDurableAssets else { return }
    let fileSystem = environment.storage.fileSystem
    if try fileSystem.statusIfAny(of: paths.assets) == nil { try fileSystem.createDirectory(paths.assets) }
    do throws(StorageError) {
      try fileSystem.synchronizeDirectory(paths.root)
    } catch {
      fail(error)
      throw error
    }
    structure.hasDurableAssets = true
  }

  private func write(_ bytes: [UInt8], _ name: String) throws(StorageError) {
    let fileSystem = environment.storage.fileSystem
    do throws(StorageError) {
      try fileSystem.replaceFile(in: paths.assets, name: name, with: bytes.span)
    } catch {
      // Nothing names it, so what there is of it can go.
      try? fileSystem.removeIfAny("\(paths.assets)/\(name).tmp")
      if (try? fileSystem.statusIfAny(of: "\(paths.assets)/\(name)")) != .some(nil) {
        try? fileSystem.removeIfAny("\(paths.assets)/\(name)")
        fail(error)
      }
      throw error
    }
  }

  /// A directory whose synchronisation failed holds names of which nobody knows whether they are durable.
  private func fail(_ error: StorageError) {
    content.withLock { content in
      content.failure =
        content.failure
        ?? StorageError(
          .readOnly, error.operation, cause: error.cause,
          advice: "open the document again before changing it", file: error.file,
          systemError: error.systemError)
    }
  }

  /// The file extension of a type, never a path; nil for what is no type.
  private static func fileExtension(_ type: String) -> String? {
    let last =
      type.lowercased().split(separator: "/", omittingEmptySubsequences: false).last.map(String.init) ?? ""
    let name = last.split(separator: "+").first.map(String.init) ?? ""
    let usual = ["jpeg": "jpg", "plain": "txt", "octet-stream": "bin"][name] ?? name
    return NotePaths.isExtension(usual) ? usual : nil
  }
}

extension NoteInspection {
  /// The greatest asset that is read into memory.
  private static let assetLimit: UInt64 = 1 << 30

  /// The file name of an asset, or nil when the document has none with that id, or cannot be read.
  public func assetName(_ id: PageID) -> String? { try? findAsset(id) }

  private func findAsset(_ id: PageID) throws(StorageError) -> String? {
    do throws(StorageError) {
      let names = try fileSystem.names(in: NotePaths(path).assets)
      return names.filter { NotePaths.asset($0)?.id == id }.min()
    } catch  where error.code == .notFound {
      return nil
    }
  }

  /// An asset's bytes and the extension of its file.
  /// - Throws: `notFound` when the document has no asset with that id; what reading met.
  public func asset(_ id: PageID) throws(StorageError) -> (bytes: [UInt8], fileExtension: String) {
    guard let name = try findAsset(id), let parts = NotePaths.asset(name) else {
      throw StorageError(.notFound, "read asset \(id)", cause: "the document has no file for it", file: path)
    }
    let bytes = try fileSystem.contents(of: "\(NotePaths(path).assets)/\(name)", limit: Self.assetLimit)
    return (bytes, parts.fileExtension)
  }
}
