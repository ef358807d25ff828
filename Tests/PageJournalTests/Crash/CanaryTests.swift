// SPDX-License-Identifier: Apache-2.0

import PageExplorer
import PageJournal
import PageJournalFaults
import Testing

/// The explorers are shown file systems with a bug. One that finds nothing there would find nothing anywhere.
/// `crash-fuzz mutants` does the same with many more bugs, those inside of the engine among them.
@Suite struct CanaryTests {
  private func firstViolation(_ start: String, _ steps: [CrashStep]) throws -> Violation? {
    let checker = CrashChecker(KnownStates(), limits: [200, 20])
    do {
      for length in 0...steps.count {
        let start = try #require(CrashStart.named(start))
        try CrashWalk.look(start, Array(steps.prefix(length)), checker, depth: 1)
      }
      return nil
    } catch let found as Violation {
      return found
    }
  }

  @Test(
    arguments: [
      ("level-0", [.commit(.append)], SkippedFileSync(".content.tmp"), 5),
      ("level-0", [.commit(.append)], EarlyRename(".content.tmp"), 5),
      ("long-journal", [.commit(.append), .sync], LateSync(), 1),
      ("merge-pending", [.step], EarlyUnlink(), 2),
    ] as [(String, [CrashStep], FileSystemBug, Int)])
  func aBugOfTheFileSystemIsFound(
    _ start: String, _ steps: [CrashStep], _ bug: FileSystemBug, _ invariant: Int
  ) throws {
    #expect(try firstViolation(start, steps) == nil)
    let found = try Interposition.with(bug) { try firstViolation(start, steps) }
    #expect(found?.invariant == invariant, "\(found?.description ?? "nothing was found")")
  }
}
