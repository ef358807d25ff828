// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults

/// What has to hold of the files that a recovery leaves, whichever crash it came from.
enum RecoveredCheck {
  /// Blocks are not deflated: zlib takes most of the time of so small a page, and what it does is tested elsewhere.
  static let options: StoreOptions = {
    var options = StoreOptions()
    options.deflates = false
    return options
  }()

  /// What the check depends on. Of what was set aside nobody reads more than what it says of itself: generation,
  /// kind, and whether its checksum holds.
  static func key(_ image: Image) -> ImageDigest {
    image.digest { path, bytes in
      guard path.hasSuffix(".quarantine"), bytes.count >= 16 else { return (path, bytes) }
      let stored = bytes.suffix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      let isWhole = stored == Checksum.crc32(bytes.span.extracting(0..<(bytes.count - 4)))
      let edge = path.utf8.dropLast(".quarantine".utf8.count).lastIndex(of: UInt8(ascii: "."))
      return (String(path[..<(edge ?? path.endIndex)]), [bytes[bytes.count - 12], isWhole ? 1 : 0])
    }
  }

  static func run(_ image: Image, _ content: ContentDigest, _ opens: inout Int) throws {
    let system = SimulatedFileSystem.restart(from: image, recordsEvents: false)
    try expectIdempotence(system, content)
    let hasDropped = image.paths.contains { $0.hasSuffix(".quarantine") }
    try expectNothingReturns(system, ifWrong: hasDropped ? 4 : 1)
    opens += 4
  }

  private static func open(_ system: any FileSystem, seed: UInt64) throws -> (PageStore, Page) {
    let store = try PageStore.open(
      CrashRun.directory, options: options, environment: .seeded(seed, system, ManualExecutor()))
    let opened = try store.open(CrashRun.page)
    guard let page = opened.page else {
      throw Violation(2, "recovered, and not writable: \(opened.report)")
    }
    return (store, page)
  }

  /// A second open writes nothing and sees the same.
  private static func expectIdempotence(_ system: SimulatedFileSystem, _ content: ContentDigest) throws {
    let counting = CountingFileSystem(system)
    let (store, page) = try open(counting, seed: 8)
    guard page.report.verdict == .clean, ContentDigest(page.view) == content else {
      throw Violation(2, "a second open finds \(page.report)\n\(PageContent(page.view))")
    }
    let counts = counting.counts
    guard counts.bytesWritten == 0, counts.mutatingCalls <= 1 else {
      throw Violation(2, "a second open does \(counts)")
    }
    guard counts.mutatingCalls == 1 else {
      throw Violation(3, "a second open shows names that it did not synchronise: \(counts)")
    }
    store.abandon()
  }

  /// What was set aside or dropped stays away when the page goes on; a clean close leaves one file.
  /// - Parameter invariant: of another state than the one that was committed: something came back, where there was
  ///   something that could; else it is only wrong.
  private static func expectNothingReturns(_ system: SimulatedFileSystem, ifWrong invariant: Int) throws {
    let (store, page) = try open(system, seed: 9)
    var next = PageContent(page.view)
    let operations = CommitKind.batch.operations(on: next)
    next.apply(operations)
    _ = try page.commit(operations)
    try page.sync()
    let cut = SimulatedFileSystem.restart(from: system.durableImage(), recordsEvents: false)
    let (_, after) = try open(cut, seed: 10)
    guard PageContent(after.view) == next, after.report.verdict == .leftOpen else {
      throw Violation(
        invariant, "after one more commit: \(after.report)\n\(PageContent(after.view))\ninstead of\n\(next)")
    }
    try store.close()
    let names = try system.names(in: CrashRun.directory)
    guard names == [CrashRun.contentName] else { throw Violation(10, "the close left \(names)") }
    let closed = try PageInspector.inspect(CrashRun.page, in: CrashRun.directory, fileSystem: system)
    guard closed.report.verdict == .clean else { throw Violation(10, "after the close: \(closed.report)") }
    guard closed.view.map({ PageContent($0) }) == next else {
      throw Violation(invariant, "the close left another state than\n\(next)")
    }
    guard !system.hasPending else { throw Violation(1, "what a close has acknowledged is still pending") }
  }
}
