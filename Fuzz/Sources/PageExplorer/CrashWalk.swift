// SPDX-License-Identifier: Apache-2.0

import Dispatch
import PageJournal
import PageJournalFaults
import Synchronization

/// How far a walk goes.
package struct CrashScope: Sendable {
  package var profile = CrashProfile.worst
  /// All sequences up to this length.
  package var length: Int
  /// How deep crashes in recoveries are nested, by the length of the sequence.
  package var depths: [Int]
  /// The most images of one moment, by depth, by the length of the sequence; nil for all of them.
  package var limits: [[Int?]]

  package init(length: Int, depths: [Int], limits: [[Int?]]) {
    self.length = length
    self.depths = depths
    self.limits = limits
  }

  func depth(_ length: Int) -> Int { depths[min(length, depths.count - 1)] }
  func limits(_ length: Int) -> [Int?] { limits[min(length, limits.count - 1)] }
}

/// One sequence of steps and what was wrong with it.
package struct CrashFinding: Sendable {
  package var start: String
  package var steps: [CrashStep]
  package var violation: Violation

  /// What `crash-fuzz replay` takes.
  package var token: String { ReplayToken(start: start, steps: steps).description }
}

/// All sequences of steps up to a length, on as many threads as one likes. A sequence repeats its beginning without
/// looking: that was done when the beginning was a sequence of its own.
package final class CrashWalk: Sendable {
  package struct Report: Sendable {
    package var sequences = 0
    package var counts = CrashChecker.Counts()
    package var findings: [CrashFinding] = []
  }

  private struct Progress: Sendable {
    var next = 0
    var report = Report()
    /// Beginnings that failed: nothing is learnt from what follows them.
    var failed: Set<[CrashStep]> = []
  }

  package let start: CrashStart
  private let scope: CrashScope
  private let known: KnownStates
  private let progress = Mutex(Progress())

  package init(_ start: CrashStart, _ scope: CrashScope, _ known: KnownStates) {
    self.start = start
    self.scope = scope
    self.known = known
  }

  package func run(threads: Int, onProgress: @escaping @Sendable (Int) -> Void = { _ in }) -> Report {
    for length in 0...scope.length {
      progress.withLock { $0.next = 0 }
      let total = (0..<length).reduce(1) { product, _ in product * CrashStep.all.count }
      DispatchQueue.concurrentPerform(iterations: min(threads, total)) { _ in
        let checker = CrashChecker(known, profile: scope.profile, limits: scope.limits(length))
        while let number = take(total) {
          let steps = Self.sequence(number, length)
          visit(steps, checker)
          onProgress(number)
        }
        progress.withLock { $0.report.counts += checker.counts }
      }
    }
    return progress.withLock { $0.report }
  }

  private func take(_ total: Int) -> Int? {
    progress.withLock { progress in
      guard progress.next < total else { return nil }
      progress.next += 1
      return progress.next - 1
    }
  }

  private static func sequence(_ number: Int, _ length: Int) -> [CrashStep] {
    var rest = number
    var steps: [CrashStep] = []
    for _ in 0..<length {
      steps.append(CrashStep.all[rest % CrashStep.all.count])
      rest /= CrashStep.all.count
    }
    return steps
  }

  private func visit(_ steps: [CrashStep], _ checker: CrashChecker) {
    let isFutile = progress.withLock { progress in
      progress.report.sequences += 1
      return !progress.failed.isEmpty && progress.failed.contains(Array(steps.dropLast()))
    }
    guard !isFutile else { return }
    do {
      try Self.look(start, steps, checker, depth: scope.depth(steps.count))
    } catch {
      progress.withLock { progress in
        progress.failed.insert(steps)
        progress.report.findings.append(
          CrashFinding(start: start.name, steps: steps, violation: violation(error)))
      }
    }
  }

  /// Performs the steps and looks at every crash in the last one and after it.
  package static func look(
    _ start: CrashStart, _ steps: [CrashStep], _ checker: CrashChecker, depth: Int
  ) throws {
    let run = try CrashRun(start.options, payload: start.payload)
    defer { run.end() }
    run.isRepeating = true
    for step in start.prefix + steps.dropLast() { try run.perform(step) }
    run.isRepeating = false
    var first: (any Error)?
    run.onSync = { run in
      guard first == nil else { return }
      do { try checker.check(run, depth: depth) } catch { first = error }
    }
    if let last = steps.last { try run.perform(last) }
    run.onSync = nil
    if let first { throw first }
    try checker.check(run, depth: depth)
  }
}
