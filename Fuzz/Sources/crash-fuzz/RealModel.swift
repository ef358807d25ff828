// SPDX-License-Identifier: Apache-2.0

import PageExplorer
import PageJournal
import PageJournalFaults

/// What a page may be when the power comes back.
struct RealPage: Sendable {
  /// Whether it exists.
  enum Existence: Sendable {
    case certain
    /// Its creation or removal was under way.
    case open
  }

  var existence: Existence
  /// The state after each commit that may be the last, in order.
  private(set) var states: [PageContent]
  /// The place in `states` of the last one that was acknowledged.
  private(set) var low = 0

  init(_ existence: Existence, _ content: PageContent = PageContent()) {
    self.existence = existence
    states = [content]
  }

  var latest: PageContent { states[states.count - 1] }
  var high: UInt64 { latest.commit }

  mutating func issue(_ operations: [PageJournal.Operation]) {
    var next = latest
    next.apply(operations)
    states.append(next)
  }

  /// Commits up to this one hold.
  mutating func acknowledge(_ commit: UInt64) {
    guard let first = states.first, commit >= first.commit else { return }
    low = max(low, Int(min(commit - first.commit, UInt64(states.count - 1))))
  }

  /// A writable open has shown this; from now on it is what the page is.
  mutating func settle(_ content: PageContent) {
    existence = .certain
    states = [content]
    low = 0
  }

  /// The number of commits that were lost, when the page shows this; nil when it must not.
  func lost(_ content: PageContent) -> Int? {
    guard let first = states.first, content.commit >= first.commit,
      content.commit - first.commit < UInt64(states.count)
    else { return nil }
    let place = Int(content.commit - first.commit)
    return place >= low && states[place] == content ? states.count - 1 - place : nil
  }

  /// Everything that was issued holds.
  mutating func acknowledgeAll() { low = states.count - 1 }

  /// What it may show, in words.
  var range: String { "commits \(states[low].commit)…\(high), the last \(latest)" }
}

/// What the pages of a directory may be when the power comes back.
struct RealModel: Sendable {
  var pages: [PageID: RealPage] = [:]

  /// Opens every page as it must be after a crash, and from then on takes what is shown for what is.
  /// - Parameter isGone: Whether the power has gone meanwhile: then nothing that was shown counts.
  /// - Returns: the verdicts, and how many commits were lost in all.
  mutating func open(
    _ store: PageStore, isGone: () -> Bool
  ) throws -> (opened: [PageID: Page], verdicts: [Verdict], lost: Int) {
    var opened: [PageID: Page] = [:]
    var verdicts: [Verdict] = []
    var lost = 0
    let found = try store.pages()
    if let stranger = found.first(where: { pages[$0] == nil }) {
      throw Violation(8, "there is a page \(stranger) that was never made, or is gone")
    }
    for (id, model) in pages.sorted(by: { $0.key < $1.key }) {
      guard found.contains(id) else {
        guard model.existence == .open else { throw Violation(8, "page \(id) is gone") }
        if !isGone() { pages[id] = nil }
        continue
      }
      let result = try store.open(id)
      guard let page = result.page, page.obstacle == nil, result.report.verdict.isHealthy else {
        throw Violation(5, "page \(id): a power cut is called \(result.report)")
      }
      let content = PageContent(page.view)
      guard let missing = model.lost(content) else {
        throw Violation(1, "page \(id) shows\n\(content)\nwhere it may show \(model.range)")
      }
      if isGone() { throw RealPowerGone() }
      pages[id]?.settle(content)
      opened[id] = page
      verdicts.append(result.report.verdict)
      lost += missing
    }
    return (opened, verdicts, lost)
  }
}

/// The power went while something was opened: nothing is known about it.
struct RealPowerGone: Error {}
