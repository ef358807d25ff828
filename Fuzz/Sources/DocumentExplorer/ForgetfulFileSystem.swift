// SPDX-License-Identifier: Apache-2.0

import PageExplorer
import PageJournal

/// A file system that does not synchronise what has a certain name, and says that it did. Whoever looks for lost
/// data has to find some on it.
struct ForgetfulFileSystem: ForwardingFileSystem {
  let base: any FileSystem
  /// The end of the paths that are forgotten.
  let forgotten: String

  func open(_ path: String, _ mode: FileMode) throws(StorageError) -> any File {
    let file = try base.open(path, mode)
    return path.hasSuffix(forgotten) ? ForgetfulFile(base: file) : file
  }

  func openDirectory(_ path: String) throws(StorageError) -> any Directory {
    let directory = try base.openDirectory(path)
    return path.hasSuffix(forgotten) ? ForgetfulDirectory(base: directory) : directory
  }
}

private final class ForgetfulFile: ForwardingFile {
  let base: any File
  init(base: any File) { self.base = base }
  func synchronize() throws(StorageError) -> Durability { .medium }
}

private final class ForgetfulDirectory: ForwardingDirectory {
  let base: any Directory
  init(base: any Directory) { self.base = base }
  func synchronize() throws(StorageError) -> Durability { .medium }
}
