// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults

/// A second writer of the same pages is not let in; where it is, one of the two loses what was acknowledged.
package enum WriterCheck {
  package static func run() throws -> Int {
    let system = SimulatedFileSystem.restart(from: CrashRun.base.image, recordsEvents: false)
    func open(_ seed: UInt64) throws -> PageStore {
      try PageStore.open(
        CrashRun.directory, options: RecoveredCheck.options,
        environment: .seeded(seed, system, ManualExecutor()))
    }
    let first = try open(81)
    defer { first.abandon() }
    guard let page = try first.open(CrashRun.page).page else { throw Violation(1, "no writable page") }
    let second: PageStore
    do {
      second = try open(82)
    } catch let error as StorageError where error.code == .locked {
      return 1
    }
    defer { second.abandon() }
    guard let other = try second.open(CrashRun.page).page else { throw Violation(1, "no writable page") }
    for (page, kind) in [(page, UInt8(91)), (other, UInt8(92))] {
      _ = try page.commit([.append(kind: kind, payload: [kind])])
      // It may be refused; what it acknowledges has to be there.
      guard (try? page.sync()) != nil else { continue }
      let cut = SimulatedFileSystem.restart(from: system.durableImage(), recordsEvents: false)
      let found = try PageInspector.inspect(CrashRun.page, in: CrashRun.directory, fileSystem: cut)
      let kinds = found.view?.elements.map(\.kind) ?? []
      guard kinds.contains(91), page === other ? kinds.contains(92) : true else {
        throw Violation(
          1, "two writers were let in, and what one of them acknowledged is gone: \(found.report)")
      }
    }
    throw Violation(1, "two writers were let in")
  }
}

/// A medium that writes one bit of the next merge wrongly: the merge has to see it, and no journal may go.
package enum MediumCheck {
  /// - Returns: how many images were opened.
  package static func run() throws -> Int {
    var opened = 0
    for bit in stride(from: 0, to: 8 * 120, by: 37) {
      do { opened += try look(bit) } catch {
        throw violation(error).adding("the medium inverted bit \(bit) of the merge")
      }
    }
    return opened
  }

  private static func look(_ bit: Int) throws -> Int {
    let system = SimulatedFileSystem.restart(from: CrashRun.base.image, recordsEvents: false)
    let medium = InvertingFileSystem(system, bit)
    let store = try PageStore.open(
      CrashRun.directory, options: RecoveredCheck.options,
      environment: .seeded(91, medium, ManualExecutor()))
    guard let page = try store.open(CrashRun.page).page else { throw Violation(1, "no writable page") }
    for kind in [UInt8(1), 2] { _ = try page.commit([.append(kind: kind, payload: [kind, kind])]) }
    try page.sync()
    let acknowledged = page.durableCommit
    let moments = Moments()
    system.observeSyncs { system, _ in moments.images.formUnion(system.crashImages(limit: 40)) }
    // It may fail; what was acknowledged has to stay.
    try? page.compact()
    moments.images.formUnion(system.crashImages(limit: 40))
    try? store.close()
    system.observeSyncs(nil)
    moments.images.formUnion(system.crashImages(limit: 40))
    for image in moments.images {
      let cut = SimulatedFileSystem.restart(from: image, recordsEvents: false)
      let found = try PageInspector.inspect(CrashRun.page, in: CrashRun.directory, fileSystem: cut)
      guard let commit = found.view?.commit, commit >= acknowledged else {
        throw Violation(
          1, "commit \(acknowledged) was acknowledged, and this is left: \(found.report)\n\(image)")
      }
    }
    return moments.images.count
  }

  private final class Moments: @unchecked Sendable {
    var images: Set<Image> = []
  }
}

/// The same seed gives the same run, to the last byte.
package enum RepetitionCheck {
  package static func run() throws -> Int {
    let steps: [CrashStep] = [
      .commit(.append), .sync, .commit(.batch), .compact, .commit(.move), .closeAndReopen, .commit(.set),
      .flush,
    ]
    var runs = 0
    for start in CrashStart.all {
      var images: Set<Image> = []
      for _ in 0..<2 {
        let run = try CrashRun(start.options, payload: start.payload)
        for step in start.prefix + steps { try run.perform(step) }
        images.insert(run.system.kill())
        run.end()
        runs += 1
      }
      guard images.count == 1 else { throw Violation(14, "\(start.name): two runs of one seed differ") }
    }
    return runs
  }
}
