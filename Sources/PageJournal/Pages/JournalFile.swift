// SPDX-License-Identifier: Apache-2.0

/// A journal that is being written, or was and waits for its merge.
struct JournalFile: Sendable {
  let file: any File
  let header: JournalHeader
  /// Bytes of good frames, header included.
  private(set) var length: UInt64
  private(set) var chain: FrameChain
  /// Whether all of `length` is durable.
  var isSynced = false {
    didSet { if isSynced { wasSynced = true } }
  }
  /// Whether header and first frames are durable.
  private(set) var wasSynced = false
  /// Whether the name is durable.
  var isNameSynced: Bool
  /// False after a write or a synchronisation failed in a way that leaves the file's content unknown.
  private(set) var takesBytes = true

  var name: PageFileName { .journal(header.page, generation: header.generation) }

  var absorbed: AbsorbedJournal {
    AbsorbedJournal(generation: header.generation, seed: header.seed, length: length, crc: chain.last)
  }

  /// An empty file that will be a journal with its first write.
  init(_ file: any File, _ header: JournalHeader, isNameSynced: Bool) {
    self.file = file
    self.header = header
    self.isNameSynced = isNameSynced
    length = 0
    chain = FrameChain(seed: header.seed)
  }

  /// Seals the frames and hands them over in one call, the header before the first ones.
  ///
  /// When it throws, the file was cut back to its last good frame; where even that failed, or the failure was
  /// not one of space, `takesBytes` is false.
  mutating func write(_ frames: inout FrameBuffer, markFirst: Bool) throws(StorageError) {
    var start = 0
    if length == 0 {
      var whole = FrameBuffer()
      whole.reserve(JournalHeader.size + frames.bytes.count)
      whole.appendHeader(header.encoded)
      whole.append(frames)
      start = JournalHeader.size
      let sealed = whole.seal(chain, from: start, markFirst: markFirst)
      try hand(over: whole.bytes.span)
      chain = sealed
    } else {
      let sealed = frames.seal(chain, markFirst: markFirst)
      try hand(over: frames.bytes.span)
      chain = sealed
    }
    isSynced = false
  }

  private mutating func hand(over bytes: Span<UInt8>) throws(StorageError) {
    do {
      try file.writeAll(bytes, at: length)
      length += UInt64(bytes.count)
    } catch {
      // Also the cut below has to become durable.
      isSynced = false
      #if Mutants
        if Mutant.isOn(.failedWriteIsNotCut) {
          length = (try? file.status().size) ?? length
          throw error
        }
      #endif
      if error.code != .noSpace { takesBytes = false }
      do {
        try file.truncate(to: length)
      } catch {
        takesBytes = false
      }
      throw error
    }
  }

  /// Marks the file as one that must not be written any more: its synchronisation failed.
  mutating func poison() { takesBytes = false }
}
