// SPDX-License-Identifier: Apache-2.0

internal import PageJournal

/// The names inside a package.
struct NotePaths: Sendable {
  let root: String

  init(_ root: String) {
    var root = root
    while root.count > 1, root.hasSuffix("/") { root.removeLast() }
    self.root = root
  }

  static let documentName = "document.json"
  static let manifestName = "manifest.json"

  var document: String { "\(root)/\(Self.documentName)" }
  var manifest: String { "\(root)/\(Self.manifestName)" }
  var pages: String { "\(root)/pages" }
  var assets: String { "\(root)/assets" }
  var thumbnails: String { "\(root)/thumbnails" }

  /// The directory that holds the package.
  var parent: String {
    guard let slash = root.lastIndex(of: "/") else { return "." }
    return slash == root.startIndex ? "/" : String(root[..<slash])
  }

  /// What an asset's or thumbnail's file name says; nil for a name that is not ours. Copies that other programs
  /// make ("… 2.png", "….sync-conflict.png") have other forms and are left alone.
  static func asset(_ name: String) -> (id: PageID, fileExtension: String)? {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let id = PageID(parts[0]), isExtension(parts[1]) else { return nil }
    return (id, String(parts[1]))
  }

  /// Whether a name is that of an asset or thumbnail that was being written.
  static func isTemporary(_ name: String) -> Bool {
    name.hasSuffix(temporarySuffix) && asset(String(name.dropLast(temporarySuffix.count))) != nil
  }

  private static let temporarySuffix = ".tmp"

  /// At most eight lower-case letters and digits, so never a path, and not the one of temporary files.
  static func isExtension(_ text: some StringProtocol) -> Bool {
    (1...8).contains(text.utf8.count) && text != "tmp"
      && text.utf8.allSatisfy { (48...57).contains($0) || (97...122).contains($0) }
  }

  /// The package's own name.
  var name: String { root.split(separator: "/").last.map(String.init) ?? root }
}
