// SPDX-License-Identifier: Apache-2.0

/// The place of a name: a directory and what it calls it.
struct NameSlot: Hashable, Sendable {
  var directory: UInt64
  var name: String
}

/// A name operation that no directory sync has settled yet. It survives a power cut whole or not at all.
struct PendingName: Sendable {
  /// The number of the event that made it.
  var sequence: UInt64
  /// What each slot it touches holds afterwards: one, or two for a rename.
  var effects: [(slot: NameSlot, inode: UInt64?)]
  /// The directories that have to be synchronised until it is settled.
  var unsynchronised: [UInt64]
  /// The file that a rename put in another file's place.
  var replacement: UInt64?
}

/// What a directory holds.
struct DirectoryBody: Sendable {
  /// The names every power cut leaves, if no operation is pending.
  var durable = NameTable()
  /// The names as they are now.
  var current = NameTable()
  /// 1, or 0 when it was removed.
  var links: UInt64 = 1

  /// All that is certain is there, and nothing else.
  mutating func settleAll() { current = durable }
}
