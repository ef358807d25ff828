// SPDX-License-Identifier: Apache-2.0

import PageJournalFaults
import Synchronization

/// What an image recovers to.
package struct KnownState: Sendable {
  /// Its fingerprint, and the commit it shows.
  var content: ContentDigest
  var commit: UInt32
  /// How far crashes in its recovery were looked at.
  var reach: Reach
  /// The place in `KnownStates.violations` of what was wrong with it.
  var violation: UInt16?
}

/// How far crashes in the recovery of an image were looked at: how deep, and whether at every image of each moment. A
/// sample is less than all of the same depth.
struct Reach: Comparable, Sendable {
  private var rank: UInt8

  init(depth: Int, isComplete: Bool) {
    rank = depth <= 0 ? 0 : UInt8(clamping: depth * 2 - (isComplete ? 0 : 1))
  }

  /// Of an image that is not worth another look.
  static let most = Reach(depth: 127, isComplete: true)

  /// Whether nothing of its depth is left out.
  var isComplete: Bool { rank.isMultiple(of: 2) }

  static func < (first: Reach, second: Reach) -> Bool { first.rank < second.rank }
}

/// All states that were looked at, shared by the threads that look.
package final class KnownStates: Sendable {
  private final class Shard: Sendable {
    let states = Mutex<[ImageDigest: KnownState]>([:])
    let closed = Mutex<[ImageDigest: ContentDigest]>([:])
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
      if let known = states[digest], known.reach >= state.reach { return }
      states[digest] = state
    }
  }

  /// What the files that a recovery left were found to show, if they were looked at.
  func content(left digest: ImageDigest) -> ContentDigest? {
    shard(digest).closed.withLock { $0[digest] }
  }

  /// These files were looked at and are as they have to be.
  func note(_ content: ContentDigest, left digest: ImageDigest) {
    shard(digest).closed.withLock { $0[digest] = content }
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
