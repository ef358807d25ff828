// SPDX-License-Identifier: Apache-2.0

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

  /// The package's own name.
  var name: String { root.split(separator: "/").last.map(String.init) ?? root }
}
