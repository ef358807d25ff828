// SPDX-License-Identifier: Apache-2.0

// The names are the C library's.
// swift-format-ignore-file

// What the engine takes from the C library on Apple systems, declared as Swift imports it there, so that those branches
// can be type-checked on a machine that has no such system. Nothing here runs: only names, types and optionality count,
// and they have to be the real ones. What the engine does not use is not here; when it uses more, the check says what
// is missing.

// MARK: Types

public typealias off_t = Int64
public typealias mode_t = UInt16
public typealias dev_t = Int32
public typealias nlink_t = UInt16
public typealias ino_t = UInt64
public typealias time_t = Int
public typealias pthread_t = UnsafeMutablePointer<_opaque_pthread_t>

public struct _opaque_pthread_t {}

public struct timespec: Sendable {
  public var tv_sec: time_t
  public var tv_nsec: Int
  public init() {
    tv_sec = 0
    tv_nsec = 0
  }
}

public struct stat: Sendable {
  public var st_dev: dev_t
  public var st_mode: mode_t
  public var st_nlink: nlink_t
  public var st_ino: ino_t
  public var st_size: off_t
  public init() {
    st_dev = 0
    st_mode = 0
    st_nlink = 0
    st_ino = 0
    st_size = 0
  }
}

public struct DIR {}

public struct dirent {
  public var d_ino: ino_t
  /// Really 1,024 of them.
  public var d_name: (CChar, CChar, CChar, CChar)
}

public struct pthread_attr_t {}
public struct pthread_mutexattr_t {}
public struct pthread_condattr_t {}

public struct pthread_mutex_t {
  public init() {}
}

public struct pthread_cond_t {
  public init() {}
}

public struct clockid_t: Equatable, Sendable {
  public var rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
}

// MARK: Constants

public let O_RDONLY: Int32 = 0x0000
public let O_RDWR: Int32 = 0x0002
public let O_NONBLOCK: Int32 = 0x0004
public let O_NOFOLLOW: Int32 = 0x0100
public let O_CREAT: Int32 = 0x0200
public let O_EXCL: Int32 = 0x0800
public let O_DIRECTORY: Int32 = 0x0010_0000
public let O_CLOEXEC: Int32 = 0x0100_0000
public let F_FULLFSYNC: Int32 = 51
public let LOCK_EX: Int32 = 2
public let LOCK_NB: Int32 = 4
public let S_IFMT: mode_t = 0o170000
public let S_IFDIR: mode_t = 0o040000
public let S_IFREG: mode_t = 0o100000
public let CLOCK_REALTIME = clockid_t(rawValue: 0)
public let CLOCK_MONOTONIC = clockid_t(rawValue: 6)

public let EPERM: Int32 = 1
public let ENOENT: Int32 = 2
public let EINTR: Int32 = 4
public let EIO: Int32 = 5
public let EBADF: Int32 = 9
public let EACCES: Int32 = 13
public let EEXIST: Int32 = 17
public let ENOTDIR: Int32 = 20
public let EISDIR: Int32 = 21
public let EINVAL: Int32 = 22
public let ENFILE: Int32 = 23
public let EMFILE: Int32 = 24
public let ENOTTY: Int32 = 25
public let EFBIG: Int32 = 27
public let ENOSPC: Int32 = 28
public let EROFS: Int32 = 30
public let EAGAIN: Int32 = 35
public let EWOULDBLOCK: Int32 = 35
public let ENOTSUP: Int32 = 45
public let ELOOP: Int32 = 62
public let ENAMETOOLONG: Int32 = 63
public let ENOTEMPTY: Int32 = 66
public let EDQUOT: Int32 = 69
public let ENOLCK: Int32 = 77
public let ENOSYS: Int32 = 78
public let EOPNOTSUPP: Int32 = 102

// MARK: Files

public var errno: Int32 {
  get { 0 }
  set {}
}

public func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 { -1 }
public func close(_ descriptor: Int32) -> Int32 { -1 }
public func fcntl(_ descriptor: Int32, _ command: Int32) -> Int32 { -1 }
public func fsync(_ descriptor: Int32) -> Int32 { -1 }
public func ftruncate(_ descriptor: Int32, _ size: off_t) -> Int32 { -1 }
public func flock(_ descriptor: Int32, _ operation: Int32) -> Int32 { -1 }
public func fstat(_ descriptor: Int32, _ status: UnsafeMutablePointer<stat>!) -> Int32 { -1 }
public func lstat(_ path: UnsafePointer<CChar>!, _ status: UnsafeMutablePointer<stat>!) -> Int32 { -1 }
public func rename(_ old: UnsafePointer<CChar>!, _ new: UnsafePointer<CChar>!) -> Int32 { -1 }
public func unlink(_ path: UnsafePointer<CChar>!) -> Int32 { -1 }
public func mkdir(_ path: UnsafePointer<CChar>!, _ mode: mode_t) -> Int32 { -1 }
public func rmdir(_ path: UnsafePointer<CChar>!) -> Int32 { -1 }
public func opendir(_ path: UnsafePointer<CChar>!) -> UnsafeMutablePointer<DIR>! { nil }
public func readdir(_ stream: UnsafeMutablePointer<DIR>!) -> UnsafeMutablePointer<dirent>! { nil }
public func closedir(_ stream: UnsafeMutablePointer<DIR>!) -> Int32 { -1 }

public func pread(
  _ descriptor: Int32, _ target: UnsafeMutableRawPointer!, _ count: Int, _ offset: off_t
) -> Int { -1 }

public func pwrite(
  _ descriptor: Int32, _ source: UnsafeRawPointer!, _ count: Int, _ offset: off_t
) -> Int { -1 }

// MARK: Time and threads

public func clock_gettime(_ clock: clockid_t, _ time: UnsafeMutablePointer<timespec>!) -> Int32 { -1 }

public func pthread_create(
  _ thread: UnsafeMutablePointer<pthread_t?>, _ attributes: UnsafePointer<pthread_attr_t>?,
  _ start: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?,
  _ argument: UnsafeMutableRawPointer?
) -> Int32 { -1 }

public func pthread_detach(_ thread: pthread_t) -> Int32 { -1 }

public func pthread_mutex_init(
  _ mutex: UnsafeMutablePointer<pthread_mutex_t>, _ attributes: UnsafePointer<pthread_mutexattr_t>?
) -> Int32 { -1 }

public func pthread_mutex_destroy(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) -> Int32 { -1 }
public func pthread_mutex_lock(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) -> Int32 { -1 }
public func pthread_mutex_unlock(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) -> Int32 { -1 }

public func pthread_cond_init(
  _ condition: UnsafeMutablePointer<pthread_cond_t>, _ attributes: UnsafePointer<pthread_condattr_t>?
) -> Int32 { -1 }

public func pthread_cond_destroy(_ condition: UnsafeMutablePointer<pthread_cond_t>) -> Int32 { -1 }
public func pthread_cond_signal(_ condition: UnsafeMutablePointer<pthread_cond_t>) -> Int32 { -1 }

public func pthread_cond_wait(
  _ condition: UnsafeMutablePointer<pthread_cond_t>, _ mutex: UnsafeMutablePointer<pthread_mutex_t>
) -> Int32 { -1 }

public func pthread_cond_timedwait(
  _ condition: UnsafeMutablePointer<pthread_cond_t>, _ mutex: UnsafeMutablePointer<pthread_mutex_t>,
  _ limit: UnsafePointer<timespec>?
) -> Int32 { -1 }
