// SPDX-License-Identifier: Apache-2.0

import PageJournal

/// A file that is written under a temporary name and gets its own when it is whole.
final class OutputFile {
  private let path: String
  private let temporary: String
  private let file: any File
  private var length: UInt64 = 0
  private var buffer: [UInt8] = []

  init(_ path: String) throws(Failure) {
    self.path = path
    temporary = "\(path).\(Environment().newPageID()).part"
    let fileSystem = PosixFileSystem()
    do throws(StorageError) {
      if let status = try fileSystem.statusIfAny(of: path), status.kind != .file {
        throw StorageError(
          .alreadyExists, "write the output", cause: "the name is taken by something that is no file",
          file: path)
      }
      file = try fileSystem.open(temporary, .createNew)
    } catch {
      throw Failure.creating(error, path)
    }
  }

  func write(_ bytes: [UInt8]) throws(Failure) {
    buffer.append(contentsOf: bytes)
    if buffer.count >= 1 << 18 { try drain() }
  }

  private func drain() throws(Failure) {
    var rest = buffer
    while !rest.isEmpty {
      let taken: Int
      do throws(StorageError) {
        taken = try file.write(rest.span, at: length)
      } catch {
        throw Failure.creating(error, path)
      }
      length += UInt64(taken)
      rest.removeFirst(taken)
    }
    buffer.removeAll(keepingCapacity: true)
  }

  func finish() throws(Failure) {
    try drain()
    do throws(StorageError) {
      _ = try file.synchronize()
      file.close()
      try PosixFileSystem().rename(temporary, to: path)
    } catch {
      throw Failure.creating(error, path)
    }
  }

  func abandon() {
    file.close()
    try? PosixFileSystem().remove(temporary)
  }
}
