// SPDX-License-Identifier: Apache-2.0

import Dispatch
import PageJournal
import PageJournalFaults
import Synchronization

/// Every bit flip and every truncation of the files of one golden page, as they stand in the repository.
///
/// The states that the page may show are those of its undamaged files cut at the edges of their frames: whatever is
/// damaged, nothing else may come out. Journals' frames and marks say what a damage has to be called.
package final class GoldenSweep: Sendable {
  package struct Report: Sendable {
    package var flips = 0
    package var cuts = 0
    package var verdicts: [Verdict: Int] = [:]
    /// Shorter states that nothing distinguishes from a crash, or, without a document's record, from a whole page.
    package var silent = 0
    package var findings: [Violation] = []

    package init() {}
  }

  package let name: String
  private let page: PageID
  private let image: Image
  private let snapshot: String
  private let journals: [String]
  private let frames: [String: [Frame]]
  private let whole: ContentDigest
  private let healthy: Verdict
  private let prefixes: Set<ContentDigest>
  private let report = Mutex(Report())
  private let next = Mutex(0)
  private let files: [(path: String, bytes: [UInt8])]

  /// - Parameter files: by name, all of one page.
  package init(_ name: String, _ files: [String: [UInt8]]) throws {
    self.name = name
    guard let stem = files.keys.first(where: { $0.hasSuffix(".content") })?.dropLast(".content".count),
      let page = PageID(stem)
    else { throw Violation(14, "golden \(name): there is no page") }
    self.page = page
    image = Image(
      Dictionary(uniqueKeysWithValues: files.map { ("\(CrashRun.directory)/\($0.key)", $0.value) }),
      directories: [CrashRun.directory])
    snapshot = "\(CrashRun.directory)/\(page).content"
    journals = PageFile.paths(image, ".journal")
    let all = [snapshot] + journals
    self.files = all.compactMap { [image] path in image[path].map { (path, $0) } }
    frames = Dictionary(uniqueKeysWithValues: self.files.map { ($0.path, FrameListing($0.bytes).frames) })
    let found = try Self.inspect(image, page)
    guard let view = found.view, found.report.verdict.isHealthy else {
      throw Violation(1, "golden \(name), undamaged, is \(found.report)")
    }
    whole = ContentDigest(view)
    healthy = found.report.verdict
    // Without anything readable a page is shown as it was made.
    var prefixes: Set<ContentDigest> = [whole, ContentDigest(PageContent())]
    for (index, file) in self.files.enumerated() {
      let later = self.files.dropFirst(index + 1).map(\.path)
      let start = file.path == snapshot ? [] : [0, PageFile.journalHeader]
      for edge in start + frames[file.path, default: []].map(\.end) where edge <= file.bytes.count {
        var cut = image.replacing(file.path, Array(file.bytes[..<edge]))
        for path in later { cut = cut.replacing(path, nil) }
        if let view = try Self.inspect(cut, page).view { prefixes.insert(ContentDigest(view)) }
      }
    }
    self.prefixes = prefixes
  }

  /// How many damages there are.
  package var count: Int { files.reduce(0) { $0 + $1.bytes.count * 9 } }

  package func run(threads: Int, onProgress: @escaping @Sendable () -> Void = {}) -> Report {
    DispatchQueue.concurrentPerform(iterations: threads) { _ in
      while let range = take() {
        for number in range { damage(number) }
        onProgress()
      }
    }
    return report.withLock { $0 }
  }

  private func take() -> Range<Int>? {
    next.withLock { next in
      guard next < count else { return nil }
      let range = next..<min(next + 256, count)
      next = range.upperBound
      return range
    }
  }

  private func damage(_ number: Int) {
    var rest = number
    for file in files {
      guard rest >= file.bytes.count * 9 else { return damage(file.path, file.bytes, rest) }
      rest -= file.bytes.count * 9
    }
  }

  private func damage(_ file: String, _ bytes: [UInt8], _ number: Int) {
    var damaged = bytes
    let isFlip = number < bytes.count * 8
    if isFlip {
      damaged[number / 8] ^= 1 << UInt8(number % 8)
    } else {
      damaged.removeLast(number - bytes.count * 8 + 1)
    }
    var problem: Violation?
    var verdict: Verdict?
    var isSilent = false
    do {
      let files = image.replacing(file, damaged)
      let found = try Self.inspect(files, page)
      verdict = found.report.verdict
      isSilent = try judge(found, file, damaged, flipped: isFlip ? number / 8 : nil)
      try expectWritable(files, found)
    } catch {
      let what = isFlip ? "bit \(number) flipped" : "cut to \(damaged.count) bytes"
      problem = violation(error).adding("golden \(name), \(file): \(what)")
    }
    let (verdictFound, silence, violationFound) = (verdict, isSilent, problem)
    report.withLock { report in
      if isFlip { report.flips += 1 } else { report.cuts += 1 }
      if let verdictFound { report.verdicts[verdictFound, default: 0] += 1 }
      if silence { report.silent += 1 }
      if let violationFound { report.findings.append(violationFound) }
    }
  }

  /// - Returns: whether something is missing and nothing says so.
  private func judge(
    _ found: OpenedPage, _ file: String, _ damaged: [UInt8], flipped: Int?
  ) throws -> Bool {
    let verdict = found.report.verdict
    let shown = found.view.map { ContentDigest($0) }
    if let shown, !prefixes.contains(shown) {
      throw Violation(1, "\(verdict) shows a state that never was, as commit \(found.view?.commit ?? 0)")
    }
    if let flipped {
      let isBehindEnd = flipped >= frames[file, default: []].last { $0.type == .end }?.end ?? 0
      if file == snapshot, !isBehindEnd, verdict != .damagedSnapshot {
        throw Violation(5, "a damaged snapshot is called \(verdict)")
      }
      if file != snapshot {
        let isTail = flipped >= frames[file, default: []].last?.end ?? 0
        if isVouchedFor(file, flipped), !isTail, !isDamage(verdict) {
          throw Violation(5, "damage below a mark is called \(verdict)")
        }
        if !isVouchedFor(file, flipped), !verdict.isHealthy {
          throw Violation(5, "damage above all marks is called \(verdict)")
        }
      }
    } else if file == snapshot {
      let edges = frames[file, default: []].filter { $0.type == .end && $0.end <= damaged.count }
      if edges.isEmpty, verdict != .damagedSnapshot {
        throw Violation(5, "a snapshot without an end is called \(verdict)")
      }
    } else if laterJournalsVouch(file), !isDamage(verdict) {
      throw Violation(5, "a cut below a mark is called \(verdict)")
    }
    guard verdict <= .leftOpen, shown != whole else { return false }
    // A cut at a frame's edge, with nothing but prepared zeros behind it, or at an earlier `end`, is what a crash leaves.
    let kept = damaged.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
    let edges = [0, PageFile.journalHeader] + frames[file, default: []].map(\.end)
    let isAtEdge =
      edges.contains { $0 >= kept && $0 <= damaged.count } || damaged.count < PageFile.journalHeader
    guard flipped == nil, isAtEdge else { throw Violation(5, "\(verdict), and something is missing") }
    return true
  }

  /// Without its journal, what a merge that was cut off left behind the snapshot's last `end` is damage of the snapshot.
  private func isDamage(_ verdict: Verdict) -> Bool {
    guard verdict == .damagedSnapshot, let bytes = image[snapshot] else { return verdict == .corruption }
    return bytes.count > frames[snapshot, default: []].last { $0.type == .end }?.end ?? 0
  }

  /// The writable open agrees; what is not healthy is left as it is.
  private func expectWritable(_ files: Image, _ found: OpenedPage) throws {
    let system = SimulatedFileSystem.restart(from: files, recordsEvents: false)
    let store = try PageStore.open(
      CrashRun.directory, options: RecoveredCheck.options,
      environment: .seeded(61, system, ManualExecutor()))
    let opened = try store.open(page)
    store.abandon()
    guard opened.report.verdict == found.report.verdict,
      opened.view.map({ ContentDigest($0) }) == found.view.map({ ContentDigest($0) })
    else { throw Violation(13, "\(found.report) for reading, \(opened.report) for writing") }
    guard !opened.report.verdict.isHealthy, opened.report.verdict != .foreignJournal else { return }
    guard opened.page == nil else {
      throw Violation(6, "a page that is \(opened.report.verdict) can be written")
    }
    guard system.eventCount == 1, system.durableImage() == files else {
      throw Violation(6, "a page that is \(opened.report.verdict) was changed on disk")
    }
  }

  private static func inspect(_ files: Image, _ page: PageID) throws -> OpenedPage {
    try PageInspector.inspect(
      page, in: CrashRun.directory,
      fileSystem: SimulatedFileSystem.restart(from: files, recordsEvents: false))
  }

  /// A first frame's mark speaks of earlier journals only, as it went out in one write with its header.
  private func isVouchedFor(_ file: String, _ byte: Int) -> Bool {
    laterJournalsVouch(file)
      || frames[file, default: []].dropFirst().contains { $0.isMarked && $0.offset > byte }
  }

  private func laterJournalsVouch(_ file: String) -> Bool {
    journals.drop { $0 != file }.dropFirst().contains { name in
      frames[name, default: []].contains { $0.isMarked }
    }
  }
}
