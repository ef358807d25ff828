// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults

/// Damages the files of a page one way at a time, and checks what opening them finds against what a person would
/// conclude from the undamaged frames.
package final class DamageCheck {
  /// Pages to damage: the steps that make them.
  package static let pages: [(name: String, start: CrashStart, steps: [CrashStep])] = [
    ("closed", CrashStart(name: "closed-page"), [.commit(.append), .commit(.batch), .closeAndReopen]),
    (
      "left-open", CrashStart(name: "closed-page"),
      [
        .commit(.append), .commit(.move), .sync, .commit(.batch), .sync, .commit(.append), .flush,
        .commit(.set),
      ]
    ),
    (
      "two-journals", CrashStart(name: "merge-pending", threshold: 1),
      [.commit(.append), .commit(.insert), .sync, .commit(.append), .sync, .commit(.replace), .flush]
    ),
  ]

  private let image: Image
  private let digests: [ContentDigest]
  private let snapshot = "\(CrashRun.directory)/\(CrashRun.contentName)"
  private let journals: [String]
  private let frames: [String: [Frame]]
  package private(set) var opened = 0

  package init(_ start: CrashStart, _ steps: [CrashStep]) throws {
    let run = try CrashRun(start.options, payload: start.payload)
    for step in start.prefix + steps { try run.perform(step) }
    image = run.system.kill()
    digests = run.digests
    run.end()
    journals = PageFile.paths(image, ".journal")
    frames = Dictionary(
      uniqueKeysWithValues: ([snapshot] + journals).map { [image] in
        ($0, FrameListing(image[$0] ?? []).frames)
      })
    guard let view = try inspect(image).view, ContentDigest(view) == digests.last else {
      throw Violation(1, "the page is not what was committed, before anything was damaged")
    }
  }

  /// Every bit of every file inverted, every length that a file can be cut to.
  /// - Parameter step: one in so many is tried.
  package func run(step: Int = 1) throws {
    for file in [snapshot] + journals {
      guard let bytes = image[file] else { continue }
      for bit in stride(from: 0, to: bytes.count * 8, by: step) {
        var damaged = bytes
        damaged[bit / 8] ^= 1 << UInt8(bit % 8)
        do { try flip(file, bit / 8, damaged) } catch {
          throw violation(error).adding("with bit \(bit) of \(file) inverted, in\n\(image)")
        }
      }
      for length in stride(from: 0, to: bytes.count, by: step) {
        do { try cut(file, Array(bytes[..<length])) } catch {
          throw violation(error).adding("with \(file) cut to \(length) bytes, in\n\(image)")
        }
      }
    }
  }

  private func flip(_ file: String, _ byte: Int, _ damaged: [UInt8]) throws {
    let verdict = try look(file, damaged)
    if file == snapshot {
      guard verdict == .damagedSnapshot else { throw Violation(5, "a damaged snapshot is called \(verdict)") }
    } else if isVouchedFor(file, byte) {
      guard verdict == .corruption else { throw Violation(5, "damage below a mark is called \(verdict)") }
    } else {
      guard verdict == .tornTail || verdict == .unsyncedTail else {
        throw Violation(5, "damage above all marks is called \(verdict)")
      }
    }
  }

  private func cut(_ file: String, _ damaged: [UInt8]) throws {
    let verdict = try look(file, damaged)
    if file == snapshot {
      let isAtEnd = frames[file, default: []].contains { $0.type == .end && $0.end == damaged.count }
      guard isAtEnd || verdict == .damagedSnapshot else {
        throw Violation(5, "a cut snapshot is called \(verdict)")
      }
    } else if laterJournalsVouch(file) {
      guard verdict == .corruption else { throw Violation(5, "a cut below a mark is called \(verdict)") }
    } else if file == journals.last {
      // At the edge of a frame, or with nothing but zeros behind one, it looks like a journal that ended there.
      let kept = (damaged.lastIndex { $0 != 0 } ?? -1) + 1
      let edges = [PageFile.journalHeader] + frames[file, default: []].map(\.end)
      let isAtEdge =
        damaged.count < PageFile.journalHeader || edges.contains { $0 >= kept && $0 <= damaged.count }
      guard verdict == (isAtEdge ? .leftOpen : .tornTail) else {
        throw Violation(5, "a cut is called \(verdict)")
      }
    }
  }

  /// Opens the damaged page for reading, then for writing.
  private func look(_ file: String, _ damaged: [UInt8]) throws -> Verdict {
    opened += 2
    let files = image.replacing(file, damaged)
    let found = try inspect(files)
    try expectKnown(found)
    let system = SimulatedFileSystem.restart(from: files, recordsEvents: false)
    let store = try PageStore.open(
      CrashRun.directory, options: RecoveredCheck.options,
      environment: .seeded(61, system, ManualExecutor()))
    let opened = try store.open(CrashRun.page)
    try expectKnown(opened)
    store.abandon()
    let verdict = opened.report.verdict
    guard verdict == found.report.verdict else {
      throw Violation(13, "\(found.report.verdict) for reading, \(verdict) for writing")
    }
    // A foreign journal is set aside and the page goes on; all that is worse is left to the last bit.
    if verdict > .foreignJournal {
      guard opened.page == nil else { throw Violation(6, "a page that is \(verdict) can be written") }
      guard system.durableImage() == files else {
        throw Violation(6, "a page that is \(verdict) was changed on disk")
      }
    }
    return verdict
  }

  private func inspect(_ files: Image) throws -> OpenedPage {
    try PageInspector.inspect(
      CrashRun.page, in: CrashRun.directory,
      fileSystem: SimulatedFileSystem.restart(from: files, recordsEvents: false))
  }

  private func expectKnown(_ opened: OpenedPage) throws {
    guard let view = opened.view else { return }
    let commit = Int(clamping: view.commit)
    guard commit < digests.count, ContentDigest(view) == digests[commit] || commit == 0 else {
      throw Violation(1, "a state is shown that never was, as commit \(commit)")
    }
  }

  // MARK: What the undamaged frames say

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
