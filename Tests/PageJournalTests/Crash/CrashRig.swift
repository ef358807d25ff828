// SPDX-License-Identifier: Apache-2.0

import PageExplorer
import PageJournal
import PageJournalFaults
import Testing

/// A page of four commits and generation 2, on a disk that can fail, crash and be counted.
final class CrashRig {
  let system: SimulatedFileSystem
  let faulting: FaultingFileSystem
  let counting: CountingFileSystem
  let executor = ManualExecutor()
  let options: StoreOptions
  let store: PageStore
  let page: Page

  static var contentPath: String { "\(CrashRun.directory)/\(CrashRun.page).content" }
  static func journalPath(_ generation: Int) -> String {
    "\(CrashRun.directory)/\(CrashRun.page).\(generation).journal"
  }

  init(
    _ image: Image = CrashRun.base.image, threshold: Int = 1 << 20, rewrites: Bool = false,
    plan: FaultPlan = []
  ) throws {
    var options = StoreOptions()
    options.compactionThreshold = threshold
    options.rewritesAtEverySave = rewrites
    self.options = options
    system = SimulatedFileSystem.restart(from: image, recordsEvents: false)
    faulting = FaultingFileSystem(system)
    counting = CountingFileSystem(faulting)
    store = try PageStore.open(
      CrashRun.directory, options: options, environment: .seeded(1, counting, executor))
    faulting.plan = plan
    page = try #require(try store.open(CrashRun.page).page)
    counting.reset()
  }

  @discardableResult
  func append(_ count: Int = 1) throws -> UInt64 {
    for _ in 0..<count { _ = try page.commit([.append(kind: 1, payload: [UInt8](repeating: 7, count: 20))]) }
    return page.commit
  }

  func fail(_ plan: String) throws { faulting.plan = try FaultPlan(parsing: plan) }

  var content: PageContent { PageContent(page.view) }

  var names: [String] { CrashRig.names(system) }

  static func names(_ system: any FileSystem) -> [String] {
    ((try? system.names(in: CrashRun.directory)) ?? []).map {
      $0.hasPrefix("\(CrashRun.page)") ? String($0.dropFirst(36)) : $0
    }.sorted()
  }

  func size(_ path: String) -> Int { (try? system.contents(of: path, limit: 1 << 20))?.count ?? -1 }

  // MARK: What others find

  struct Found {
    var report: RecoveryReport
    var content: PageContent?
    var names: [String]
    var obstacle: StorageError?
    var system: SimulatedFileSystem
    var isWritable: Bool

    var commit: UInt64? { content?.commit }
  }

  /// Opens an image for writing, as after a restart.
  static func open(
    _ image: Image, policy: RecoveryPolicy = .standard, floor: PageFloor? = nil
  ) throws -> Found {
    let system = SimulatedFileSystem.restart(from: image, recordsEvents: false)
    var options = StoreOptions()
    options.policy = policy
    let store = try PageStore.open(
      CrashRun.directory, options: options, environment: .seeded(2, system, ManualExecutor()))
    let opened = try store.open(CrashRun.page, floor: floor)
    defer { store.abandon() }
    return Found(
      report: opened.report, content: opened.view.map { PageContent($0) }, names: names(system),
      obstacle: opened.page?.obstacle, system: system, isWritable: opened.page != nil)
  }

  /// The images of every synchronisation inside of `body`, and of the moment after it.
  func crashes(limit: Int = 400, during body: () throws -> Void) rethrows -> Set<Image> {
    let collector = Collector()
    system.observeSyncs { system, _ in collector.add(system.crashImages(limit: limit)) }
    defer { system.observeSyncs(nil) }
    try body()
    collector.add(system.crashImages(limit: limit))
    return collector.images
  }

  final class Collector: @unchecked Sendable {
    private(set) var images: Set<Image> = []
    func add(_ found: CrashImages) { for image in found { images.insert(image) } }
  }
}

extension Image {
  /// The same with one file changed; nil removes it.
  func with(_ path: String, _ bytes: [UInt8]?) -> Image {
    var files: [String: [UInt8]] = [:]
    for name in paths { if let content = self[name] { files[name] = content } }
    files[path] = bytes
    return Image(files, directories: [CrashRun.directory])
  }
}
