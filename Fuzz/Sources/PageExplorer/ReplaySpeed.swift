// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults

/// One state over and over: a page that was left open with a journal of 7 KB, cut somewhere else each time.
package struct ReplaySpeed {
  private let image: Image
  private let journal: [UInt8]
  private let path: String
  private let digests: Set<ContentDigest>
  package let elements: Int

  package var bytes: Int { journal.count }

  package init() throws {
    let run = try CrashRun(StoreOptions(), payload: 60)
    while run.high < 90 { try run.perform(.commit(.append)) }
    try run.perform(.sync)
    image = run.system.kill()
    digests = Set(run.digests)
    elements = run.states[run.high].elements.count
    run.end()
    guard let path = image.paths.first(where: { $0.hasSuffix(".journal") }), let journal = image[path] else {
      throw Violation(14, "the page has no journal")
    }
    self.path = path
    self.journal = journal
  }

  package func run(_ count: Int) throws {
    let rest = image.paths.filter { $0 != path }.compactMap { name in image[name].map { (name, $0) } }
    for number in 0..<count {
      var files = Dictionary(uniqueKeysWithValues: rest)
      files[path] = journal
      // Every other one is torn in its last eighth.
      if number % 2 == 1 { files[path]?.removeLast(1 + number % (journal.count / 8)) }
      let system = SimulatedFileSystem.restart(
        from: Image(files, directories: [CrashRun.directory]), recordsEvents: false)
      let found = try PageInspector.inspect(CrashRun.page, in: CrashRun.directory, fileSystem: system)
      guard let view = found.view, digests.contains(ContentDigest(view)) else {
        throw Violation(1, "a state that never was: \(found.report)")
      }
    }
  }
}
