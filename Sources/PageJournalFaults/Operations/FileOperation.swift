// SPDX-License-Identifier: Apache-2.0

/// The kinds of calls a file system gets, as fault plans, counters and event logs name them.
public enum FileOperation: String, Sendable, Hashable, CaseIterable {
  /// Opening a file that exists.
  case open
  /// Opening with `.createNew`.
  case create
  /// Opening a directory.
  case openDirectory
  /// Reading from a file.
  case read
  /// Writing to a file.
  case write
  /// Changing a file's size.
  case truncate
  /// Making a file's content durable.
  case synchronizeFile
  /// Making a directory's names durable.
  case synchronizeDirectory
  /// Renaming; a path condition holds if either of the two paths meets it.
  case rename
  /// Removing a file's name.
  case remove
  /// Listing a directory.
  case names
  /// Asking for a status, by path or on an open file.
  case status
  /// Taking a directory's lock.
  case lock
  /// Making a directory.
  case createDirectory
  /// Removing a directory.
  case removeDirectory
}
