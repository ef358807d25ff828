// SPDX-License-Identifier: Apache-2.0

import PageJournalFaults
import Synchronization

/// What an image recovers to.
package struct KnownState: Sendable {
  /// Its fingerprint, and the commit it shows.
  var content: ContentDigest
  var commit: UInt32
  /// How deep crashes in its recovery were looked at; 0 when they were not.
  var depth: UInt8
  /// The place in `KnownStates.violations` of what was wrong with it.
  var violation: UInt16?
}

/// All states that were looked at, shared by the threads that look.
package final class KnownStates: Sendable {
  private final class Shard: Sendable {
    let states = Mutex<[ImageDigest: KnownState]>([:])
    let closed = Mutex<Set<ImageDigest>>([])
  }

  private let shards = (0..<64).map { _ in Shard() }
  private let found = Mutex<[Violation]>([])

  package init() {}

  private func shard(_ digest: ImageDigest) -> Shard { shards[digest.shard & 63] }

  func state(of digest: ImageDigest) -> KnownState? {
    shard(digest).states.withLock { $0[digest] }
  }

  func note(_ state: KnownState, of digest: ImageDigest) {
    shard(digest).states.withLock { states in
      if let known = states[digest], known.depth >= state.depth { return }
      states[digest] = state
    }
  }

  /// Whether nobody asked for this one before.
  func isNew(recovered digest: ImageDigest) -> Bool {
    shard(digest).closed.withLock { $0.insert(digest).inserted }
  }

  func note(_ violation: Violation) -> UInt16 {
    found.withLock { found in
      if found.count < 1000 { found.append(violation) }
      return UInt16(found.count - 1)
    }
  }

  func violation(_ number: UInt16) -> Violation { found.withLock { $0[Int(number)] } }

  /// Different images that were opened.
  package var count: Int { shards.reduce(0) { sum, shard in sum + shard.states.withLock { $0.count } } }

  /// Different files that recoveries left, each looked at once more.
  package var recoveredCount: Int {
    shards.reduce(0) { sum, shard in sum + shard.closed.withLock { $0.count } }
  }
}
