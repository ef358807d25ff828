// SPDX-License-Identifier: Apache-2.0

// On the list of files that may use unsafe code: it hands structures and buffers to the C library.

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The operating system's file system.
public struct PosixFileSystem: FileSystem {
  /// There is only one.
  public init() {}

  /// See `FileSystem`.
  public func open(_ path: String, _ mode: FileMode) throws(StorageError) -> any File {
    guard !path.utf8.contains(0) else { throw zeroInName("open", path) }
    // O_NONBLOCK: a fifo that somebody put there must not hang the open; it means nothing for regular files.
    var flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    switch mode {
    case .read: flags |= O_RDONLY
    case .readWrite: flags |= O_RDWR
    case .createNew: flags |= O_RDWR | O_CREAT | O_EXCL
    }
    let descriptor = try descriptor(path, flags, mode == .createNew ? "create" : "open")
    let file = PosixFile(descriptor: descriptor, path: path)
    let status = try file.status()
    guard status.kind == .file else {
      file.close()
      throw StorageError(
        .wrongKind, "open",
        cause: status.kind == .directory ? "it is a directory" : "it is not a regular file",
        file: path)
    }
    return file
  }

  /// See `FileSystem`.
  public func openDirectory(_ path: String) throws(StorageError) -> any Directory {
    guard !path.utf8.contains(0) else { throw zeroInName("open the directory", path) }
    let descriptor = try descriptor(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, "open the directory")
    return PosixDirectory(descriptor: descriptor, path: path)
  }

  private func descriptor(_ path: String, _ flags: Int32, _ operation: String) throws(StorageError) -> Int32 {
    while true {
      #if canImport(Darwin)
        let descriptor = unsafe Darwin.open(path, flags, 0o666)
      #elseif canImport(Musl)
        let descriptor = unsafe Musl.open(path, flags, 0o666)
      #else
        let descriptor = unsafe Glibc.open(path, flags, 0o666)
      #endif
      if descriptor >= 0 { return descriptor }
      if errno != EINTR { throw storageError(errno, operation, path) }
    }
  }

  /// See `FileSystem`.
  public func names(in path: String) throws(StorageError) -> [String] {
    guard !path.utf8.contains(0) else { throw zeroInName("list", path) }
    guard let stream = unsafe opendir(path) else { throw storageError(errno, "list", path) }
    defer { unsafe _ = closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = unsafe readdir(stream) else {
        if errno != 0 { throw storageError(errno, "list", path) }
        return names
      }
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
  }

  /// See `FileSystem`.
  public func status(of path: String) throws(StorageError) -> FileStatus {
    guard !path.utf8.contains(0) else { throw zeroInName("examine", path) }
    var raw = stat()
    guard unsafe lstat(path, &raw) == 0 else { throw storageError(errno, "examine", path) }
    return FileStatus(raw)
  }

  /// See `FileSystem`.
  public func rename(_ path: String, to target: String) throws(StorageError) {
    guard !target.utf8.contains(0), !path.utf8.contains(0) else { throw zeroInName("rename", path) }
    #if canImport(Darwin)
      let result = unsafe Darwin.rename(path, target)
    #elseif canImport(Musl)
      let result = unsafe Musl.rename(path, target)
    #else
      let result = unsafe Glibc.rename(path, target)
    #endif
    guard result == 0 else { throw storageError(errno, "rename to \(target)", path) }
  }

  /// See `FileSystem`.
  public func remove(_ path: String) throws(StorageError) {
    guard !path.utf8.contains(0) else { throw zeroInName("remove", path) }
    guard unsafe unlink(path) == 0 else { throw storageError(errno, "remove", path) }
  }

  /// See `FileSystem`.
  public func createDirectory(_ path: String) throws(StorageError) {
    guard !path.utf8.contains(0) else { throw zeroInName("create the directory", path) }
    guard unsafe mkdir(path, 0o777) == 0 else { throw storageError(errno, "create the directory", path) }
  }

  /// See `FileSystem`.
  public func removeDirectory(_ path: String) throws(StorageError) {
    guard !path.utf8.contains(0) else { throw zeroInName("remove the directory", path) }
    guard unsafe rmdir(path) == 0 else { throw storageError(errno, "remove the directory", path) }
  }

  private func zeroInName(_ operation: String, _ path: String) -> StorageError {
    StorageError(.usage, operation, cause: "the path holds a zero byte", file: path)
  }
}

extension FileStatus {
  init(_ raw: stat) {
    let kind: Kind
    switch raw.st_mode & S_IFMT {
    case S_IFREG: kind = .file
    case S_IFDIR: kind = .directory
    default: kind = .other
    }
    self.init(
      kind: kind, size: UInt64(clamping: raw.st_size), device: UInt64(truncatingIfNeeded: raw.st_dev),
      inode: UInt64(raw.st_ino), links: UInt64(clamping: raw.st_nlink))
  }
}
