// SPDX-License-Identifier: Apache-2.0

import Foundation
import LNote
import PageJournal

/// Opening documents the way all verbs do.
enum Documents {
  /// How long a verb that writes tries to get the lock.
  static let lockWait = Duration.seconds(2)

  static func environment(_ options: StoreOptions = StoreOptions()) -> NoteEnvironment {
    NoteEnvironment(options: options, lockWait: lockWait)
  }

  static func openForWriting(
    _ path: String, _ options: StoreOptions = StoreOptions()
  ) throws(Failure) -> NoteDocument {
    try attempt { () throws(StorageError) in
      try NoteDocument.open(path, environment: environment(options))
    }
  }
}

extension Documents {
  /// Does what needs a lock, again and again while another process has it, for `lockWait`.
  static func waitingForLock<Result>(_ body: () throws(StorageError) -> Result) throws(Failure) -> Result {
    let step = Duration.milliseconds(25)
    var waited = Duration.zero
    while true {
      do throws(StorageError) {
        return try body()
      } catch {
        guard error.code == .locked, waited < lockWait else { throw Failure(error) }
        NoteEnvironment().pause(step)
        waited += step
      }
    }
  }

  /// Waits until nobody writes the package, so that an import does not do all its work for a locked one.
  static func requireUnlocked(_ path: String) throws(Failure) {
    try waitingForLock { () throws(StorageError) in
      guard let status = try PosixFileSystem().statusIfAny(of: "\(path)/pages"), status.kind == .directory
      else { return }
      let directory = try PosixFileSystem().openDirectory("\(path)/pages")
      defer { directory.close() }
      guard try directory.tryLock() else {
        throw StorageError(
          .locked, "replace the document", cause: "another process is writing it", advice: "close it there",
          file: path)
      }
    }
  }
}

/// The bytes of all files below a folder.
enum FolderSize {
  static func bytes(_ path: String) -> Int {
    let fileSystem = PosixFileSystem()
    guard let status = try? fileSystem.status(of: path) else { return 0 }
    guard status.kind == .directory else { return Int(clamping: status.size) }
    let names = (try? fileSystem.names(in: path)) ?? []
    return names.reduce(0) { $0 + bytes("\(path)/\($1)") }
  }
}

/// What a verb's path leads to.
enum Target {
  case document(NoteInspection)
  /// A page's file: its folder and the page.
  case page(directory: String, PageID)

  init(_ path: String) throws(Failure) {
    let fileSystem = PosixFileSystem()
    let status = try attempt { () throws(StorageError) in try fileSystem.status(of: path) }
    if status.kind == .directory {
      self = .document(try attempt { () throws(StorageError) in try NoteInspection(path) })
      return
    }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    let name = parts.last.map(String.init) ?? path
    let suffix = name.split(separator: ".").last
    guard status.kind == .file, suffix == "content" || suffix == "journal",
      let page = PageID(name.split(separator: ".").first ?? "")
    else {
      throw Failure(
        .noInput,
        "\(path) is neither a note package nor a page's file (<uuid>.content, <uuid>.<n>.journal)"
      )
    }
    let directory = parts.dropLast().joined(separator: "/")
    self = .page(directory: directory.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : directory, page)
  }

  /// The pages with what is found of each, one at a time.
  func forEachPage(
    only: PageID? = nil, _ body: (PageID, PageRecord?, OpenedPage) throws(Failure) -> Void
  ) throws(Failure) {
    switch self {
    case .document(let inspection):
      for id in inspection.pages where only == nil || id == only {
        try body(id, inspection.pageRecord(id), inspection.inspect(id))
      }
    case .page(let directory, let id):
      guard only == nil || only == id else { return }
      let opened = try attempt { () throws(StorageError) in try PageInspector.inspect(id, in: directory) }
      try body(id, nil, opened)
    }
  }
}
