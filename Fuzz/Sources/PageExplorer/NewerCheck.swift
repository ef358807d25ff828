// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults

/// Files of a newer version: opened for reading only, and left as they are to the last bit.
package enum NewerCheck {
  /// - Returns: how many pages were opened.
  package static func run() throws -> Int {
    let run = try CrashRun(CrashStart(name: "closed-page").options)
    for step in [CrashStep.commit(.append), .sync, .commit(.batch), .sync] { try run.perform(step) }
    let image = run.system.kill()
    run.end()
    guard let journal = PageFile.paths(image, ".journal").first, let frames = image[journal],
      let snapshot = PageFile.paths(image, ".content").first, let content = image[snapshot]
    else { throw Violation(1, "a page that was left open has no journal") }
    let newer: [(what: String, image: Image)] = [
      ("a frame of type 63", image.replacing(journal, PageFile.appendingFrame(frames, type: 63, [1, 2, 3]))),
      ("an empty frame of type 9", image.replacing(journal, PageFile.appendingFrame(frames, type: 9, []))),
      (
        "a snapshot of version 2",
        image.replacing(snapshot, PageFile.withMajorVersion(2, content, header: 36)).replacing(journal, nil)
      ),
      (
        "a journal of version 2",
        image.replacing(journal, PageFile.withMajorVersion(2, frames, header: PageFile.journalHeader))
      ),
    ]
    for (what, image) in newer {
      let system = SimulatedFileSystem.restart(from: image, recordsEvents: false)
      let store = try PageStore.open(
        CrashRun.directory, options: RecoveredCheck.options,
        environment: .seeded(71, system, ManualExecutor()))
      let opened = try store.open(CrashRun.page)
      store.abandon()
      guard opened.report.verdict == .needsNewerVersion, opened.page == nil else {
        throw Violation(13, "\(what) is called \(opened.report)")
      }
      guard system.durableImage() == image else { throw Violation(13, "\(what): the files were changed") }
    }
    return newer.count
  }
}
