// SPDX-License-Identifier: Apache-2.0

/// What the engine asks of a file system. Paths are absolute or relative to the process, "/" separates.
///
/// Implement it to run the engine on something else than the operating system: a simulation, a fault injector,
/// a counter. All calls are blocking and may come from several threads at once. A call that returns has
/// happened for every other caller, but nothing is *durable* before the calls that say so.
public protocol FileSystem: Sendable {
  /// Opens a file. Never follows a symbolic link in the last component when it may write or create.
  /// - Throws: `notFound`, `alreadyExists` (for `.createNew`), `wrongKind` for a directory, `accessDenied`, …
  func open(_ path: String, _ mode: FileMode) throws(StorageError) -> any File

  /// Opens a directory, for locking it and for making its names durable.
  func openDirectory(_ path: String) throws(StorageError) -> any Directory

  /// The names in a directory, in no order, without "." and "..".
  func names(in path: String) throws(StorageError) -> [String]

  /// What a path leads to; a symbolic link is not followed.
  func status(of path: String) throws(StorageError) -> FileStatus

  /// Gives a file or directory another name, replacing a file that has it. One step for every observer;
  /// durable only after the directory (each, if there are two) was synchronised.
  func rename(_ path: String, to target: String) throws(StorageError)

  /// Removes a file's name. Durable after the directory was synchronised.
  func remove(_ path: String) throws(StorageError)

  /// Makes a directory. Durable after the parent was synchronised.
  func createDirectory(_ path: String) throws(StorageError)

  /// Removes an empty directory.
  func removeDirectory(_ path: String) throws(StorageError)
}

/// How to open a file.
public enum FileMode: Sendable, Equatable {
  /// For reading only.
  case read
  /// For reading and writing; the file exists.
  case readWrite
  /// For reading and writing; the name must be free.
  case createNew
}

/// An open file. Calls may come from several threads; one object is one descriptor.
public protocol File: AnyObject, Sendable {
  /// Reads up to `count` bytes at an offset; fewer only at the end of the file.
  func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8]

  /// Hands bytes to the file system at an offset and says how many it took: at least one, at most all.
  /// A call that takes fewer is a *short write*: the caller goes on or cuts it away. Interrupted calls are
  /// begun again inside.
  func write(_ bytes: Span<UInt8>, at offset: UInt64) throws(StorageError) -> Int

  /// Cuts or extends (with zeros) the file.
  func truncate(to size: UInt64) throws(StorageError)

  /// Returns when content and size are on the medium (`fdatasync`, `F_FULLFSYNC`). It says nothing about the name.
  func synchronize() throws(StorageError) -> Durability

  /// The file as it is now.
  func status() throws(StorageError) -> FileStatus

  /// Gives the descriptor back; later calls throw. Closing twice does nothing.
  func close()
}

/// An open directory.
public protocol Directory: AnyObject, Sendable {
  /// Returns when every name operation in this directory that had returned before is on the medium.
  func synchronize() throws(StorageError) -> Durability

  /// Takes the directory's exclusive lock without waiting.
  /// - Returns: false when another holder has it.
  /// - Throws: `lockUnsupported` where the volume cannot lock.
  func tryLock() throws(StorageError) -> Bool

  /// Gives back the lock, if held, and the descriptor. Closing twice does nothing.
  func close()
}

/// How far a synchronisation goes.
public enum Durability: Int, Sendable, Comparable {
  /// Handed to the device; its own cache may lose it at a power cut.
  case device = 1
  /// On the medium.
  case medium = 2

  /// The weaker is the smaller.
  public static func < (left: Durability, right: Durability) -> Bool { left.rawValue < right.rawValue }
}

/// What is known of a file without reading it.
public struct FileStatus: Sendable, Equatable {
  /// The kinds that matter here.
  public enum Kind: Sendable, Equatable {
    /// A regular file.
    case file
    /// A directory.
    case directory
    /// Anything else: link, socket, device.
    case other
  }
  /// Its kind.
  public var kind: Kind
  /// In bytes.
  public var size: UInt64
  /// The device; with `inode` the identity of the file.
  public var device: UInt64
  /// The number of the file on its device.
  public var inode: UInt64
  /// How many names it has.
  public var links: UInt64

  /// Makes a status.
  public init(kind: Kind, size: UInt64, device: UInt64, inode: UInt64, links: UInt64) {
    self.kind = kind
    self.size = size
    self.device = device
    self.inode = inode
    self.links = links
  }
}
