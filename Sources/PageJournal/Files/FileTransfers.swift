// SPDX-License-Identifier: Apache-2.0

extension File {
  /// Writes all bytes, going on after short writes.
  /// - Throws: what `write` throws; then any prefix may have been written.
  func writeAll(_ bytes: Span<UInt8>, at offset: UInt64) throws(StorageError) {
    var done = 0
    while done < bytes.count {
      let taken = try write(bytes.extracting(done..<bytes.count), at: offset + UInt64(done))
      guard taken > 0, taken <= bytes.count - done else {
        throw StorageError(
          .io, "write", cause: "the file system took \(taken) bytes of \(bytes.count - done)")
      }
      done += taken
    }
  }

  /// The whole file, as long as `status` says, or as much of it as there still is.
  /// - Throws: `tooLarge` above `limit` bytes, before anything is allocated.
  func readAll(limit: UInt64, path: String) throws(StorageError) -> [UInt8] {
    let size = try status().size
    guard size <= limit else {
      throw StorageError(
        .tooLarge, "read", cause: "the file has \(size) bytes, the limit is \(limit)", file: path)
    }
    return try read(at: 0, count: Int(size))
  }
}

extension FileSystem {
  /// Reads a whole file.
  /// - Throws: `tooLarge` above `limit` bytes, `notFound`, …
  public func contents(of path: String, limit: UInt64) throws(StorageError) -> [UInt8] {
    let file = try open(path, .read)
    defer { file.close() }
    return try file.readAll(limit: limit, path: path)
  }

  /// The status, or nil when there is no such name.
  public func statusIfAny(of path: String) throws(StorageError) -> FileStatus? {
    do {
      return try status(of: path)
    } catch  where error.code == .notFound {
      return nil
    }
  }

  /// Removes a file's name if it is there.
  public func removeIfAny(_ path: String) throws(StorageError) {
    do {
      try remove(path)
    } catch  where error.code == .notFound {}
  }

  /// Makes all name operations in a directory durable.
  @discardableResult
  public func synchronizeDirectory(_ path: String) throws(StorageError) -> Durability {
    let directory = try openDirectory(path)
    defer { directory.close() }
    return try directory.synchronize()
  }

  /// Replaces a file as a whole: temporary name, write, synchronise, rename, synchronise the directory.
  /// When it returns, the new content is durable under the name; when it throws, the old or the new one is there,
  /// whole. A failed attempt leaves nothing but the temporary name, which is removed if that works.
  public func replaceFile(in directory: String, name: String, with bytes: Span<UInt8>) throws(StorageError) {
    let temporary = "\(directory)/\(name).tmp"
    try removeIfAny(temporary)
    do {
      let file = try open(temporary, .createNew)
      defer { file.close() }
      try file.writeAll(bytes, at: 0)
      _ = try file.synchronize()
    } catch {
      try? remove(temporary)
      throw error
    }
    try rename(temporary, to: "\(directory)/\(name)")
    try synchronizeDirectory(directory)
  }
}
