// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The only place where error numbers of the operating system become codes of ours.
func storageError(_ number: Int32, _ operation: String, _ path: String, at offset: UInt64? = nil)
  -> StorageError
{
  let code: StorageError.Code
  let cause: String
  var advice = ""
  switch number {
  case ENOENT:
    code = .notFound
    cause = "no such file or directory"
  case EEXIST, ENOTEMPTY:
    code = .alreadyExists
    cause = number == EEXIST ? "the name is taken" : "the directory is not empty"
  case EISDIR, ENOTDIR:
    // A file where a directory should be is not taken for nothing: what is there may be all that is left.
    code = .wrongKind
    cause = number == EISDIR ? "it is a directory" : "a part of the path is not a directory"
  case ELOOP:
    code = .wrongKind
    cause = "it is a symbolic link, which is not followed"
  case EACCES, EPERM:
    code = .accessDenied
    cause = "permission denied"
    advice = "check owner and mode of the file and of its directory"
  case EROFS:
    code = .readOnlyVolume
    cause = "the volume is read-only"
  case ENOSPC, EDQUOT:
    code = .noSpace
    cause = number == ENOSPC ? "no space left on the volume" : "the quota is used up"
    advice = "free some space; edits are kept in memory and written when there is room"
  case EFBIG:
    // Like a full disk: it may pass (a limit of the process), and what is in memory stays writable.
    code = .noSpace
    cause = "the file would be larger than the file system or the process's limit allows"
  case EMFILE, ENFILE:
    code = .tooManyOpenFiles
    cause = "no file descriptor is left"
    advice = "close files or raise the limit"
  case ENAMETOOLONG, EINVAL:
    code = .usage
    cause = number == EINVAL ? "the file system does not accept the call" : "the name is too long"
  case EBADF:
    code = .closed
    cause = "the file is closed"
  default:
    code = .io
    cause = number == EIO ? "input/output error" : "the system call failed"
    advice = "check the medium and the system log"
  }
  return StorageError(
    code, operation, cause: cause, advice: advice, file: path, offset: offset, systemError: number)
}
