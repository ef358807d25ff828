// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults
import Synchronization

/// Tells of every synchronisation of what is below it, also of those that a fault keeps from happening: before each
/// one, when most is pending, and of each one that failed.
final class SyncWatch: ForwardingFileSystem {
  enum Moment: Sendable {
    case before, failed
  }

  let base: any FileSystem
  private let observer = Mutex<(@Sendable (Moment) -> Void)?>(nil)

  init(_ base: any FileSystem) { self.base = base }

  /// The observer is called on the thread that synchronises; nil ends it.
  func observe(_ body: (@Sendable (Moment) -> Void)?) { observer.withLock { $0 = body } }

  func open(_ path: String, _ mode: FileMode) throws(StorageError) -> any File {
    WatchedFile(try base.open(path, mode), self)
  }

  func openDirectory(_ path: String) throws(StorageError) -> any Directory {
    WatchedDirectory(try base.openDirectory(path), self)
  }

  fileprivate func synchronize(
    _ body: () throws(StorageError) -> Durability
  ) throws(StorageError) -> Durability {
    let observer = observer.withLock { $0 }
    observer?(.before)
    do throws(StorageError) { return try body() } catch {
      observer?(.failed)
      throw error
    }
  }
}

private final class WatchedFile: ForwardingFile {
  let base: any File
  private let watch: SyncWatch

  init(_ base: any File, _ watch: SyncWatch) {
    self.base = base
    self.watch = watch
  }

  func synchronize() throws(StorageError) -> Durability {
    try watch.synchronize { () throws(StorageError) in try base.synchronize() }
  }
}

private final class WatchedDirectory: ForwardingDirectory {
  let base: any Directory
  private let watch: SyncWatch

  init(_ base: any Directory, _ watch: SyncWatch) {
    self.base = base
    self.watch = watch
  }

  func synchronize() throws(StorageError) -> Durability {
    try watch.synchronize { () throws(StorageError) in try base.synchronize() }
  }
}
