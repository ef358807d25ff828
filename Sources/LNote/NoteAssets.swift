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
    try content.withLock { (content) throws(StorageError) in try requireChangeable(content) }
    guard let suffix = Self.fileExtension(type) else {
      throw StorageError(
        .usage, "add an asset", cause: "“\(type)” is neither a file extension nor a MIME type", file: path)
    }
    guard !bytes.isEmpty else { throw StorageError(.usage, "add an asset", cause: "it is empty", file: path) }
    let fileSystem = environment.storage.fileSystem
    if try fileSystem.statusIfAny(of: paths.assets) == nil {
      try fileSystem.createDirectory(paths.assets)
      try fileSystem.synchronizeDirectory(paths.root)
    }
    let id = environment.storage.newPageID()
    try fileSystem.replaceFile(in: paths.assets, name: "\(id).\(suffix)", with: bytes.span)
    return id
  }

  /// The extension of a type: at most eight lower-case letters and digits, never a path.
  private static func fileExtension(_ type: String) -> String? {
    let last =
      type.lowercased().split(separator: "/", omittingEmptySubsequences: false).last.map(String.init) ?? ""
    let name = last.split(separator: "+").first.map(String.init) ?? ""
    let usual = ["jpeg": "jpg", "plain": "txt"][name] ?? name
    guard (1...8).contains(usual.utf8.count),
      usual.utf8.allSatisfy({ (48...57).contains($0) || (97...122).contains($0) })
    else { return nil }
    return usual
  }
}

extension NoteInspection {
  /// The greatest asset that is read into memory.
  private static let assetLimit: UInt64 = 1 << 30

  /// The file name of an asset, or nil when the document has none with that id.
  public func assetName(_ id: PageID) -> String? {
    let names = (try? fileSystem.names(in: NotePaths(path).assets)) ?? []
    return names.first { $0.hasPrefix("\(id).") && !$0.hasSuffix(".tmp") }
  }

  /// An asset's bytes and the extension of its file.
  /// - Throws: `notFound` when the document has no asset with that id.
  public func asset(_ id: PageID) throws(StorageError) -> (bytes: [UInt8], fileExtension: String) {
    guard let name = assetName(id) else {
      throw StorageError(.notFound, "read asset \(id)", cause: "the document has no file for it", file: path)
    }
    let bytes = try fileSystem.contents(of: "\(NotePaths(path).assets)/\(name)", limit: Self.assetLimit)
    return (bytes, name.split(separator: ".").last.map(String.init) ?? "")
  }
}
