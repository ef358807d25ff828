// SPDX-License-Identifier: Apache-2.0

import LNote
import PageExplorer
import PageJournal
import PageJournalFaults

/// Checks one image of a crash against what is allowed, by reading it, opening it, closing it and opening it again.
package struct CrashCheck {
  /// What a document shows.
  private struct Shown: Hashable {
    var list: [PageID]
    var counts: [Int]
  }

  private let expected: Expectation
  private let written: [PageID: [[UInt8]]]
  private let assets: [PageID: [UInt8]]
  /// What was found, in the order of the stages; empty when all is well.
  package private(set) var violations: [Violation] = []

  /// The same, a sentence each.
  package var findings: [String] { violations.map(\.description) }

  package init(_ expected: Expectation, _ workload: CrashWorkload) {
    self.expected = expected
    written = workload.written
    assets = workload.assets
  }

  /// - Parameters:
  ///   - spoilsCache: whether the manifest is replaced by nonsense first; it must not be needed.
  ///   - innerImages: of how many images, at each synchronisation, crashes of the recovery are gone through.
  package mutating func check(_ image: Image, spoilsCache: Bool, innerImages: Int) {
    do {
      let system = SimulatedFileSystem.restart(from: image)
      let bench = Bench(system, seed: 99)
      if spoilsCache { try bench.put([0, 1, 2], "manifest.json") }
      try checkReading(bench)
      let inner = Locked<[Image]>([])
      if innerImages > 0 {
        system.observeSyncs { system, _ in
          let images = Array(system.crashImages(limit: innerImages))
          inner.with { $0 += images }
        }
      }
      let document = try bench.open()
      let shown = try show(document, bench)
      system.observeSyncs(nil)
      compare(shown, "opened")
      // What was shown stays, whatever happens next.
      for later in innerImages > 0 ? Array(system.crashImages(limit: innerImages)) : [system.durableImage()] {
        let after = Bench(SimulatedFileSystem.restart(from: later), seed: 98)
        let again = try after.open()
        let found = try show(again, after)
        require(
          found == shown, 3, "what a writable open has shown is not there after a second crash: \(found)")
        again.abandon()
      }
      try document.close()
      try checkClosed(bench, shown)
      try checkSecondOpen(system, bench, shown)
      for image in inner.value {
        let after = Bench(SimulatedFileSystem.restart(from: image), seed: 97)
        try checkReading(after)
        let document = try after.open()
        compare(try show(document, after), "opened after a crash of the recovery")
        try document.close()
      }
    } catch {
      violations.append(violation(error, 8))
    }
  }

  private mutating func require(_ condition: Bool, _ invariant: Int, _ finding: @autoclosure () -> String) {
    if !condition { violations.append(Violation(invariant, finding())) }
  }

  // MARK: Stages

  private mutating func checkReading(_ bench: Bench) throws {
    let inspection = try bench.inspect()
    if case .failure(let error) = inspection.record { violations.append(Violation(8, "read: \(error)")) }
    var shown = Shown(list: inspection.pages, counts: [])
    for id in inspection.pages {
      let seen = inspection.inspect(id)
      require(
        seen.report.verdict.isHealthy, invariant(id, bench),
        "read: page \(id) is \(seen.report.verdict.rawValue)")
      if let view = seen.view {
        shown.counts.append(view.count)
        checkElements(view, id, inspection)
      }
    }
    compare(shown, "read")
  }

  /// What a page that cannot be shown breaks: without a file the list and the files do not agree.
  private func invariant(_ id: PageID, _ bench: Bench) -> Int {
    (try? bench.names("pages"))?.contains("\(id).content") == true ? 5 : 8
  }

  private mutating func show(_ document: NoteDocument, _ bench: Bench) throws -> Shown {
    require(document.obstacle == nil, 8, "open: \(document.obstacle?.description ?? "")")
    require(document.unlisted == [], 8, "open: unlisted pages \(document.unlisted)")
    let inspection = try bench.inspect()
    var shown = Shown(list: document.pages.map(\.id), counts: [])
    for id in shown.list {
      let opened = try document.page(id)
      require(
        opened.report.verdict.isHealthy, invariant(id, bench),
        "open: page \(id) is \(opened.report.verdict.rawValue)")
      require(opened.page != nil && opened.page?.obstacle == nil, 5, "open: page \(id) has no writer")
      if let view = opened.view {
        shown.counts.append(view.count)
        checkElements(view, id, inspection)
      }
    }
    return shown
  }

  private mutating func checkClosed(_ bench: Bench, _ shown: Shown) throws {
    let names = Image.names(try bench.image())
    for name in names where name.hasSuffix(".tmp") {
      violations.append(Violation(9, "closed: \(name) is left"))
    }
    let quarantines = names.filter { $0.hasSuffix(".quarantine") }
    let pages = names.filter { $0.hasPrefix("/pages/") && !quarantines.contains($0) }
    let wanted = shown.list.map { "/pages/\($0).content" }.sorted()
    require(pages == wanted, 8, "closed: files \(pages), pages \(wanted)")
    let cache = JSON(parsing: try bench.bytes("manifest.json"))
    require(cache?["pages"]?.integer == Int64(shown.list.count), 8, "closed: the cache is not reconciled")
  }

  private mutating func checkSecondOpen(
    _ system: SimulatedFileSystem, _ bench: Bench, _ shown: Shown
  ) throws {
    let before = system.events.count
    let document = try bench.open()
    let again = try show(document, bench)
    require(again == shown, 2, "second open: \(again) is not \(shown)")
    for id in again.list {
      let verdict = try document.page(id).report.verdict
      require(verdict == .clean, 10, "second open: page \(id) is \(verdict.rawValue)")
    }
    try document.close()
    let changes = system.events[before...].filter(\.changes)
    require(changes.isEmpty, 10, "second open: it writes: \(changes)")
  }

  // MARK: Contents

  private mutating func compare(_ shown: Shown, _ stage: String) {
    let isAllowed = expected.lists.contains { list in
      list.count == shown.list.count
        && zip(list, shown.list).allSatisfy { wanted, found in
          wanted == found || (wanted == nil && expected.pages[found] == nil)
        }
    }
    let lists = expected.lists
    require(isAllowed, 8, "\(stage): list \(shown.list), allowed \(lists)")
    require(shown.counts.count == shown.list.count, 8, "\(stage): not every page can be shown")
    for (id, count) in zip(shown.list, shown.counts) {
      let progress = expected.pages[id] ?? .init(durable: 0, issued: 0)
      let isIn = count >= progress.durable && count <= progress.issued
      require(
        isIn, 1,
        "\(stage): page \(id) has \(count) elements, \(progress.durable)–\(progress.issued) allowed")
    }
  }

  private mutating func checkElements(_ view: PageView, _ id: PageID, _ inspection: NoteInspection) {
    let all = written[id] ?? []
    for (place, element) in view.elements.enumerated() {
      let payload = view.payload(of: element.id) ?? []
      guard place < all.count, payload == all[place] else {
        violations.append(Violation(1, "page \(id): element \(place) is not the one that was committed"))
        continue
      }
      guard element.kind == 201 else { continue }
      let asset = PageID(String(decoding: payload, as: UTF8.self))
      let content = asset.flatMap { try? inspection.asset($0).bytes }
      let wanted = asset.flatMap { assets[$0] }
      require(content != nil && content == wanted, 7, "page \(id): its asset dangles")
    }
  }
}

extension Image {
  /// The paths of all files.
  package static func names(_ image: Image) -> [String] { image.paths.filter { image[$0] != nil } }
}
