// SPDX-License-Identifier: Apache-2.0

/// A journal whose effect a snapshot holds.
public struct AbsorbedJournal: Sendable, Equatable {
  /// Its generation.
  public var generation: UInt64
  /// The seed in its header: with the generation its identity.
  public var seed: UInt32
  /// Where its last valid frame ended.
  public var length: UInt64
  /// The crc of its last valid frame.
  public var crc: UInt32
}

/// The payload of an `end` frame: what the snapshot up to here is.
public struct SnapshotEnd: Sendable, Equatable {
  /// All journals below this generation are in the snapshot.
  public var generation: UInt64
  /// What the journal of this generation has to carry.
  public var nonce: UInt64
  /// Commits since the page was made.
  public var commit: UInt64
  /// The id that the next new element gets.
  public var nextID: UInt64
  /// Elements on the page.
  public var count: UInt64
  /// Journals that may still stand beside the snapshot and are in it.
  public var absorbed: [AbsorbedJournal]

  func encode(into bytes: inout [UInt8]) {
    for value in [generation, nonce, commit, nextID, count] { bytes.appendLittleEndian(value) }
    bytes.appendVarint(UInt64(absorbed.count))
    for journal in absorbed {
      bytes.appendLittleEndian(journal.generation)
      bytes.appendLittleEndian(journal.seed)
      bytes.appendLittleEndian(journal.length)
      bytes.appendLittleEndian(journal.crc)
    }
  }

  init(
    generation: UInt64, nonce: UInt64, commit: UInt64, nextID: UInt64, count: UInt64,
    absorbed: [AbsorbedJournal]
  ) {
    self.generation = generation
    self.nonce = nonce
    self.commit = commit
    self.nextID = nextID
    self.count = count
    self.absorbed = absorbed
  }

  init?(_ bytes: [UInt8], _ payload: Range<Int>) {
    var reader = ByteReader(bytes, payload)
    guard let generation = reader.uint64(), let nonce = reader.uint64(), let commit = reader.uint64(),
      let nextID = reader.uint64(), let count = reader.uint64(),
      // More than a page that stays within its limits can reach.
      max(generation, commit, nextID) < 4 * PageLimits.counter,
      let journals = reader.count(atMost: reader.remaining / 24)
    else { return nil }
    var absorbed: [AbsorbedJournal] = []
    for _ in 0..<journals {
      guard let generation = reader.uint64(), let seed = reader.uint32(), let length = reader.uint64(),
        let crc = reader.uint32()
      else { return nil }
      absorbed.append(AbsorbedJournal(generation: generation, seed: seed, length: length, crc: crc))
    }
    self.init(
      generation: generation, nonce: nonce, commit: commit, nextID: nextID, count: count, absorbed: absorbed)
  }
}
