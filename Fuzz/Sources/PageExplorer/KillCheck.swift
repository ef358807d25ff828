// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults

/// The process is killed at a synchronisation, another one opens the page, and then the power fails: what the second
/// one has shown has to be there.
package enum KillCheck {
  /// Performs the steps and kills at every synchronisation in the last one and after it.
  /// - Parameter limit: Images looked at for each of these moments.
  /// - Returns: how many images there were.
  package static func look(_ start: CrashStart, _ steps: [CrashStep], limit: Int?) throws -> Int {
    let run = try CrashRun(start.options, payload: start.payload)
    defer { run.end() }
    run.isRepeating = true
    for step in start.prefix + steps.dropLast() { try run.perform(step) }
    run.isRepeating = false
    var images = 0
    var first: (any Error)?
    run.onSync = { run in
      guard first == nil else { return }
      do { images += try check(run, limit) } catch { first = error }
    }
    if let last = steps.last { try run.perform(last) }
    run.onSync = nil
    if let first { throw first }
    return images + (try check(run, limit))
  }

  private static func check(_ run: CrashRun, _ limit: Int?) throws -> Int {
    let after = run.system.afterKill()
    let (store, page) = try open(after, seed: 21)
    defer { store.abandon() }
    let shown = PageContent(page.view)
    guard (run.low...run.high).contains(Int(shown.commit)), shown == run.states[Int(shown.commit)] else {
      throw Violation(1, "after a kill the page shows\n\(shown)\n\(run.low)…\(run.high) are possible")
    }
    var images = 0
    for image in after.crashImages(limit: limit) {
      images += 1
      let system = SimulatedFileSystem.restart(from: image, recordsEvents: false)
      do {
        let (store, page) = try open(system, seed: 22)
        defer { store.abandon() }
        let found = PageContent(page.view)
        guard found == shown else {
          throw Violation(3, "shown after a kill:\n\(shown)\nleft by a power cut:\n\(found)")
        }
      } catch {
        throw violation(error, 3).adding("\(image)")
      }
    }
    return images
  }

  private static func open(_ system: SimulatedFileSystem, seed: UInt64) throws -> (PageStore, Page) {
    let store = try PageStore.open(
      CrashRun.directory, options: RecoveredCheck.options,
      environment: .seeded(seed, system, ManualExecutor()))
    let opened = try store.open(CrashRun.page)
    guard let page = opened.page, opened.report.verdict.isHealthy else {
      throw Violation(5, "a crash is called \(opened.report)")
    }
    return (store, page)
  }
}
