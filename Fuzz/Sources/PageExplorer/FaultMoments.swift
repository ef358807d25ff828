// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults

/// The power cuts of one run under a plan: at every synchronisation once a fault has happened, inside of the step in
/// which it happened and of all later ones, and at the end of those steps. One thread uses it.
final class FaultMoments: @unchecked Sendable {
  /// A moment inside of an open that read wrong bytes, or bytes that no synchronisation will ever write: what it may
  /// show is known when the open is over.
  private struct Waiting {
    var system: SimulatedFileSystem
    var low: Int
    var high: Int
  }

  /// What a moment depends on; the same one need not be looked at twice.
  private struct Mark: Equatable {
    var events: UInt64
    var fired: Int
    var low: Int
    var high: Int
  }

  private let run: FaultRun
  private let checker: CrashChecker
  private let limit: Int?
  private(set) var deceivedImages = 0
  private(set) var doubtfulImages = 0
  /// Those of them that are called a damaged snapshot.
  private(set) var unexplained = 0
  private var waiting: [Waiting] = []
  private var first: (any Error)?
  private var seen: Mark?

  init(_ run: FaultRun, _ checker: CrashChecker, limit: Int?) {
    self.run = run
    self.checker = checker
    self.limit = limit
  }

  func perform(_ step: FaultRun.Step) throws {
    let fired = run.faulting.fired.count
    let digests = run.digests
    seen = nil
    first = nil
    waiting = []
    run.onSync = { [self] run in
      guard first == nil, run.firstFired != nil else { return }
      let isDoubtful = run.hasUnwritable || run.promise == .damage && run.faulting.fired.count > fired
      if step == .open, isDoubtful {
        waiting.append(Waiting(system: run.system.afterKill(), low: run.low, high: run.high))
      } else {
        do { try look() } catch { first = error }
      }
    }
    defer { run.onSync = nil }
    do { try run.perform(step) } catch { throw violation(error).adding("at \(step)") }
    do {
      if let first { throw first }
      for moment in waiting {
        try lookDoubtful(moment, from: min(moment.low, run.low), digests)
      }
    } catch {
      throw violation(error).adding("a power cut in \(step)")
    }
    guard run.firstFired != nil else { return }
    do { try look() } catch { throw violation(error).adding("a power cut after \(step)") }
  }

  func look() throws {
    let mark = Mark(
      events: run.system.eventCount, fired: run.faulting.fired.count, low: run.low, high: run.high)
    guard mark != seen else { return }
    seen = mark
    guard !run.isDeceived else { return try lookWhileDeceived() }
    try checker.check(
      run.system, from: run.low, to: run.high, of: run.states, digests: run.digests, depth: 0)
  }

  /// Inside of such an open: the old state or the one that it shows, nothing older. An open that read wrong bytes lists
  /// journals in its new snapshot as they were read, so one of them may be called foreign. One that extends the snapshot by
  /// what a failed synchronisation left in the cache alone may leave bytes behind the `end` and no journal that explains
  /// them, which SPEC.md §7 calls a damaged snapshot: §13 assumes that what was synchronised is there.
  private func lookDoubtful(_ moment: Waiting, from low: Int, _ digests: [ContentDigest]) throws {
    let worst = run.hasUnwritable ? Verdict.damagedSnapshot : .foreignJournal
    for image in moment.system.crashImages(limit: limit) {
      doubtfulImages += 1
      let found = try inspected(image)
      let commit = found.view.map { Int(clamping: $0.commit) } ?? -1
      guard (low...moment.high).contains(commit), found.view.map({ ContentDigest($0) }) == digests[commit],
        found.report.verdict <= worst, ![.undecodable, .needsNewerVersion].contains(found.report.verdict)
      else {
        throw Violation(5, "\(found.report), commit \(commit) of \(low)…\(moment.high)\n\(image)")
      }
      if found.report.verdict == .damagedSnapshot { unexplained += 1 }
    }
  }

  private func inspected(_ image: Image) throws -> OpenedPage {
    try PageInspector.inspect(
      CrashRun.page, in: CrashRun.directory,
      fileSystem: SimulatedFileSystem.restart(from: image, recordsEvents: false))
  }

  /// A synchronisation said that it had happened, and had not. What was acknowledged on its word may be missing: then
  /// either it is reported, or an older state is there. One that never was is not, and a kill loses nothing.
  private func lookWhileDeceived() throws {
    for image in run.system.crashImages(limit: limit) {
      deceivedImages += 1
      let found = try inspected(image)
      let commit = found.view.map { Int(clamping: $0.commit) } ?? 0
      let isKnown =
        found.view.map { commit <= run.high && ContentDigest($0) == run.digests[commit] || commit == 0 }
        ?? true
      let isReported = found.report.verdict > .unsyncedTail
      guard isKnown, isReported || found.view != nil else {
        throw Violation(1, "after a sync that lied, \(found.report) and commit \(commit)\n\(image)")
      }
    }
    let kill = try inspected(run.system.kill())
    let commit = kill.view.map { Int(clamping: $0.commit) } ?? -1
    guard (0...run.high).contains(commit), kill.view.map({ ContentDigest($0) }) == run.digests[commit] else {
      throw Violation(1, "after a sync that lied, a kill shows \(kill.report), commit \(commit)")
    }
  }
}
