// SPDX-License-Identifier: Apache-2.0

/// What differs between systems stands in one room, and error numbers in it.
enum PlatformRoom {
  static let path = "Sources/PageJournal/Files/Platform/"

  static func isInside(_ file: String) -> Bool { file.hasPrefix(path) }

  private static let conditions: Set<Substring> = ["os", "canImport", "arch", "targetEnvironment"]

  /// Foundation is one module on Apple systems and several elsewhere.
  private static let harmless: Set<Substring> = ["#if canImport(FoundationXML)"]

  /// Conditional compilation outside of the room.
  static func conditionFindings(_ files: [SourceFile]) -> [Finding] {
    files.filter { !isInside($0.path) }.flatMap { file in
      file.code.enumerated().compactMap { index, line in
        let text = line.drop { $0 == " " }
        guard !harmless.contains(text), text.hasPrefix("#if") || text.hasPrefix("#elseif"),
          text.identifiers.contains(where: { conditions.contains($0) })
        else { return nil }
        return Finding(path: file.path, line: index + 1, what: "\(text) outside of \(path)")
      }
    }
  }

  /// Where error numbers may be named, and why: they become codes of ours in the first; the others go on after EINTR
  /// and tell a refused lock or flush from a failed one.
  static let errorNumberFiles: Set<String> = [
    path + "Errno.swift", path + "PosixFile.swift", path + "PosixFileSystem.swift",
    path + "WorkerThread.swift",
  ]

  private static let errorNumbers: Set<Substring> = [
    "errno", "EPERM", "ENOENT", "EINTR", "EIO", "EBADF", "EAGAIN", "ENOMEM", "EACCES", "EBUSY", "EEXIST",
    "EXDEV", "ENODEV", "ENOTDIR", "EISDIR", "EINVAL", "ENFILE", "EMFILE", "ENOTTY", "EFBIG", "ENOSPC",
    "ESPIPE", "EROFS", "EMLINK", "EPIPE", "EDEADLK", "ENAMETOOLONG", "ENOLCK", "ENOSYS", "ENOTEMPTY",
    "ELOOP", "EWOULDBLOCK", "EOVERFLOW", "ENOTSUP", "EOPNOTSUPP", "ETIMEDOUT", "EALREADY", "EINPROGRESS",
    "ESTALE", "EDQUOT", "ECANCELED",
  ]

  /// Error numbers outside of their files.
  static func errorNumberFindings(_ files: [SourceFile]) -> [Finding] {
    files.filter { !errorNumberFiles.contains($0.path) }.flatMap { file in
      file.words.filter { errorNumbers.contains($0.word) }.map {
        Finding(path: file.path, line: $0.line, what: "\($0.word) outside of \(path)")
      }
    }
  }
}
