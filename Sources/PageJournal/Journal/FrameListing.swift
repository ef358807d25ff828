// SPDX-License-Identifier: Apache-2.0

/// A page's file taken apart, for tools: header, frames, what ends them, whole frames behind damage.
public struct FrameListing: Sendable {
  /// What the file says it is.
  public enum Kind: String, Sendable {
    /// A snapshot.
    case snapshot
    /// A journal.
    case journal
    /// A file whose header is damaged, too short or of something else.
    case unknown
  }

  /// Snapshot, journal or neither.
  public let kind: Kind
  /// A sentence about the header.
  public let header: String
  /// Where frames begin.
  public let start: Int
  /// The valid frames from the start.
  public let frames: [Frame]
  /// What stands behind them.
  public let stop: FrameScanner.Stop
  /// Where that is.
  public let stopOffset: Int
  /// Proved frames behind a bad place.
  public let behind: [FrameSearch.Run]
  /// Whether the search behind it ended early.
  public let searchGaveUp: Bool

  /// Takes a file's bytes apart. One pass; the search behind damage is bounded by a constant times the size.
  public init(_ bytes: [UInt8]) {
    var chain = FrameChain(seed: 0)
    var begin = 0
    if case .valid(let length) = HeaderEnvelope(
      bytes, magic: JournalHeader.magic, minimum: JournalHeader.size),
      let found = JournalHeader(bytes)
    {
      kind = .journal
      header =
        "journal of page \(found.page), generation \(found.generation), from commit \(found.commit), "
        + "seed \(found.seed)"
      chain = FrameChain(seed: found.seed)
      begin = length
    } else if case .valid(let length) = HeaderEnvelope(
      bytes, magic: SnapshotHeader.magic, minimum: SnapshotHeader.size), let found = SnapshotHeader(bytes)
    {
      kind = .snapshot
      header = "snapshot of page \(found.page), seed \(found.seed)"
      chain = FrameChain(seed: found.seed)
      begin = length
    } else {
      kind = .unknown
      header = Self.unknownHeader(bytes)
      start = 0
      frames = []
      stop = bytes.isEmpty ? .end : isZero(bytes, from: 0) ? .zeros : .bad
      stopOffset = 0
      let isJournal = bytes.count >= JournalHeader.size && Array(bytes[0..<4]) == JournalHeader.magic
      let search =
        isJournal
        ? FrameSearch(bytes, behindHeader: JournalHeader.size, storedSeed: bytes.littleEndian32(at: 8)) : nil
      behind = search?.runs ?? []
      searchGaveUp = search?.gaveUp ?? false
      return
    }
    start = begin
    var scanner = FrameScanner(bytes, from: begin, chain: chain)
    var found: [Frame] = []
    while let frame = scanner.next() { found.append(frame) }
    frames = found
    stop = scanner.stop()
    stopOffset = scanner.offset
    let search = stop == .bad ? FrameSearch(bytes, behind: scanner.offset, chain: scanner.chain) : nil
    behind = search?.runs ?? []
    searchGaveUp = search?.gaveUp ?? false
  }

  private static func unknownHeader(_ bytes: [UInt8]) -> String {
    if bytes.isEmpty { return "an empty file" }
    if isZero(bytes, from: 0) { return "zeros only: space prepared for a journal" }
    for magic in [JournalHeader.magic, SnapshotHeader.magic] {
      if case .newer(let major) = HeaderEnvelope(bytes, magic: magic, minimum: 12) {
        return "a file of version \(major), which is newer than this program"
      }
    }
    return "no header of a page's file, or a damaged one"
  }
}
