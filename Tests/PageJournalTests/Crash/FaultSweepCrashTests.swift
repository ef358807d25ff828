// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults
import Testing

/// What a sweep works on.
struct FaultWorkload: Sendable, CustomTestStringConvertible {
  var name: String
  var threshold = 1 << 20
  var rewrites = false
  var steps: [FaultRun.Step]
  /// How the image of the start comes about: steps, then a power cut that leaves the worst of what is pending.
  var before: [CrashStep] = []
  var isCut = false

  var testDescription: String { name }

  var options: StoreOptions {
    var options = StoreOptions()
    options.compactionThreshold = threshold
    options.rewritesAtEverySave = rewrites
    return options
  }

  static let short: [FaultRun.Step] = [
    .open, .commit(.append), .sync, .commit(.batch), .sync, .open, .close, .open, .commit(.move), .sync,
    .close,
  ]

  static let all: [FaultWorkload] = [
    FaultWorkload(
      name: "commits, flush, close",
      steps: [
        .open, .commit(.append), .commit(.insert), .sync, .commit(.replace), .sync, .flush, .commit(.remove),
        .open, .sync, .compact, .commit(.batch), .close, .open, .commit(.set), .sync, .close, .open, .close,
      ]),
    FaultWorkload(
      name: "merges in the background", threshold: 130,
      steps: [
        .open, .commit(.append), .sync, .commit(.append), .step, .commit(.batch), .step, .sync,
        .commit(.move),
        .step, .commit(.replace), .commit(.append), .step, .step, .sync, .open, .step, .commit(.remove),
        .step,
        .commit(.append), .sync, .close, .open, .commit(.append), .sync, .close,
      ]),
    FaultWorkload(name: "level 0", rewrites: true, steps: short + [.open, .commit(.set), .suspendAndResume]),
    FaultWorkload(
      name: "suspend and resume", threshold: 130,
      steps: [
        .open, .commit(.append), .sync, .suspendAndResume, .commit(.batch), .commit(.append),
        .suspendAndResume,
        .open, .commit(.remove), .sync, .kill, .open, .commit(.append), .suspendAndResume, .close,
      ]),
    FaultWorkload(name: "left open", steps: short, before: [.commit(.append), .commit(.move), .sync]),
    FaultWorkload(
      name: "torn tail", steps: short, before: [.commit(.append), .sync, .commit(.batch)], isCut: true),
    FaultWorkload(
      name: "two journals, the first one torn", threshold: 1, steps: short,
      before: [.commit(.append), .commit(.append), .commit(.batch)], isCut: true),
  ]

  /// The image of the start, the states that it came from, and the least that it may show.
  func start() throws -> (image: Image, states: [PageContent], low: Int) {
    let run = try CrashRun(options)
    for step in before { try run.perform(step) }
    defer { run.end() }
    guard isCut else { return (run.system.kill(), run.states, run.low) }
    // The image with the most to set aside.
    var worst = (image: run.system.kill(), aside: 0)
    for image in run.system.crashImages(limit: 500) {
      let system = SimulatedFileSystem.restart(from: image, recordsEvents: false)
      let found = try PageInspector.inspect(CrashRun.page, in: CrashRun.directory, fileSystem: system)
      if found.report.bytesSetAside > worst.aside { worst = (image, found.report.bytesSetAside) }
    }
    #expect(worst.aside > 0)
    return (worst.image, run.states, run.low)
  }
}

@Suite(.serialized) struct FaultSweepCrashTests {
  private static let all = Set(FileOperation.allCases)

  static let effects: [(operations: Set<FileOperation>, effect: FaultRule.Effect)] =
    [StorageError.Code.io, .noSpace, .accessDenied, .readOnlyVolume, .tooManyOpenFiles].map {
      (all, .error($0))
    }
    + [1, 9, 60].flatMap { count -> [(Set<FileOperation>, FaultRule.Effect)] in
      [([.write], .short(count, then: .proceed)), ([.write], .short(count, then: .noSpace))]
    }
    + [SynchronizationFailure.clean, .reverted, .lost].map {
      ([.synchronizeFile, .synchronizeDirectory], .sync($0))
    }

  @Test(arguments: FaultWorkload.all)
  func aFaultAtAnyCallLosesNothingAcknowledged(_ workload: FaultWorkload) throws {
    let start = try workload.start()
    let checker = CrashChecker(limits: [CrashEnumerationTests.isFull ? 100 : 6, 4])
    var runs = 0
    var errors = 0
    var failures: [String: String] = [:]
    for (operations, effect) in Self.effects {
      for repetition in [FaultRule.Repetition.once, .sticky] {
        for call in 1...10_000 {
          let rule = FaultRule(operations, call: call, repetition: repetition, effect: effect)
          let run = FaultRun(start.image, start.states, low: start.low, workload.options, plan: [rule])
          do {
            try Self.sweep(run, workload.steps, effect, checker)
          } catch {
            // One of each kind is enough to read.
            let fired = run.firstFired.map { "\($0.operation.rawValue) …\($0.path.suffix(12))" } ?? "nothing"
            failures["\(repetition) \(fired): \(error)", default: "\(workload.name), \(rule)"] += ""
          }
          runs += 1
          errors += run.errors.count
          if run.firstFired == nil { break }
        }
      }
    }
    print("\(workload.name): \(runs) runs, \(errors) errors met; \(checker.summary); seed \(CrashRun.seed)")
    for failure in failures.prefix(Self.shownFailures) {
      Issue.record("\(failure.value), fired on \(failure.key)")
    }
    #expect(failures.count == 0)
    #expect(errors > 100)
  }

  private static let shownFailures = 12

  private static func sweep(
    _ run: FaultRun, _ steps: [FaultRun.Step], _ effect: FaultRule.Effect, _ checker: CrashChecker
  ) throws {
    var seen = 0
    for step in steps {
      do { try run.perform(step) } catch { throw CrashFailure("\(step): \(error)") }
      if run.faulting.fired.count > 0, seen < 2 {
        seen += 1
        do {
          try checker.check(run.system, from: run.low, to: run.high, of: run.states, depth: 0)
        } catch {
          throw CrashFailure("a power cut after \(step): \(error)")
        }
      }
    }
    for error in run.errors where [.internal, .damaged, .newerVersion, .noSuchElement].contains(error.code) {
      throw CrashFailure("an error of ours: \(error)")
    }
    try goOn(run, effect)
    let written = run.page.map { Int($0.writtenCommit) } ?? run.low
    try expectKill(run, from: max(run.low, written), checker)
    try checker.check(run.system, from: run.low, to: run.high, of: run.states, depth: 0)
    try run.perform(.close)
    try run.perform(.open)
    try run.perform(.commit(.append))
    try run.perform(.sync)
    guard run.low == run.high, run.page != nil else { throw CrashFailure("it does not work again") }
    try run.perform(.close)
    try expectKill(run, from: run.high, checker)
  }

  /// The fault is over. After a full disk everything goes on without another open.
  private static func goOn(_ run: FaultRun, _ effect: FaultRule.Effect) throws {
    let directoryFailed = run.faulting.fired.contains { $0.operation == .synchronizeDirectory }
    run.heal()
    guard let page = run.page else { return }
    try run.store?.resume()
    if effect == .error(.noSpace), !directoryFailed {
      try run.perform(.commit(.append))
      try run.perform(.sync)
      guard run.low == run.high, page.obstacle == nil else {
        throw CrashFailure(
          "with space again: \(page.obstacle.map { "\($0)" } ?? "") \(run.errors.last.map { "\($0)" } ?? "")")
      }
    }
  }

  private static func expectKill(_ run: FaultRun, from low: Int, _ checker: CrashChecker) throws {
    let found = try checker.recovered(run.system.kill(), depth: 0, [])
    guard (low...run.high).contains(Int(found.commit)), found == run.states[Int(found.commit)] else {
      throw CrashFailure("a kill shows\n\(found)\nof \(low)…\(run.high)\n\(run.system.kill())")
    }
  }
}
