// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults

/// Journals that were removed, or that another copy of the page left, put beside what the page has become: none of
/// their commits may come back, and their bytes are gone only where the snapshot says that it holds them.
package enum ResurrectionCheck {
  /// - Returns: how many pages with a stale journal were opened.
  package static func run() throws -> Int {
    let first = try lineage(seed: 31, [.append, .remove, .append, .batch])
    let second = try lineage(seed: 77, [.insert, .append, .set, .append])
    var opened = 0
    for (number, image) in first.enumerated() {
      let present = Set(image.paths)
      var tried: Set<[UInt8]> = []
      let mine = first[..<number].flatMap { old in
        PageFile.paths(old, ".journal").filter { !present.contains($0) }.map { ($0, old) }
      }
      // Up to its first merge the other copy is what this one may become.
      let base =
        PageFile.paths(CrashRun.base.image, ".content").first.flatMap { CrashRun.base.image[$0] } ?? []
      let hasMerged = image["\(CrashRun.directory)/\(CrashRun.contentName)"] != base
      let theirs = second.flatMap { other in
        hasMerged
          ? PageFile.paths(other, ".journal").filter { PageFile.generation($0) > 2 && !present.contains($0) }
            .map { ($0, other) } : []
      }
      for (path, old) in mine + theirs {
        guard let stale = old[path], stale.count > PageFile.journalHeader, tried.insert(stale).inserted else {
          continue
        }
        opened += 1
        do {
          try check(image, path, stale)
        } catch {
          throw violation(error, 4).adding("with \(path) of an earlier time or another copy:\n\(image)")
        }
      }
    }
    return opened
  }

  /// What a page is at every synchronisation and after every step of two sessions.
  private static func lineage(seed: UInt64, _ kinds: [CommitKind]) throws -> [Image] {
    let system = SimulatedFileSystem.restart(from: CrashRun.base.image, recordsEvents: false)
    let images = Images()
    system.observeSyncs { system, _ in images.add(system.kill()) }
    defer { system.observeSyncs(nil) }
    var content = CrashRun.base.states.last ?? PageContent()
    for (session, half) in [kinds.prefix(2), kinds.suffix(2)].enumerated() {
      let store = try PageStore.open(
        CrashRun.directory, options: RecoveredCheck.options,
        environment: .seeded(seed + UInt64(session), system, ManualExecutor()))
      guard let page = try store.open(CrashRun.page).page else { throw Violation(1, "no writable page") }
      for kind in half {
        let operations = kind.operations(on: content)
        content.apply(operations)
        _ = try page.commit(operations)
        try page.sync()
        images.add(system.kill())
      }
      try store.close()
      images.add(system.kill())
    }
    return images.all
  }

  private static func open(_ system: SimulatedFileSystem, _ seed: UInt64) throws -> (PageStore, OpenedPage) {
    let store = try PageStore.open(
      CrashRun.directory, options: RecoveredCheck.options,
      environment: .seeded(seed, system, ManualExecutor()))
    return (store, try store.open(CrashRun.page))
  }

  private static func check(_ image: Image, _ path: String, _ stale: [UInt8]) throws {
    let (_, alone) = try open(SimulatedFileSystem.restart(from: image, recordsEvents: false), 41)
    guard let view = alone.view else { throw Violation(1, "without it: \(alone.report)") }
    let system = SimulatedFileSystem.restart(from: image.replacing(path, stale), recordsEvents: false)
    let (store, opened) = try open(system, 42)
    guard let page = opened.page else { throw Violation(4, "it is called \(opened.report)") }
    guard PageContent(page.view) == PageContent(view) else {
      throw Violation(
        4, "it was replayed: \(opened.report)\n\(PageContent(page.view))\ninstead of\n\(PageContent(view))")
    }
    try expectKept(image, path, stale, system.kill())
    var next = PageContent(view)
    let operations = CommitKind.batch.operations(on: next)
    next.apply(operations)
    _ = try page.commit(operations)
    try page.sync()
    let cut = SimulatedFileSystem.restart(from: system.durableImage(), recordsEvents: false)
    store.abandon()
    let (_, again) = try open(cut, 43)
    guard let found = again.view.map({ PageContent($0) }), found == next else {
      throw Violation(4, "after one more commit: \(again.report)")
    }
  }

  /// A journal that the snapshot does not list is nobody's to remove.
  private static func expectKept(_ before: Image, _ path: String, _ stale: [UInt8], _ after: Image) throws {
    let snapshot = before["\(CrashRun.directory)/\(CrashRun.contentName)"] ?? []
    let seed = PageFile.littleEndian(stale, 8, 4)
    let isListed = PageFile.absorbed(snapshot).contains {
      $0.generation == PageFile.generation(path) && $0.seed == seed
    }
    if isListed || after[path] == stale { return }
    let isAside = PageFile.paths(after, ".quarantine").contains { after[$0]?.starts(with: stale) == true }
    if !isAside { throw Violation(6, "its bytes are gone, and no `end` lists it; left are \(after.paths)") }
  }

  private final class Images: @unchecked Sendable {
    private(set) var all: [Image] = []
    func add(_ image: Image) { if all.last != image { all.append(image) } }
  }
}
