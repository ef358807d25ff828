// SPDX-License-Identifier: Apache-2.0

/// A journal file as it was found, before anything of it is applied.
struct JournalReading: Sendable {
  enum Header: Sendable, Equatable {
    /// No commits: empty, zeros, or shorter than a header.
    case absent
    case valid(JournalHeader)
    case newer
    case damaged
  }

  /// Why the reading ended.
  enum Stop: Sendable, Equatable {
    /// All frames are valid (zeros may follow).
    case clean
    /// Bytes that are not the next frame.
    case bad
    /// A mandatory type that this code does not know.
    case newer
    /// A valid frame that does not decode, or cannot be applied.
    case undecodable
  }

  let bytes: [UInt8]
  let header: Header
  /// Where frames begin.
  private(set) var start = 0
  /// Where the last good frame ends: the place of the stop.
  private(set) var length = 0
  private(set) var chain = FrameChain(seed: 0)
  private(set) var stop = Stop.clean
  private(set) var frames = 0
  private(set) var commits = 0
  /// Whether any valid frame, or one found behind damage, vouches for what came before this journal.
  private(set) var vouchesForEarlier = false
  /// What stands behind the bad place.
  private(set) var search: FrameSearch?

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    switch HeaderEnvelope(bytes, magic: JournalHeader.magic, minimum: JournalHeader.size) {
    case .absent: header = .absent
    case .newer: header = .newer
    case .damaged: header = .damaged
    case .valid(let length):
      start = length
      header = JournalHeader(bytes).map { .valid($0) } ?? .damaged
    }
    switch header {
    case .valid(let valid):
      length = start
      chain = FrameChain(seed: valid.seed)
    case .damaged:
      stop = .bad
      let search = FrameSearch(
        bytes, behindHeader: JournalHeader.size, storedSeed: bytes.littleEndian32(at: 8))
      self.search = search
      vouchesForEarlier = search.isMarked
    case .absent, .newer: break
    }
  }

  /// Whether a mark behind the bad place says that it had been synchronised.
  var badPlaceWasSynced: Bool { search?.isMarked ?? false }

  /// Reads the frames and applies them to a state.
  mutating func replay(onto state: inout PageState) {
    let chunk = state.adopt(bytes)
    read { reading, frame in reading.take(frame, chunk, &state) }
  }

  /// Reads the frames without applying them: for their number and their marks.
  mutating func check() {
    read { reading, frame in
      if frame.type?.isCommit == true { reading.commits += 1 }
    }
  }

  private mutating func read(_ take: (inout JournalReading, Frame) -> Void) {
    guard case .valid(let valid) = header else { return }
    var scanner = FrameScanner(bytes, from: start, chain: FrameChain(seed: valid.seed))
    while let frame = scanner.next() {
      if frame.isMarked { vouchesForEarlier = true }
      if stop == .clean { take(&self, frame) }
      // What is newer is never taken for damage, whatever stands before it.
      if stop == .undecodable, frame.type == nil, !frame.isSkippable { stop = .newer }
      if stop == .clean {
        frames += 1
        length = frame.end
        chain = scanner.chain
      }
    }
    guard stop == .clean, scanner.stop() == .bad else { return }
    stop = .bad
    let found = FrameSearch(bytes, behind: scanner.offset, chain: scanner.chain)
    search = found
    if found.isMarked { vouchesForEarlier = true }
  }

  private mutating func take(_ frame: Frame, _ chunk: Int32, _ state: inout PageState) {
    switch frame.type {
    case .mark: break
    case nil:
      #if Mutants
        if Mutant.isOn(.unknownTypeIsIgnored), !frame.isSkippable { return }
      #endif
      guard frame.isSkippable else {
        stop = .newer
        return
      }
      state.keep(
        .init(
          typeByte: frame.typeByte & ~FrameLayout.syncedMark,
          payload: [UInt8](copying: bytes.span.extracting(frame.payload))))
    case .some(let type) where type.isCommit:
      guard let edits = EditCodec.decodeCommit(frame, bytes, chunk: chunk),
        EditCheck.failure(edits, state) == nil
      else {
        stop = .undecodable
        return
      }
      _ = state.apply(edits)
      commits += 1
    default: stop = .undecodable
    }
  }
}
