// SPDX-License-Identifier: Apache-2.0

import Dispatch
import PageJournalFaults
import Synchronization

/// Sequences drawn by chance, until somebody has enough. What fails is shrunk.
package final class RandomWalk: Sendable {
  /// The longest sequence.
  private static let longest = 14
  /// Images looked at for each moment, and for each moment in a recovery.
  private static let limits: [Int?] = [120, 6]

  private let seed: UInt64
  private let profile: CrashProfile
  private let known: KnownStates
  private let next = Mutex<UInt64>(0)
  private let report = Mutex(CrashWalk.Report())

  package init(seed: UInt64, profile: CrashProfile, known: KnownStates) {
    self.seed = seed
    self.profile = profile
    self.known = known
  }

  /// - Parameter goesOn: Asked before each sequence.
  package func run(threads: Int, while goesOn: @escaping @Sendable () -> Bool) -> CrashWalk.Report {
    DispatchQueue.concurrentPerform(iterations: threads) { _ in
      let checker = CrashChecker(known, profile: profile, limits: Self.limits)
      while goesOn(), report.withLock({ $0.findings.isEmpty }) {
        let number = next.withLock { next in
          next += 1
          return next
        }
        visit(number, checker)
      }
      report.withLock { $0.counts += checker.counts }
    }
    return report.withLock { $0 }
  }

  /// The same sequence for the same seed and number, whatever the threads.
  package func sequence(_ number: UInt64) -> ReplayToken {
    var generator = SplitMix64(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ number)
    let start = CrashStart.all[Int(generator.next() % UInt64(CrashStart.all.count))]
    let length = 4 + Int(generator.next() % UInt64(Self.longest - 3))
    let steps = (0..<length).map { _ in
      CrashStep.all[Int(generator.next() % UInt64(CrashStep.all.count))]
    }
    return ReplayToken(start: start.name, steps: steps)
  }

  private func visit(_ number: UInt64, _ checker: CrashChecker) {
    let token = sequence(number)
    report.withLock { $0.sequences += 1 }
    guard let found = Self.failure(token, checker, depth: number % 4 == 0 ? 1 : 0) else { return }
    let smallest = Self.shrunk(found, profile)
    report.withLock { $0.findings.append(smallest) }
  }

  /// The first part of the sequence that fails, if one does.
  private static func failure(_ token: ReplayToken, _ checker: CrashChecker, depth: Int) -> CrashFinding? {
    guard let start = CrashStart.named(token.start) else { return nil }
    for length in 1...max(1, token.steps.count) {
      let steps = Array(token.steps.prefix(length))
      do {
        try CrashWalk.look(start, steps, checker, depth: depth)
      } catch {
        return CrashFinding(start: token.start, steps: steps, violation: violation(error))
      }
    }
    return nil
  }

  /// Leaves out whatever can be left out while the same invariant still fails.
  package static func shrunk(_ finding: CrashFinding, _ profile: CrashProfile) -> CrashFinding {
    var best = finding
    var index = 0
    while index < best.steps.count {
      var steps = best.steps
      steps.remove(at: index)
      let checker = CrashChecker(KnownStates(), profile: profile, limits: [nil, 40])
      let token = ReplayToken(start: best.start, steps: steps)
      if let smaller = failure(token, checker, depth: 1),
        smaller.violation.invariant == best.violation.invariant
      {
        best = smaller
        index = 0
      } else {
        index += 1
      }
    }
    return best
  }
}
