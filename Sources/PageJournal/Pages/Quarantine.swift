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
      do throws(StorageError) {
        let file = try context.fileSystem.open(path, .createNew)
        defer { file.close() }
        do throws(StorageError) {
          try file.writeAll(content.span, at: 0)
          _ = try file.synchronize()
        } catch {
          try? context.fileSystem.remove(path)
          throw error
        }
        return name.text
      } catch  where error.code == .alreadyExists {
        let file = try context.fileSystem.open(path, .readWrite)
        defer { file.close() }
        if try file.readAll(limit: PageLimits.file, path: path) == content {
          // It was only read: a kill may have come before its synchronisation.
          _ = try file.synchronize()
          return name.text
        }
        offset += 1
      }
    }
  }
}
