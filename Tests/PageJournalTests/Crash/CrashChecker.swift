// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults

/// Opens what a power cut left, as often as it takes to know that SPEC.md's invariants hold. Each image is looked
/// at once; what it recovers to is remembered.
final class CrashChecker {
  private struct Known {
    var result: Result<PageContent, CrashFailure>
    var depth: Int
  }

  /// How many images of one moment are looked at, by depth from the top: crash, crash in the recovery, …
  let limits: [Int]
  private var known: [Image: Known] = [:]
  private(set) var images = 0
  private(set) var opens = 0
  private(set) var sampled = 0
  private(set) var verdicts: [Verdict: Int] = [:]

  /// Different images that were opened.
  var distinct: Int { known.count }

  init(limits: [Int]) { self.limits = limits }

  var summary: String {
    let kinds = verdicts.sorted { $0.key < $1.key }.map { "\($0.key.rawValue) \($0.value)" }
    return "\(images) crash images, \(distinct) distinct states, \(sampled) moments sampled, \(opens) opens; "
      + kinds.joined(separator: ", ")
  }

  /// Every image of this moment has to show one state between two commits.
  func check(
    _ system: SimulatedFileSystem, from low: Int, to high: Int, of states: [PageContent], depth: Int
  ) throws {
    let images = system.crashImages(profile: .worst, limit: limits[0])
    for image in images {
      self.images += 1
      let found = try recovered(image, depth: depth, limits.dropFirst())
      guard (low...high).contains(Int(found.commit)), found == states[Int(found.commit)] else {
        throw CrashFailure("shows\n\(found)\nbut commits \(low)…\(high) are possible\n\(image)")
      }
    }
    if !images.statistics.isComplete { sampled += 1 }
  }

  // MARK: One image

  /// What an image recovers to, after everything that has to hold of its recovery was found to hold.
  func recovered(_ image: Image, depth: Int, _ limits: ArraySlice<Int>) throws -> PageContent {
    if let known = known[image], known.depth >= depth { return try known.result.get() }
    let result: Result<PageContent, CrashFailure>
    do {
      result = .success(try examined(image, depth: depth, limits))
    } catch let failure as CrashFailure {
      result = .failure(failure)
    } catch {
      result = .failure(CrashFailure("\(error)\n\(image)"))
    }
    known[image] = Known(result: result, depth: depth)
    return try result.get()
  }

  private func examined(_ image: Image, depth: Int, _ limits: ArraySlice<Int>) throws -> PageContent {
    func failure(_ text: String) -> CrashFailure { CrashFailure("\(text)\n\(image)") }
    let system = SimulatedFileSystem.restart(from: image, recordsEvents: false)
    let inspected = try inspect(system, failure)
    let nested = ImageCollector()
    if depth > 0, let limit = limits.first {
      system.observeSyncs { system, _ in nested.add(system.crashImages(profile: .worst, limit: limit)) }
    }
    let (store, page) = try open(system)
    system.observeSyncs(nil)
    verdicts[page.report.verdict, default: 0] += 1
    guard page.report.verdict.isHealthy, page.obstacle == nil else {
      throw failure("a crash is called \(page.report)")
    }
    let content = PageContent(page.view)
    guard content == inspected else {
      throw failure("the inspector shows\n\(inspected)\nand the writable open\n\(content)")
    }
    guard !system.hasPending else { throw failure("what is shown is not durable") }
    try expectNoLeftovers(system, failure)
    store.abandon()
    try expectIdempotence(system, content, failure)
    try expectNothingReturns(system, content, failure)
    for image in nested.images {
      self.images += 1
      let again = try recovered(image, depth: depth - 1, limits.dropFirst())
      guard again == content else {
        throw failure("a crash in the recovery shows\n\(again)\ninstead of\n\(content)\n\(image)\nfrom")
      }
    }
    return content
  }

  private func open(_ system: any FileSystem, seed: UInt64 = 7) throws -> (PageStore, Page) {
    opens += 1
    let store = try PageStore.open(
      CrashRun.directory, environment: .seeded(seed, system, ManualExecutor()))
    let opened = try store.open(CrashRun.page)
    guard let page = opened.page else { throw CrashFailure("no writable page: \(opened.report)") }
    return (store, page)
  }

  private func inspect(
    _ system: SimulatedFileSystem, _ failure: (String) -> CrashFailure
  ) throws -> PageContent {
    let before = system.eventCount
    let inspected = try PageInspector.inspect(CrashRun.page, in: CrashRun.directory, fileSystem: system)
    guard system.eventCount == before else { throw failure("the inspector wrote") }
    guard let view = inspected.view, inspected.report.verdict.isHealthy else {
      throw failure("the inspector calls a crash \(inspected.report)")
    }
    return PageContent(view)
  }

  /// No temporary file, no dead generation.
  private func expectNoLeftovers(
    _ system: SimulatedFileSystem, _ failure: (String) -> CrashFailure
  ) throws {
    let names = try system.names(in: CrashRun.directory).filter { !$0.hasSuffix(".quarantine") }
    guard names == ["\(CrashRun.page).content"] else { throw failure("the open left \(names)") }
  }

  /// A second open writes nothing and sees the same.
  private func expectIdempotence(
    _ system: SimulatedFileSystem, _ content: PageContent, _ failure: (String) -> CrashFailure
  ) throws {
    let counting = CountingFileSystem(system)
    let (store, page) = try open(counting, seed: 8)
    guard page.report.verdict == .clean, PageContent(page.view) == content else {
      throw failure("a second open finds \(page.report)\n\(PageContent(page.view))")
    }
    guard counting.counts.bytesWritten == 0, counting.counts.mutatingCalls == 1 else {
      throw failure("a second open does \(counting.counts)")
    }
    store.abandon()
  }

  /// What was set aside or dropped stays away when the page goes on; a clean close leaves one file.
  private func expectNothingReturns(
    _ system: SimulatedFileSystem, _ content: PageContent, _ failure: (String) -> CrashFailure
  ) throws {
    let (store, page) = try open(system, seed: 9)
    var next = content
    let operations = CommitKind.batch.operations(on: content)
    next.apply(operations)
    _ = try page.commit(operations)
    try page.sync()
    let cut = SimulatedFileSystem.restart(from: system.durableImage(), recordsEvents: false)
    let (_, after) = try open(cut, seed: 10)
    guard PageContent(after.view) == next, after.report.verdict == .leftOpen else {
      throw failure("after one more commit: \(after.report)\n\(PageContent(after.view))\ninstead of\n\(next)")
    }
    try store.close()
    let names = try system.names(in: CrashRun.directory)
    guard names == ["\(CrashRun.page).content"] else { throw failure("the close left \(names)") }
    let closed = try PageInspector.inspect(CrashRun.page, in: CrashRun.directory, fileSystem: system)
    guard closed.report.verdict == .clean, closed.view.map({ PageContent($0) }) == next else {
      throw failure("after the close: \(closed.report)")
    }
    guard !system.hasPending else { throw failure("a close left something pending") }
  }
}

/// Images of the moments inside of one recovery. Used on one thread.
private final class ImageCollector: @unchecked Sendable {
  private(set) var images: Set<Image> = []

  func add(_ found: CrashImages) { for image in found { images.insert(image) } }
}
