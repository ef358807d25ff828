// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults

/// Opens what a power cut left, as often as it takes to know that SPEC.md's invariants hold. Each image is looked
/// at once; what it recovers to is remembered. One thread uses it.
package final class CrashChecker: @unchecked Sendable {
  /// Counts of what was looked at; those of several checkers add up.
  package struct Counts: Sendable {
    package var moments = 0
    /// Moments of which not every image was looked at.
    package var sampled = 0
    /// Images that the profile allows at those moments, equal ones counted again.
    package var images = 0
    /// The same for the moments inside of recoveries.
    package var nestedMoments = 0
    /// New images in whose recovery crashes were looked at.
    package var nesting = 0
    package var nestedSampled = 0
    package var nestedImages = 0
    package var opens = 0
    package var verdicts: [Verdict: Int] = [:]

    package init() {}

    package var summary: String {
      let kinds = verdicts.sorted { $0.key < $1.key }.map { "\($0.key.rawValue) \($0.value)" }
      return "\(images) crash images of \(moments) moments (\(sampled) of them not complete), "
        + "\(nestedImages) of \(nestedMoments) moments inside \(nesting) recoveries (\(nestedSampled) not complete); "
        + kinds.joined(separator: ", ")
    }

    package static func += (sum: inout Counts, other: Counts) {
      sum.moments += other.moments
      sum.sampled += other.sampled
      sum.images += other.images
      sum.nesting += other.nesting
      sum.nestedMoments += other.nestedMoments
      sum.nestedSampled += other.nestedSampled
      sum.nestedImages += other.nestedImages
      sum.opens += other.opens
      sum.verdicts.merge(other.verdicts, uniquingKeysWith: +)
    }

    /// What was counted since.
    package static func - (now: Counts, before: Counts) -> Counts {
      var rest = now
      rest.moments -= before.moments
      rest.sampled -= before.sampled
      rest.images -= before.images
      rest.nesting -= before.nesting
      rest.nestedMoments -= before.nestedMoments
      rest.nestedSampled -= before.nestedSampled
      rest.nestedImages -= before.nestedImages
      rest.opens -= before.opens
      rest.verdicts.merge(before.verdicts, uniquingKeysWith: -)
      return rest
    }
  }

  package let profile: CrashProfile
  /// The most images of one moment; nil for all. By depth: crash, crash in the recovery, …
  package let limits: [Int?]
  /// Crashes in recoveries are looked at for one image in so many, chosen by its fingerprint: the same at each run.
  package let nestsOneIn: Int
  private let known: KnownStates
  package private(set) var counts = Counts()

  package init(
    _ known: KnownStates, profile: CrashProfile = .worst, limits: [Int?], nestsOneIn: Int = 1
  ) {
    self.nestsOneIn = max(1, nestsOneIn)
    self.known = known
    self.profile = profile
    self.limits = limits
  }

  private func limit(_ level: Int) -> Int? {
    guard let limit = limits[min(level, limits.count - 1)] else { return nil }
    return limit
  }

  /// What an image has to have been looked at for, so that it need not be again.
  /// - Parameter level: of the crashes in its recovery.
  private func needed(depth: Int, level: Int) -> Reach {
    let isComplete = depth <= 0 || (level..<(level + depth)).allSatisfy { limit($0) == nil }
    return Reach(depth: depth, isComplete: isComplete)
  }

  /// Every image of this moment has to show one state between two commits.
  /// - Parameters:
  ///   - depth: How deep crashes in recoveries are nested: with 1, those in the recovery after a crash.
  package func check(_ run: CrashRun, depth: Int) throws {
    try check(
      run.system, from: run.low, to: run.high, of: run.states, digests: run.digests, depth: depth)
  }

  package func check(
    _ system: SimulatedFileSystem, from low: Int, to high: Int, of states: [PageContent],
    digests: [ContentDigest], depth: Int
  ) throws {
    counts.moments += 1
    let images = system.crashImages(profile: profile, limit: limit(0))
    func fits(_ state: KnownState) -> Bool {
      let commit = Int(state.commit)
      return commit >= low && commit <= high && state.content == digests[commit]
    }
    let nests = needed(depth: depth, level: 1)
    let plain = needed(depth: 0, level: 1)
    func isChosen(_ digest: ImageDigest) -> Bool { nestsOneIn == 1 || digest.shard % nestsOneIn == 0 }
    while let (image, digest) = try images.next(unless: { digest in
      counts.images += 1
      guard let state = known.state(of: digest), state.reach >= (isChosen(digest) ? nests : plain) else {
        return false
      }
      guard state.violation == nil, fits(state) else {
        throw state.violation.map { known.violation($0) } ?? mismatch(state, low, high, states, "\(digest)")
      }
      return true
    }) {
      let isNesting = depth > 0 && isChosen(digest)
      if isNesting { counts.nesting += 1 }
      let state = try recovered(image, digest, depth: isNesting ? depth : 0, level: 1)
      guard fits(state) else { throw mismatch(state, low, high, states, "\(image)") }
    }
    if !images.statistics.isComplete { counts.sampled += 1 }
  }

  private func mismatch(
    _ state: KnownState, _ low: Int, _ high: Int, _ states: [PageContent], _ image: String
  ) -> Violation {
    let commit = Int(state.commit)
    let what =
      (low...high).contains(commit)
      ? "another state than \(states[commit])" : "commit \(commit), but \(low)…\(high) are possible"
    return Violation(1, "a power cut shows \(what)\n\(image)")
  }

  // MARK: One image

  /// What an image recovers to, after everything that has to hold of its recovery was found to hold.
  package func recovered(_ image: Image, depth: Int) throws -> KnownState {
    try recovered(image, image.digest, depth: depth, level: 1)
  }

  private func recovered(
    _ image: Image, _ digest: ImageDigest, depth: Int, level: Int
  ) throws -> KnownState {
    if let state = known.state(of: digest), state.reach >= needed(depth: depth, level: level) {
      if let number = state.violation { throw known.violation(number) }
      return state
    }
    do {
      let state = try examined(image, depth: depth, level: level)
      known.note(state, of: digest)
      return state
    } catch {
      let found = violation(error).adding("\(image)")
      var state = KnownState(content: ContentDigest(PageContent()), commit: 0, reach: .most)
      state.violation = known.note(found)
      known.note(state, of: digest)
      throw found
    }
  }

  private func examined(_ image: Image, depth: Int, level: Int) throws -> KnownState {
    let system = SimulatedFileSystem.restart(from: image, recordsEvents: false)
    let nested = NestedImages(needed(depth: depth - 1, level: level + 1))
    if depth > 0 {
      system.observeSyncs { [self] system, _ in
        nested.collect(system.crashImages(profile: profile, limit: limit(level)), known, &counts)
      }
    }
    let (store, page) = try open(system)
    if depth > 0 { system.observeSyncs(nil) }
    let report = page.report
    counts.verdicts[report.verdict, default: 0] += 1
    guard report.verdict.isHealthy, page.obstacle == nil else {
      throw Violation(5, "a crash is called \(report)")
    }
    let content = ContentDigest(page.view)
    guard !system.hasPending else { throw Violation(3, "what is shown is not durable") }
    try expectNoLeftovers(system)
    store.abandon()
    let after = system.durableImage()
    try expectNothingWrong(after, content)
    if level == 1 { try expectInspectorAgrees(image, content) }
    try nested.expect(content)
    for (digest, inner) in nested.images {
      let again = try recovered(inner, digest, depth: depth - 1, level: level + 1)
      guard again.content == content else {
        throw Violation(
          2, "a crash in the recovery shows another state, commit \(again.commit)\n\(inner)\nfrom")
      }
    }
    // Fewer than the limit are all of them.
    let isComplete = nested.isComplete || needed(depth: depth, level: level).isComplete
    return KnownState(
      content: content, commit: UInt32(clamping: page.commit),
      reach: Reach(depth: depth, isComplete: isComplete))
  }

  /// What a recovery left shows what the recovery showed, and is sound in itself; files that were looked at before
  /// are not looked at again.
  private func expectNothingWrong(_ left: Image, _ content: ContentDigest) throws {
    let key = RecoveredCheck.key(left)
    if let other = known.content(left: key) {
      guard other == content else {
        throw Violation(3, "the page shows another state than it left on the disk")
      }
      return
    }
    try RecoveredCheck.run(left, content, &counts.opens)
    known.note(content, left: key)
  }

  private func open(_ system: SimulatedFileSystem) throws -> (PageStore, Page) {
    counts.opens += 1
    let store = try PageStore.open(
      CrashRun.directory, options: RecoveredCheck.options,
      environment: .seeded(7, system, ManualExecutor()))
    let opened = try store.open(CrashRun.page)
    guard let page = opened.page else { throw Violation(5, "no writable page: \(opened.report)") }
    return (store, page)
  }

  /// The inspector writes nothing and shows what a writable open shows.
  private func expectInspectorAgrees(_ image: Image, _ content: ContentDigest) throws {
    let system = SimulatedFileSystem.restart(from: image, recordsEvents: false)
    let inspected = try PageInspector.inspect(CrashRun.page, in: CrashRun.directory, fileSystem: system)
    counts.opens += 1
    guard system.eventCount == 0 else { throw Violation(13, "the inspector wrote") }
    guard let view = inspected.view, inspected.report.verdict.isHealthy else {
      throw Violation(5, "the inspector calls a crash \(inspected.report)")
    }
    guard ContentDigest(view) == content else {
      throw Violation(13, "the inspector shows another state than the writable open: \(PageContent(view))")
    }
  }

  /// No temporary file, no dead generation.
  private func expectNoLeftovers(_ system: SimulatedFileSystem) throws {
    let names = try system.names(in: CrashRun.directory)
    for name in names where name != CrashRun.contentName && !name.hasSuffix(".quarantine") {
      throw Violation(9, "the open left \(names)")
    }
  }
}

/// Images of the moments inside of one recovery. Used on one thread.
private final class NestedImages: @unchecked Sendable {
  private(set) var images: [ImageDigest: Image] = [:]
  /// Whether all images of all moments were given, not a sample.
  private(set) var isComplete = true
  private let needed: Reach
  private var contents: Set<ContentDigest> = []
  private var wrong: Violation?

  init(_ needed: Reach) { self.needed = needed }

  func collect(_ found: CrashImages, _ known: KnownStates, _ counts: inout CrashChecker.Counts) {
    counts.nestedMoments += 1
    while let (image, digest) = found.next(unless: { digest in
      counts.nestedImages += 1
      if images[digest] != nil { return true }
      guard let state = known.state(of: digest), state.reach >= needed else { return false }
      if let number = state.violation { wrong = wrong ?? known.violation(number) }
      contents.insert(state.content)
      return true
    }) { images[digest] = image }
    guard !found.statistics.isComplete else { return }
    counts.nestedSampled += 1
    isComplete = false
  }

  /// All that were known show this state.
  func expect(_ content: ContentDigest) throws {
    if let wrong { throw wrong }
    for other in contents where other != content {
      throw Violation(2, "a crash in the recovery shows another state than the recovery")
    }
  }
}
