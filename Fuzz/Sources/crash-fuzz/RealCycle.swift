// SPDX-License-Identifier: Apache-2.0

import Foundation
import PageExplorer
import PageJournal
import PageJournalFaults

/// Cycles of work, power cut and recovery on one real volume. What a cycle leaves is where the next one goes on, up to
/// the end of a chain; a chain starts with an empty directory.
final class RealCycles {
  /// Cycles in a chain.
  static let chain = 8
  /// A new file system every so many cycles.
  private static let renewal = 320

  private(set) var histogram = RealHistogram()
  /// Images that were members of the narrower profile that the file system has.
  private(set) var narrow = 0
  private(set) var images = 0

  private let volume: RealVolume
  private var profile: CrashProfile
  private let seed: UInt64
  private let root: String
  private var model = RealModel()
  private var directory: String { root + "/pages" }

  /// What the last cycle did, and what it found: for who wants to know why it was a violation.
  private(set) var log: [String] = []
  private(set) var image = Image()

  /// Whether files are not synchronised, so that there is something to find.
  private let isCanary: Bool

  init(_ volume: RealVolume, _ kind: RealVolume.Kind, seed: UInt64, isCanary: Bool) {
    self.volume = volume
    self.isCanary = isCanary
    self.profile = kind == .ext4 ? .ext4 : .xfs
    self.seed = seed
    root = volume.folder + "/document"
  }

  private static func mixed(_ seed: UInt64, _ cycle: Int) -> SplitMix64 {
    var random = SplitMix64(seed: seed &+ UInt64(cycle) &* 0x9E37_79B9)
    return SplitMix64(seed: random.next())
  }

  /// One cycle. Throws what must never be.
  func run(_ cycle: Int, isFirst: Bool) throws {
    var random = Self.mixed(seed, cycle)
    log = []
    if cycle % Self.chain == 0 || isFirst { try start(cycle, isNew: isFirst) }
    let workload = try work(&random)
    try recover(&random, workload)
  }

  private func start(_ cycle: Int, isNew: Bool) throws(NoVolume) {
    if isNew || cycle % Self.renewal == 0 {
      // Small volumes have small blocks, large ones blocks of a page: both are seen, by turns.
      profile.unit = cycle / Self.renewal % 2 == 0 ? 4096 : 1024
      try volume.renew(block: profile.unit)
    }
    do {
      try? FileManager.default.removeItem(atPath: root)
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    } catch {
      throw NoVolume(reason: "\(directory) cannot be made: \(error)")
    }
    try volume.settle()
    model = RealModel()
  }

  // MARK: Work until the power goes

  private func work(_ random: inout SplitMix64) throws -> RealTee {
    let before = try Image(reading: PosixFileSystem(), at: root)
    let steps = Int.random(in: 1...40, using: &random)
    let isDuring = Int.random(in: 0..<3, using: &random) == 0
    let delay = UInt64.random(
      in: 0..<[2000, 30_000, 200_000, 1_000_000][Int.random(in: 0..<4, using: &random)])
    // The opening has its share: a third of the cuts come within the first calls.
    let most = Int.random(in: 0..<4, using: &random) == 0 ? 25 : steps * 6 + 10
    let target = Int.random(in: 1...most, using: &random)
    let cut = RealCut(isDuring ? .during(delay) : .before, call: target, volume: volume.cutter)
    let noise = RealNoise(
      in: directory, other: volume.folder + "/other",
      rate: [0, 5, 25, 60][Int.random(in: 0..<4, using: &random)],
      seed: random.next())
    let tee = RealTee(root, .restart(from: before), cut, forgetsSyncs: isCanary) {
      cut.calls == target - 1 ? noise.actBeforeCut() : noise.act()
    }
    var workload = RealWorkload(model, in: directory, tee, seed: random.next())
    defer {
      log = workload.log
      model = workload.model
    }
    let outcome = Result { try workload.run(steps: steps) }
    let failure = cut.finish()
    log = workload.log
    log.append("cut \(isDuring ? "during" : "before") call \(target), \(cut.calls) calls were made")
    try outcome.get()
    guard failure == 0 else {
      throw NoVolume(reason: "the volume cannot be cut off: \(String(cString: strerror(failure)))")
    }
    if let divergence = tee.divergence { throw Violation(0, divergence) }
    histogram.count("cut during a call", if: tee.modelBefore != nil)
    log += tee.model.events.map(\.description)
    if let found = workload.found {
      histogram.add(found.verdicts)
      histogram.count("commits lost", if: found.lost > 0)
    }
    return tee
  }

  // MARK: What is left

  private func recover(_ random: inout SplitMix64, _ tee: RealTee) throws {
    try volume.restart()
    image = try Image(reading: PosixFileSystem(), at: root)
    images += 1
    let models = [tee.modelBefore, tee.model].compactMap { $0 }
    guard let member = models.first(where: { $0.couldLeave(image) }) else {
      let objections = models.flatMap { $0.objections(to: image) }
      throw Violation(0, "the image is not in the model's set: \(objections.joined(separator: "; "))")
    }
    histogram.add(image, member)
    if models.contains(where: { $0.couldLeave(image, profile: profile) }) {
      narrow += 1
    } else {
      let objections = models.flatMap { $0.objections(to: image, profile: profile) }
      narrowMisses.append(objections.joined(separator: "; "))
    }
    // Else the next cycle recovers it, with the power going meanwhile.
    guard Int.random(in: 0..<4, using: &random) > 0 else { return }
    let shown = try open(seed: random.next())
    if Int.random(in: 0..<8, using: &random) == 0 {
      _ = volume.cutter()
      try volume.restart()
      histogram.count("cut after a recovery")
    }
    try expectNothingLeft()
    try expectIdempotence(shown, seed: random.next())
  }

  /// Why images were outside of the narrower profile.
  private(set) var narrowMisses: [String] = []

  /// Recovers, and lets go at once.
  private func open(seed: UInt64) throws -> [PageID: PageContent] {
    let store = try PageStore.open(
      directory, environment: .seeded(seed, PosixFileSystem(), ManualExecutor()))
    defer { store.abandon() }
    let (opened, verdicts, lost) = try model.open(store) { false }
    histogram.add(verdicts)
    histogram.count("commits lost", if: lost > 0)
    return opened.mapValues { PageContent($0.view) }
  }

  private func expectNothingLeft() throws {
    let names = try PosixFileSystem().names(in: directory).filter { !$0.hasSuffix(".quarantine") }
    let wanted = model.pages.keys.map { "\($0).content" }
    guard Set(names) == Set(wanted) else { throw Violation(9, "the open left \(names.sorted())") }
  }

  /// A second open writes nothing and sees the same.
  private func expectIdempotence(_ shown: [PageID: PageContent], seed: UInt64) throws {
    let counting = CountingFileSystem(PosixFileSystem())
    let store = try PageStore.open(
      directory, environment: .seeded(seed, counting, ManualExecutor()))
    defer { store.abandon() }
    for (id, content) in shown {
      guard let page = try store.open(id).page, page.report.verdict == .clean else {
        throw Violation(2, "a second open of page \(id) finds \(try store.open(id).report)")
      }
      guard PageContent(page.view) == content else {
        throw Violation(3, "page \(id) showed\n\(content)\nand now\n\(PageContent(page.view))")
      }
    }
    guard counting.counts.bytesWritten == 0, counting.counts.mutatingCalls == 1 else {
      throw Violation(2, "a second open does \(counting.counts)")
    }
  }
}
