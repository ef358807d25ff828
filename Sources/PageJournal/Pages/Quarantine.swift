// SPDX-License-Identifier: Apache-2.0

/// Bytes that a recovery set aside, in a file of their own: the bytes as they were, then a trailer that says what
/// they are (SPEC.md §8).
enum Quarantine {
  /// "PJqr".
  private static let magic: [UInt8] = [0x50, 0x4A, 0x71, 0x72]
  static let trailerSize = 16

  /// The content of the file.
  static func content(_ bytes: [UInt8], verdict: Verdict) -> [UInt8] {
    var content = bytes
    content.append(contentsOf: magic)
    content.append(isPassing(verdict) ? 1 : 2)
    content.append(contentsOf: [0, 0, 0])
    content.appendLittleEndian(UInt32(truncatingIfNeeded: bytes.count))
    content.appendLittleEndian(Checksum.crc32(content.span))
    return content
  }

  /// Whether what was set aside under a verdict goes with the clean close of a later session.
  private static func isPassing(_ verdict: Verdict) -> Bool {
    verdict == .tornTail || verdict == .unsyncedTail || verdict == .leftOpen
  }

  /// Whether a quarantine file says of itself that it may go.
  static func isPassing(_ content: [UInt8]) -> Bool {
    let start = content.count - trailerSize
    guard start >= 0, Array(content[start..<(start + 4)]) == magic,
      Checksum.crc32(content.span.extracting(0..<(content.count - 4)))
        == content.littleEndian32(at: content.count - 4)
    else { return false }
    return content[start + 4] == 1
  }

  /// Writes everything that a recovery sets aside, durable with its names; equal files are left as they are.
  /// - Returns: the names.
  static func write(_ recovery: Recovery, _ page: PageID, _ context: StoreContext) throws(StorageError)
    -> [String]
  {
    var names: [String] = []
    for aside in recovery.aside {
      let content = content(aside.bytes, verdict: recovery.report.verdict)
      names.append(try write(content, page, aside, context))
    }
    if !names.isEmpty { try context.synchronizeNames() }
    return names
  }

  private static func write(
    _ content: [UInt8], _ page: PageID, _ aside: Recovery.Aside, _ context: StoreContext
  ) throws(StorageError) -> String {
    // The same place can have been set aside before with other bytes: the next free offset names this one.
    var offset = UInt64(aside.offset)
    while true {
      let name = PageFileName.quarantine(page, generation: aside.generation, offset: offset)
      let path = context.path(of: name)
      guard try context.fileSystem.statusIfAny(of: path) != nil else {
        try create(content, path, page, context)
        return name.text
      }
      if try isEqual(content, path, context) { return name.text }
      offset &+= 1
    }
  }

  /// Whole under its name or not there at all: what a crash would leave of a half written one nobody could tell
  /// from something worth keeping.
  private static func create(
    _ content: [UInt8], _ path: String, _ page: PageID, _ context: StoreContext
  ) throws(StorageError) {
    let temporary = context.path(of: .temporary(page))
    try context.fileSystem.removeIfAny(temporary)
    do {
      let file = try context.fileSystem.open(temporary, .createNew)
      defer { file.close() }
      try file.writeAll(content.span, at: 0)
      _ = try file.synchronize()
      try context.fileSystem.rename(temporary, to: path)
    } catch {
      try? context.fileSystem.remove(temporary)
      throw error
    }
  }

  private static func isEqual(
    _ content: [UInt8], _ path: String, _ context: StoreContext
  ) throws(StorageError) -> Bool {
    let file = try context.fileSystem.open(path, .readWrite)
    defer { file.close() }
    guard try file.readAll(limit: PageLimits.file, path: path) == content else { return false }
    // It was only read: whoever wrote it may not have made it durable.
    _ = try file.synchronize()
    return true
  }
}
