// SPDX-License-Identifier: Apache-2.0

import Foundation
import PageJournal

/// Paths as a person gives them.
enum UserPath {
  /// The path of something to read, with a link in its last part followed: the engine itself follows none.
  static func followed(_ path: String) -> String {
    var path = path
    guard !path.utf8.contains(0) else { return path }
    while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
    for _ in 0..<40 {
      guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { break }
      path = target.hasPrefix("/") ? target : "\(parent(of: path))/\(target)"
    }
    return path
  }

  /// Says so when there is no folder to make something in, before a message names a temporary file.
  static func requireParent(of path: String) throws(Failure) {
    let parent = parent(of: path)
    do throws(StorageError) {
      guard try PosixFileSystem().status(of: followed(parent)).kind != .file else {
        throw StorageError(.wrongKind, "create", cause: "“\(parent)” is not a folder", file: path)
      }
    } catch {
      guard error.code == .notFound else { throw Failure.creating(error, path) }
      throw Failure(.cannotCreate, "cannot create \(path): there is no folder “\(parent)”")
    }
  }

  private static func parent(of path: String) -> String {
    var path = Substring(path)
    while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
