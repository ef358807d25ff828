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
  /// In the recovery of one image in so many crashes are looked at, by the length of the sequence; of each where it
  /// says nothing.
  package var nestsOneIn: [Int: Int] = [:]

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
    /// Sequences that were gone through.
    package var sequences = 0
    /// Sequences that were not, because their beginning had failed.
    package var futile = 0
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

  /// Goes through the sequences of some lengths, by default of all; shorter ones have to come before longer ones.
  /// - Returns: What was found by this and all calls before it.
  @discardableResult
  package func run(
    lengths: ClosedRange<Int>? = nil, threads: Int, onProgress: @escaping @Sendable (Int) -> Void = { _ in }
  ) -> Report {
    for length in lengths ?? 0...scope.length {
      progress.withLock { $0.next = 0 }
      let total = (0..<length).reduce(1) { product, _ in product * CrashStep.all.count }
      DispatchQueue.concurrentPerform(iterations: min(threads, total)) { _ in
        let checker = CrashChecker(
          known, profile: scope.profile, limits: scope.limits(length),
          nestsOneIn: scope.nestsOneIn[length] ?? 1)
        while let number = take(total) {
          let steps = Self.sequence(number, length)
          visit(steps, checker)
          onProgress(number)
        }
        progress.withLock { $0.report.counts += checker.counts }
      }
    }
    return report
  }

  /// What was found until now.
  package var report: Report { progress.withLock { $0.report } }

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
      guard progress.failed.contains(Array(steps.dropLast())), !steps.isEmpty else {
        progress.report.sequences += 1
        return false
      }
      progress.report.futile += 1
      progress.failed.insert(steps)
      return true
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

  /// Performs the steps and looks at every crash in the last one and after it; without steps, in the start's own.
  package static func look(
    _ start: CrashStart, _ steps: [CrashStep], _ checker: CrashChecker, depth: Int
  ) throws {
    let run = try CrashRun(start.options, payload: start.payload)
    defer { run.end() }
    var first: (any Error)?
    let look: (CrashRun) -> Void = { run in
      guard first == nil else { return }
      do { try checker.check(run, depth: depth) } catch { first = error }
    }
    if let last = steps.last {
      run.isRepeating = true
      for step in start.prefix + steps.dropLast() { try run.perform(step) }
      run.isRepeating = false
      run.onSync = look
      try run.perform(last)
    } else {
      run.onSync = look
      for step in start.prefix { try run.perform(step) }
    }
    run.onSync = nil
    if let first { throw first }
    try checker.check(run, depth: depth)
  }
}
