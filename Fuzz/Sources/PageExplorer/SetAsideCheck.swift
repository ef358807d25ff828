// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults

/// Bytes that a recovery does not show are never destroyed: at every moment of it they are where they were, or in a
/// quarantine.
package enum SetAsideCheck {
  /// Performs the steps and looks at what the power cuts after them leave.
  /// - Parameter limit: Images of the cut, and of each moment of the recovery.
  /// - Returns: how many images of recoveries were looked at.
  package static func look(_ start: CrashStart, _ steps: [CrashStep], limit: Int?) throws -> Int {
    let run = try CrashRun(start.options, payload: start.payload)
    defer { run.end() }
    for step in start.prefix + steps { try run.perform(step) }
    var looked = 0
    for image in run.system.crashImages(limit: limit) { looked += try check(image, limit) }
    return looked
  }

  private static func check(_ image: Image, _ limit: Int?) throws -> Int {
    let system = SimulatedFileSystem.restart(from: image, recordsEvents: false)
    let found = try PageInspector.inspect(CrashRun.page, in: CrashRun.directory, fileSystem: system).report
    guard found.bytesSetAside > 0, found.verdict.isHealthy, let file = found.file, let offset = found.offset,
      let bytes = image["\(CrashRun.directory)/\(file)"], offset < bytes.count
    else { return 0 }
    let aside = Array(bytes[offset...])
    let images = Images()
    system.observeSyncs { system, _ in images.all.formUnion(system.crashImages(limit: limit)) }
    let store = try PageStore.open(
      CrashRun.directory, options: RecoveredCheck.options,
      environment: .seeded(51, system, ManualExecutor()))
    _ = try store.open(CrashRun.page)
    system.observeSyncs(nil)
    store.abandon()
    images.all.formUnion(system.crashImages(limit: limit))
    for later in images.all {
      let isThere = later["\(CrashRun.directory)/\(file)"]?.dropFirst(offset).starts(with: aside) == true
      let isAside = PageFile.paths(later, ".quarantine").contains { later[$0]?.starts(with: aside) == true }
      guard isThere || isAside else {
        throw Violation(
          6, "\(aside.count) bytes of \(file) from \(offset) on are gone\n\(later)\nfrom\n\(image)")
      }
    }
    return images.all.count
  }

  private final class Images: @unchecked Sendable {
    var all: Set<Image> = []
  }
}
