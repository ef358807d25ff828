// SPDX-License-Identifier: Apache-2.0

// On the list of files that may use unsafe code: it hands structures and buffers to the C library.

import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A descriptor that is closed once. It is read without a lock on every call; a call that races with `close`
/// is a defect of the caller, as with any descriptor.
private final class Descriptor: Sendable {
  private let number: Atomic<Int32>

  init(_ number: Int32) { self.number = Atomic(number) }

  var value: Int32 { number.load(ordering: .acquiring) }

  func close() {
    let old = number.exchange(-1, ordering: .acquiringAndReleasing)
    guard old >= 0 else { return }
    #if canImport(Darwin)
      _ = Darwin.close(old)
    #elseif canImport(Musl)
      _ = Musl.close(old)
    #else
      _ = Glibc.close(old)
    #endif
  }

  deinit { close() }
}

/// A file of the operating system.
final class PosixFile: File {
  private let descriptor: Descriptor
  private let path: String

  init(descriptor: Int32, path: String) {
    self.descriptor = Descriptor(descriptor)
    self.path = path
  }

  func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
    guard let start = off_t(exactly: offset), count >= 0 else {
      throw StorageError(.usage, "read", cause: "the offset is out of range", file: path, offset: offset)
    }
    var failure: Int32 = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { target, done in
      done = 0
      while done < count {
        let rest = unsafe target.baseAddress.map { unsafe $0 + done }
        let result = unsafe pread(descriptor.value, rest, count - done, start + off_t(done))
        if result > 0 {
          done += result
        } else if result == 0 {
          return
        } else if errno != EINTR {
          failure = errno
          return
        }
      }
    }
    guard failure == 0 else { throw storageError(failure, "read", path, at: offset) }
    return bytes
  }

  func write(_ bytes: Span<UInt8>, at offset: UInt64) throws(StorageError) -> Int {
    guard !bytes.isEmpty else { return 0 }
    guard let start = off_t(exactly: offset) else {
      throw StorageError(.usage, "write", cause: "the offset is out of range", file: path, offset: offset)
    }
    while true {
      let result = unsafe bytes.withUnsafeBufferPointer { buffer in
        unsafe pwrite(descriptor.value, buffer.baseAddress, buffer.count, start)
      }
      if result > 0 { return result }
      if result == 0 { throw storageError(ENOSPC, "write to", path, at: offset) }
      if errno != EINTR { throw storageError(errno, "write to", path, at: offset) }
    }
  }

  func truncate(to size: UInt64) throws(StorageError) {
    guard let size = off_t(exactly: size) else {
      throw StorageError(.usage, "truncate", cause: "the size is out of range", file: path)
    }
    while ftruncate(descriptor.value, size) != 0 {
      if errno != EINTR { throw storageError(errno, "truncate", path) }
    }
  }

  func synchronize() throws(StorageError) -> Durability {
    try synchronizeDescriptor(descriptor.value, path, dataOnly: true)
  }

  func status() throws(StorageError) -> FileStatus {
    var raw = stat()
    guard unsafe fstat(descriptor.value, &raw) == 0 else { throw storageError(errno, "examine", path) }
    return FileStatus(raw)
  }

  func close() { descriptor.close() }
}

/// A directory of the operating system.
final class PosixDirectory: Directory {
  private let descriptor: Descriptor
  private let path: String

  init(descriptor: Int32, path: String) {
    self.descriptor = Descriptor(descriptor)
    self.path = path
  }

  func synchronize() throws(StorageError) -> Durability {
    try synchronizeDescriptor(descriptor.value, path, dataOnly: false)
  }

  func tryLock() throws(StorageError) -> Bool {
    while flock(descriptor.value, LOCK_EX | LOCK_NB) != 0 {
      switch errno {
      case EINTR: continue
      case EWOULDBLOCK: return false
      case ENOTSUP, EOPNOTSUPP, ENOSYS, EINVAL, ENOLCK:
        throw StorageError(
          .lockUnsupported, "lock the directory", cause: "the volume cannot lock directories",
          advice: "open without a lock if nothing else writes to this document", file: path,
          systemError: errno)
      default: throw storageError(errno, "lock the directory", path)
      }
    }
    return true
  }

  func close() { descriptor.close() }
}

/// One synchronisation. It is never repeated after a failure: the kernel may have dropped the pages it could
/// not write, and a second call would then succeed without them. An interrupted call has not failed.
private func synchronizeDescriptor(
  _ descriptor: Int32, _ path: String, dataOnly: Bool
) throws(StorageError) -> Durability {
  let operation = dataOnly ? "synchronise" : "synchronise the directory"
  #if canImport(Darwin)
    while fcntl(descriptor, F_FULLFSYNC) != 0 {
      if errno == EINTR { continue }
      guard errno == ENOTSUP || errno == EINVAL || errno == ENOTTY else {
        throw storageError(errno, operation, path)
      }
      // The volume has no full flush (network, some FUSE): what is left is the weaker promise, and it is named so.
      while fsync(descriptor) != 0 {
        if errno != EINTR { throw storageError(errno, operation, path) }
      }
      return .device
    }
    return .medium
  #else
    while (dataOnly ? fdatasync(descriptor) : fsync(descriptor)) != 0 {
      if errno != EINTR { throw storageError(errno, operation, path) }
    }
    return .medium
  #endif
}
