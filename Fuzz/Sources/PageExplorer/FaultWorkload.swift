// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults

/// What a sweep of faults works on.
package struct FaultWorkload: Sendable, CustomStringConvertible {
  package var name: String
  var threshold = 1 << 20
  var rewrites = false
  /// Bytes of a payload; small ones when there is none.
  var payload: Int?
  /// Images of one moment, where all are too many.
  var limit: Int?
  package var steps: [FaultRun.Step]
  /// How the image of the start comes about: steps, then a power cut that leaves the worst of what is pending.
  var before: [CrashStep] = []
  var isCut = false

  package var description: String { name }

  package var options: StoreOptions {
    var options = StoreOptions()
    options.compactionThreshold = threshold
    options.rewritesAtEverySave = rewrites
    options.deflates = false
    return options
  }

  private static let short: [FaultRun.Step] = [
    .open, .commit(.append), .sync, .commit(.batch), .sync, .open, .close, .open, .commit(.move), .sync,
    .close,
  ]

  package static let all: [FaultWorkload] = [
    FaultWorkload(
      name: "commits",
      steps: [
        .open, .commit(.append), .commit(.insert), .sync, .commit(.replace), .sync, .flush, .commit(.remove),
        .open, .sync, .compact, .commit(.batch), .close, .open, .commit(.set), .sync, .close, .open, .close,
      ]),
    FaultWorkload(
      name: "background-merges", threshold: 130,
      steps: [
        .open, .commit(.append), .sync, .commit(.append), .step, .commit(.batch), .step, .sync,
        .commit(.move),
        .step, .commit(.replace), .commit(.append), .step, .step, .sync, .open, .step, .commit(.remove),
        .step,
        .commit(.append), .sync, .close, .open, .commit(.append), .sync, .close,
      ]),
    FaultWorkload(name: "level-0", rewrites: true, steps: short + [.open, .commit(.set), .suspendAndResume]),
    FaultWorkload(
      name: "suspend-and-resume", threshold: 130,
      steps: [
        .open, .commit(.append), .sync, .suspendAndResume, .commit(.batch), .commit(.append),
        .suspendAndResume,
        .open, .commit(.remove), .sync, .kill, .open, .commit(.append), .suspendAndResume, .close,
      ]),
    FaultWorkload(name: "left-open", steps: short, before: [.commit(.append), .commit(.move), .sync]),
    FaultWorkload(
      name: "torn-tail", steps: short, before: [.commit(.append), .sync, .commit(.batch)], isCut: true),
    FaultWorkload(
      name: "two-journals", threshold: 1, steps: short,
      before: [.commit(.append), .commit(.append), .commit(.batch)], isCut: true),
    // Files of several sectors, marks in them, and opens that find them.
    FaultWorkload(
      name: "wide", payload: 300, limit: 12,
      steps: [
        .open, .commit(.append), .sync, .commit(.append), .sync, .commit(.batch), .flush, .commit(.append),
        .sync, .kill, .open, .commit(.append), .sync, .commit(.insert), .flush, .kill, .open, .close, .open,
        .close,
      ]),
  ]

  package struct Start: Sendable {
    package var image: Image
    package var states: [PageContent]
    /// The least commit that the image may show.
    package var low: Int
  }

  /// The image of the start and the states that it came from.
  package func start() throws -> Start {
    let run = try CrashRun(options, payload: payload)
    for step in before { try run.perform(step) }
    defer { run.end() }
    guard isCut else { return Start(image: run.system.kill(), states: run.states, low: run.low) }
    // The image with the most to set aside.
    var worst = (image: run.system.kill(), aside: 0)
    for image in run.system.crashImages(limit: 500) {
      let system = SimulatedFileSystem.restart(from: image, recordsEvents: false)
      let found = try PageInspector.inspect(CrashRun.page, in: CrashRun.directory, fileSystem: system)
      if found.report.bytesSetAside > worst.aside { worst = (image, found.report.bytesSetAside) }
    }
    guard worst.aside > 0 else { throw Violation(5, "\(name): no power cut leaves anything to set aside") }
    return Start(image: worst.image, states: run.states, low: run.low)
  }
}
