// SPDX-License-Identifier: Apache-2.0

import Foundation
import PageJournal
import PageJournalFaults
import Testing

/// Where an enumeration starts, and with which options.
struct CrashStart: Sendable, CustomTestStringConvertible {
  var name: String
  var threshold = 1 << 20
  var rewrites = false
  var prefix: [CrashStep] = []
  /// Images looked at for each moment, in a default run.
  var limit = 80
  /// How deep crashes in recoveries are nested, by the length of the sequence.
  var depths = [2, 2, 1, 0]
  /// The length of the sequences in a default run, and in a full one.
  var length = 2
  var fullLength = 3

  var testDescription: String { name }

  var options: StoreOptions {
    var options = StoreOptions()
    options.compactionThreshold = threshold
    options.rewritesAtEverySave = rewrites
    return options
  }

  static let all: [CrashStart] = [
    CrashStart(name: "closed page", length: 3, fullLength: 4),
    CrashStart(name: "level 0", rewrites: true, length: 2, fullLength: 3),
    CrashStart(
      name: "rotated, merge pending", threshold: 1, prefix: [.commit(.append), .sync, .commit(.append)],
      limit: 60, depths: [2, 1, 0]),
    CrashStart(
      name: "rotated, nothing synced", threshold: 1,
      prefix: [.commit(.append), .commit(.insert), .commit(.append)], limit: 16, depths: [2, 1, 0]),
    CrashStart(
      name: "next journal made ahead", threshold: 300, prefix: [.commit(.append), .commit(.batch), .step]),
    CrashStart(name: "killed before", prefix: [.commit(.append), .commit(.replace), .killAndReopen]),
  ]
}

@Suite(.serialized) struct CrashEnumerationTests {
  static let isFull = ProcessInfo.processInfo.environment["PAGEJOURNAL_CRASH"] == "full"

  @Test(arguments: CrashStart.all)
  func everyCrashShowsOneStateBetweenAcknowledgedAndIssued(_ start: CrashStart) throws {
    #expect(CrashRun.base.states.count == 5)
    let length = Self.isFull ? start.fullLength : start.length
    let checker = CrashChecker(limits: Self.isFull ? [4000, 200, 40] : [start.limit, 8, 3])
    var walk = CrashWalk(start: start, checker: checker, isFull: Self.isFull)
    walk.run(upTo: length)
    print(
      "\(start.name): \(walk.sequences) sequences up to \(length); \(checker.summary); seed \(CrashRun.seed)")
    for failure in walk.failures.prefix(3) { Issue.record("\(failure)") }
    #expect(walk.failures.count == 0)
    #expect(checker.distinct > 20)
  }
}

/// All sequences of steps up to a length. A sequence repeats its beginning without looking: that was done when the
/// beginning was a sequence of its own.
private struct CrashWalk {
  let start: CrashStart
  let checker: CrashChecker
  let isFull: Bool
  var sequences = 0
  var failures: [String] = []
  /// Beginnings that failed: nothing is learnt from what follows them.
  private var failed: Set<[CrashStep]> = []

  init(start: CrashStart, checker: CrashChecker, isFull: Bool) {
    self.start = start
    self.checker = checker
    self.isFull = isFull
  }

  mutating func run(upTo length: Int) {
    var level: [[CrashStep]] = [[]]
    visit([])
    for _ in 0..<length {
      level = level.flatMap { steps in CrashStep.all.map { steps + [$0] } }
      level.removeAll { failed.contains(Array($0.dropLast())) }
      for steps in level { visit(steps) }
    }
  }

  private mutating func visit(_ steps: [CrashStep]) {
    sequences += 1
    let depths = isFull ? [2, 2, 2, 1, 1] : start.depths
    let depth = depths[min(steps.count, depths.count - 1)]
    do {
      let run = try CrashRun(start.options)
      defer { run.end() }
      for step in start.prefix + steps.dropLast() { try run.perform(step) }
      let problems = Problems()
      run.onSync = { [checker] run in
        problems.note {
          try checker.check(run.system, from: run.low, to: run.high, of: run.states, depth: depth)
        }
      }
      if let last = steps.last { try run.perform(last) }
      run.onSync = nil
      if let first = problems.first { throw first }
      try checker.check(run.system, from: run.low, to: run.high, of: run.states, depth: depth)
    } catch {
      failed.insert(steps)
      failures.append("\(start.name), \(start.prefix) then \(steps): \(error)")
    }
  }
}

private final class Problems {
  private(set) var first: (any Error)?

  func note(_ body: () throws -> Void) {
    guard first == nil else { return }
    do { try body() } catch { first = error }
  }
}
