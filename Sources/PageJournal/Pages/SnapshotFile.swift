// SPDX-License-Identifier: Apache-2.0

/// The snapshot of a page that is open for writing.
struct SnapshotFile: Sendable {
  private(set) var file: any File
  private(set) var end: SnapshotEnd
  private(set) var length: UInt64
  private(set) var placedBytes: Int
  private(set) var ends: Int
  private var status: FileStatus
  private var header: SnapshotHeader
  private var chain: FrameChain
  /// False after an extension failed: the file takes no more bytes.
  private(set) var mayExtend: Bool

  /// An existing snapshot that a recovery found usable. `mayExtend` is false where its tail is not its end.
  init(_ file: any File, _ reading: SnapshotReading, _ header: SnapshotHeader, _ end: SnapshotEnd)
    throws(StorageError)
  {
    self.file = file
    self.end = end
    self.header = header
    length = UInt64(reading.length)
    placedBytes = reading.placedBytes
    ends = reading.ends
    chain = reading.chain
    status = try file.status()
    mayExtend = reading.condition == .complete
    #if Mutants
      if Mutant.isOn(.tornExtensionIsExtended) { (mayExtend, length) = (true, status.size) }
    #endif
  }

  /// What decides between an extension and a rewrite.
  struct Fill: Sendable {
    var mayExtend: Bool
    var length: UInt64
    var placedBytes: Int
    var ends: Int

    /// Whether adding a change is better than writing the page anew: when half of what the file holds would be
    /// dead, or most of it is `end` frames of tiny sessions, it is not.
    func shouldExtend(_ change: SnapshotChange, liveBytes: Int) -> Bool {
      guard mayExtend else { return false }
      let placed = placedBytes + change.placedBytes
      if placed > 2 * liveBytes + (64 << 10) { return false }
      return UInt64(ends) * 128 <= length / 2 + (16 << 10)
    }
  }

  var fill: Fill { Fill(mayExtend: mayExtend, length: length, placedBytes: placedBytes, ends: ends) }

  /// Adds a change and a new `end` behind the old one, synchronised and read back. Nothing valid is
  /// overwritten; when it throws, the file takes no more bytes and the old `end` is what counts.
  mutating func extend(
    _ change: SnapshotChange, to next: SnapshotEnd, _ context: StoreContext
  ) throws(StorageError) {
    guard mayExtend else {
      throw StorageError(.internal, "extend the snapshot", cause: "an earlier extension failed")
    }
    mayExtend = false
    let path = context.path(of: .snapshot(header.page))
    let found = try context.fileSystem.status(of: path)
    guard found.device == status.device, found.inode == status.inode, found.size == length, found.links == 1
    else {
      throw StorageError(
        .damaged, "extend the snapshot",
        cause: "it is not the file that was opened: it was replaced, linked or changed",
        file: path)
    }
    let (frames, behind) = SnapshotWriter.frames(
      change, end: next, chain: chain, deflate: context.options.deflates)
    try file.writeAll(frames.bytes.span, at: length)
    _ = try file.synchronize()
    try Self.verify(file, frames.bytes, at: length, path)
    end = next
    chain = behind
    length += UInt64(frames.bytes.count)
    placedBytes += change.placedBytes
    ends += 1
    status = try file.status()
    mayExtend = true
  }

  /// Writes a whole page under a temporary name, synchronised and read back, and renames it over the old one.
  /// When it returns, the new snapshot is durable under its name. A throw before the rename leaves the old
  /// file as it was; a failed directory synchronisation after it makes the directory read-only.
  static func rewrite(
    _ page: PageID, _ content: SnapshotChange, end: SnapshotEnd, _ context: StoreContext
  ) throws(StorageError) -> SnapshotFile {
    let temporary = context.path(of: .temporary(page))
    let header = SnapshotHeader(seed: context.random32(), page: page)
    let (frames, chain) = SnapshotWriter.frames(
      content, end: end, chain: FrameChain(seed: header.seed), deflate: context.options.deflates,
      header: header)
    try context.fileSystem.removeIfAny(temporary)
    let file = try context.fileSystem.open(temporary, .createNew)
    let status: FileStatus
    do {
      try file.writeAll(frames.bytes.span, at: 0)
      _ = try file.synchronize()
      try verify(file, frames.bytes, at: 0, temporary)
      status = try file.status()
      try context.fileSystem.rename(temporary, to: context.path(of: .snapshot(page)))
    } catch {
      file.close()
      // A name that stays is removed by the next open; the failure to report is the first one.
      try? context.fileSystem.remove(temporary)
      throw error
    }
    do {
      try context.synchronizeNames()
    } catch {
      file.close()
      throw error
    }
    return SnapshotFile(
      file: file, end: end, length: UInt64(frames.bytes.count), placedBytes: content.placedBytes, ends: 1,
      status: status, header: header, chain: chain, mayExtend: true)
  }

  private init(
    file: any File, end: SnapshotEnd, length: UInt64, placedBytes: Int, ends: Int, status: FileStatus,
    header: SnapshotHeader, chain: FrameChain, mayExtend: Bool
  ) {
    self.file = file
    self.end = end
    self.length = length
    self.placedBytes = placedBytes
    self.ends = ends
    self.status = status
    self.header = header
    self.chain = chain
    self.mayExtend = mayExtend
  }

  private static func verify(
    _ file: any File, _ bytes: [UInt8], at offset: UInt64, _ path: String
  ) throws(StorageError) {
    #if Mutants
      if Mutant.isOn(.extensionIsNotVerified) { return }
    #endif
    let found = try file.read(at: offset, count: bytes.count + 1)
    guard found == bytes else {
      throw StorageError(
        .damaged, "verify what was written", cause: "reading it back gave other bytes",
        advice: "the medium is failing: copy the document elsewhere", file: path, offset: offset)
    }
  }

  // MARK: Suspension

  /// What has to be unchanged for the page in memory to go on after a suspension.
  struct Identity: Sendable, Equatable {
    var end: SnapshotEnd
    var length: UInt64
    var crc: UInt32
  }

  var identity: Identity { Identity(end: end, length: length, crc: chain.last) }

  /// Opens the file of a suspended page again; nil when it is not what was left.
  static func reopened(_ page: PageID, as identity: Identity, _ context: StoreContext) throws(StorageError)
    -> SnapshotFile?
  {
    let path = context.path(of: .snapshot(page))
    let file = try context.fileSystem.open(path, .readWrite)
    do {
      let bytes = try file.readAll(limit: PageLimits.file, path: path)
      let reading = SnapshotReading(bytes)
      if reading.condition == .complete, let header = reading.header, let end = reading.end {
        let found = try SnapshotFile(file, reading, header, end)
        if found.identity == identity { return found }
      }
    } catch {
      file.close()
      throw error
    }
    file.close()
    return nil
  }
}
