// SPDX-License-Identifier: Apache-2.0

import LNote
import PageExplorer
import PageJournal
import PageJournalFaults

/// A state that a crash may leave, with what it has to agree with.
package struct DocumentState: Hashable, Sendable {
  package var image: Image
  package var expected: Expectation
}

/// Power cuts at every synchronisation of short workloads on a whole package.
package enum DocumentWalk {
  /// All sequences of so many steps.
  package static func sequences(_ count: Int) -> [[CrashWorkload.Step]] {
    guard count > 0 else { return [[]] }
    return sequences(count - 1).flatMap { head in CrashWorkload.Step.allCases.map { head + [$0] } }
  }

  /// The images at each synchronisation in a step, and at its end.
  /// - Parameter limit: Images at one synchronisation; nil for all.
  package static func moments(
    of step: CrashWorkload.Step, _ workload: CrashWorkload, limit: Int?
  ) throws -> [DocumentState] {
    let collected = Locked<[DocumentState]>([])
    let current = workload.current
    workload.system.observeSyncs { system, _ in
      let expected = current()
      let images = system.crashImages(limit: limit).map { DocumentState(image: $0, expected: expected) }
      collected.with { $0 += images }
    }
    try workload.run(step)
    workload.system.observeSyncs(nil)
    let expected = workload.expectation
    collected.with { states in
      states += workload.system.crashImages(limit: limit).map {
        DocumentState(image: $0, expected: expected)
      }
    }
    return collected.value
  }

  /// What a process that is killed at a synchronisation of the last step leaves is opened by another; a power cut then.
  /// - Returns: how many images were looked at, and what the first one that is wrong shows.
  package static func kills(
    _ steps: [CrashWorkload.Step], limit: Int
  ) throws -> (images: Int, finding: (violation: Violation, image: Image)?) {
    let workload = try CrashWorkload()
    for step in steps.dropLast() { try workload.run(step) }
    let killed = Locked<[(SimulatedFileSystem, Expectation)]>([])
    let current = workload.current
    workload.system.observeSyncs { system, _ in
      let after = system.afterKill()
      let expected = current()
      killed.with { $0.append((after, expected)) }
    }
    if let last = steps.last { try workload.run(last) }
    workload.system.observeSyncs(nil)
    var images = 0
    for (system, expected) in killed.value {
      let bench = Bench(system, seed: 55)
      let document = try bench.open()
      defer { document.abandon() }
      let list = document.pages.map(\.id)
      let counts = try list.map { try document.page($0).view?.count }
      guard expected.lists.contains(where: { $0.count == list.count }) else {
        return (images, (Violation(8, "after a kill: \(list)"), system.durableImage()))
      }
      let narrowed = Expectation(
        lists: [list],
        pages: Dictionary(uniqueKeysWithValues: zip(list, counts)).mapValues { count in
          .init(durable: count ?? -1, issued: count ?? -1)
        })
      for image in system.crashImages(limit: limit) {
        images += 1
        var check = CrashCheck(narrowed, workload)
        check.check(image, spoilsCache: false, innerImages: 0)
        if let first = check.violations.first {
          // Whatever is missing was shown before.
          return (images, (Violation(3, "shown after a kill, then: \(first.text)"), image))
        }
      }
    }
    return (images, nil)
  }
}
