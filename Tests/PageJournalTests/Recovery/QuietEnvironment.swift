// SPDX-License-Identifier: Apache-2.0

import PageJournalFaults
import Synchronization
import Testing

@testable import PageJournal

/// Takes work and never does it: what is left to background threads stays undone, so that runs are equal.
struct IdleExecutor: CompactionExecutor {
  func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) {}
}

extension Environment {
  /// Chance from a seed, no clock, nothing in the background.
  static func quiet(_ fileSystem: any FileSystem, seed: UInt64) -> Environment {
    let random = SharedRandom(seed: seed)
    return Environment(
      fileSystem: fileSystem, random: { random.next() }, clock: { 0 }, executor: IdleExecutor())
  }
}

private final class SharedRandom: Sendable {
  private let random: Mutex<SplitMix64>
  init(seed: UInt64) { random = Mutex(SplitMix64(seed: seed)) }
  func next() -> UInt64 { random.withLock { $0.next() } }
}

/// What a writable open of a page's files did, checked against what reading the same files says.
enum WritableOpen {
  /// Opens the files for writing on a simulated disk and checks everything that holds for every such open:
  /// the verdict and the state are those of the reading, a read-only verdict changes no file, any other one leaves one
  /// snapshot that reads as clean, and every byte that is not shown stands in a quarantine file.
  /// - Returns: a sentence about the first thing that does not hold.
  static func complaint(_ files: PageFiles, floor: PageFloor? = nil) throws -> String? {
    let recovery = Recovery(files, floor: floor)
    let disk = try SimulatedFileSystem.holding(files)
    let before = try disk.pageFiles()
    let store = try PageStore.open("pages", environment: .quiet(disk, seed: 4242))
    let opened: OpenedPage
    do {
      opened = try store.open(files.page, floor: floor)
    } catch {
      if files.snapshot == nil, files.journals.isEmpty, error.code == .notFound { return nil }
      return "the open threw \(error)"
    }
    let found = opened.report
    guard found.verdict == recovery.report.verdict else { return "verdict \(found.verdict) when opened" }
    let expected = PlainPage(recovery.state)
    if let view = opened.view, PlainPage(view.state) != expected { return "another state when opened" }
    if recovery.plan == .readOnly || recovery.plan == .unavailable {
      if opened.page != nil { return "\(found.verdict) has a writer" }
      return try disk.pageFiles() == before ? nil : "\(found.verdict) changed files"
    }
    guard opened.page != nil else { return "\(found.verdict) has no writer" }
    let after = try disk.pageFiles()
    let quarantines = after.filter { $0.key.hasSuffix(".quarantine") }
    for aside in recovery.aside {
      let isKept = quarantines.values.contains { $0.starts(with: aside.bytes) }
      if !isKept { return "\(aside.bytes.count) bytes of \(aside.name) are in no quarantine" }
    }
    guard Set(quarantines.keys) == Set(found.quarantined) else {
      return "quarantines \(quarantines.keys), reported \(found.quarantined)"
    }
    guard after.count == quarantines.count + 1, after[files.snapshotName] != nil else {
      return "left are \(after.keys.sorted())"
    }
    store.abandon()
    let again = try PageInspector.inspect(files.page, in: "pages", floor: floor, fileSystem: disk)
    guard again.report.verdict == .clean else { return "afterwards it is \(again.report.verdict)" }
    guard let view = again.view, PlainPage(view.state) == expected else { return "another state afterwards" }
    return nil
  }
}
