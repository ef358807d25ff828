// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults
import Synchronization

/// Keeps compactions until a test says which step runs, and when. Its clock moves only with the steps.
package final class ManualExecutor: CompactionExecutor {
  private struct Item: Sendable {
    var due: Duration
    var order: Int
    var work: @Sendable () -> Void
  }

  private struct Queue: Sendable {
    var items: [Item] = []
    var order = 0
    var now = Duration.zero
  }

  private let queue = Mutex(Queue())

  package init() {}

  package func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
    queue.withLock { queue in
      queue.order += 1
      queue.items.append(Item(due: queue.now + delay, order: queue.order, work: work))
    }
  }

  /// Runs the piece of work that is due first; false when there is none.
  @discardableResult
  package func step() -> Bool {
    let item = queue.withLock { queue -> Item? in
      guard let first = queue.items.min(by: { ($0.due, $0.order) < ($1.due, $1.order) }) else { return nil }
      queue.items.removeAll { $0.order == first.order }
      queue.now = max(queue.now, first.due)
      return first
    }
    item?.work()
    return item != nil
  }

  /// Runs steps until none is left; false when they do not come to an end.
  @discardableResult
  package func finish(atMost limit: Int = 64) -> Bool {
    for _ in 0..<limit where !step() { return true }
    return count == 0
  }

  package var count: Int { queue.withLock { $0.items.count } }

  /// The process ended: nothing that was planned happens.
  package func dropAll() { queue.withLock { $0.items = [] } }

  package var nanoseconds: UInt64 {
    let (seconds, attoseconds) = queue.withLock { $0.now }.components
    return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
  }
}

extension Environment {
  /// The same run for the same seed.
  package static func seeded(
    _ seed: UInt64, _ fileSystem: any FileSystem, _ executor: ManualExecutor
  ) -> Environment {
    let random = SharedRandom(seed)
    return Environment(
      fileSystem: Interposition.wrapped(fileSystem), random: { random.next() },
      clock: { executor.nanoseconds }, executor: executor)
  }
}

private final class SharedRandom: Sendable {
  private let generator: Mutex<SplitMix64>

  init(_ seed: UInt64) { generator = Mutex(SplitMix64(seed: seed)) }

  func next() -> UInt64 { generator.withLock { $0.next() } }
}
