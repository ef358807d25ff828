// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PageJournal

/// Damages a golden's files one way at a time, and checks what opening them finds against what a person would
/// conclude from the undamaged frames.
struct DamageSweep {
  private let golden: Golden
  private let full: UInt64
  private let floor: PageFloor
  private let frames: [String: [Frame]]
  private var verdicts: [Verdict: Int] = [:]
  private var complaints = 0
  private var onDisk = 0
  /// Shorter states that look like a crash or a whole page: the exceptions that the design states.
  private(set) var silent = 0
  /// Marks that stand behind damage which has destroyed what would prove them.
  private var unproved = 0

  var files: [String] { [golden.snapshotName] + golden.journalNames }

  func bytes(_ file: String) -> [UInt8] { golden.files[file] ?? [] }

  init(_ golden: Golden) throws {
    self.golden = golden
    let recovery = Recovery(golden.pageFiles)
    full = recovery.state.commit
    let end = try #require(recovery.reading?.end)
    floor = PageFloor(generation: end.generation, commit: end.commit)
    frames = golden.files.mapValues { FrameListing($0).frames }
    try #require(PlainPage(recovery.state) == golden.history[Int(full)])
    try #require(golden.history.count == Int(full) + 1)
  }

  // MARK: Damage

  mutating func flip(_ file: String, bit: Int, onDisk: Bool) throws {
    let damaged = bytes(file).flipping(bit: bit)
    let verdict = try check(file, damaged, "bit \(bit) of \(file)", onDisk: onDisk)
    if file == golden.snapshotName {
      expect(verdict == .damagedSnapshot, "bit \(bit) of \(file): \(verdict)")
    } else if isVouchedFor(file, byte: bit / 8) {
      expect(verdict == .corruption, "bit \(bit) of \(file) is below a mark: \(verdict)")
    } else {
      expect(
        verdict == .tornTail || verdict == .unsyncedTail,
        "bit \(bit) of \(file) is above all marks: \(verdict)")
    }
  }

  mutating func cut(_ file: String, to length: Int, onDisk: Bool) throws {
    let damaged = Array(bytes(file)[..<length])
    let name = "\(file) cut to \(length)"
    let verdict = try check(file, damaged, name, onDisk: onDisk)
    if file == golden.snapshotName {
      let isAtEnd = frames[file, default: []].contains { $0.type == .end && $0.end == length }
      if !isAtEnd { expect(verdict == .damagedSnapshot, "\(name): \(verdict)") }
      let found = Recovery(golden.pageFiles(replacing: file, by: damaged), floor: floor)
      expect(found.report.verdict == .damagedSnapshot, "\(name), with a floor: \(found.report.verdict)")
    } else if laterJournalsVouch(file) {
      expect(verdict == .corruption, "\(name): \(verdict)")
    } else if isLastJournal(file) {
      let expected: Verdict = looksWhole(file, damaged) ? .leftOpen : .tornTail
      expect(verdict == expected, "\(name): \(verdict)")
    }
  }

  mutating func zero(_ file: String, _ range: Range<Int>, onDisk: Bool) throws {
    let damaged = bytes(file).zeroing(range)
    guard damaged != bytes(file) else { return }
    let name = "\(file) zeroed in \(range)"
    let verdict = try check(file, damaged, name, onDisk: onDisk)
    if file == golden.snapshotName {
      expect(verdict == .damagedSnapshot, "\(name): \(verdict)")
    } else if laterJournalsVouch(file) || hasProvableMark(file, damaged) {
      expect(verdict == .corruption, "\(name): \(verdict)")
    } else if hasMark(file, behind: damaged), verdict != .corruption {
      unproved += 1
    }
  }

  func finish(_ name: String, silent expected: Int? = nil) {
    let counts = verdicts.sorted { $0.key < $1.key }.map { "\($0.key.rawValue) \($0.value)" }
    print(
      "\(name): \(counts.joined(separator: ", ")); \(onDisk) also opened for writing; \(silent) silently shorter (stated exceptions), \(unproved) marks behind damage that nothing proves"
    )
    if let expected { #expect(silent == expected, "\(name)") }
    #expect(complaints == 0, "\(name)")
  }

  // MARK: Checks

  private mutating func expect(_ isTrue: Bool, _ comment: String) {
    guard !isTrue else { return }
    complaints += 1
    if complaints <= 10 { Issue.record("\(golden.name): \(comment)") }
  }

  private mutating func check(_ file: String, _ damaged: [UInt8], _ name: String, onDisk isOnDisk: Bool)
    throws -> Verdict
  {
    let files = golden.pageFiles(replacing: file, by: damaged)
    let found = Recovery(files)
    let verdict = found.report.verdict
    verdicts[verdict, default: 0] += 1
    let shown = PlainPage(found.state)
    let isKnown = shown.commit < golden.history.count && golden.history[Int(shown.commit)] == shown
    expect(isKnown, "\(name) shows a state that never was, as commit \(shown.commit)")
    if shown.commit < full, verdict <= .leftOpen {
      silent += 1
      expect(isExcused(file, damaged), "\(name) is a silent loss: commit \(shown.commit) of \(full)")
    }
    if isOnDisk {
      onDisk += 1
      if let complaint = try WritableOpen.complaint(files) { expect(false, "\(name): \(complaint)") }
    }
    return verdict
  }

  // MARK: What the undamaged frames say

  private func isLastJournal(_ file: String) -> Bool { golden.journalNames.last == file }

  /// A journal that is whole up to the edge of a frame and has nothing but zeros behind it, or no whole header.
  private func looksWhole(_ file: String, _ damaged: [UInt8]) -> Bool {
    let kept = damaged.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
    if damaged.count < JournalHeader.size || kept == 0 { return true }
    let edges = [JournalHeader.size] + frames[file, default: []].map(\.end)
    return edges.contains { edge in
      edge >= kept && edge <= damaged.count && damaged[..<edge] == bytes(file)[..<edge]
    }
  }

  /// What the design says that it cannot tell from a crash: a journal cut at a frame's edge or zeroed from there to its
  /// end, and a snapshot cut at an earlier `end` (which the document's floor tells).
  private func isExcused(_ file: String, _ damaged: [UInt8]) -> Bool {
    guard file == golden.snapshotName else { return isLastJournal(file) && looksWhole(file, damaged) }
    return golden.journalNames.isEmpty
      && frames[file, default: []].contains { $0.type == .end && $0.end == damaged.count }
  }

  /// Whether a mark says that this byte of a journal had been synchronised. A first frame's mark speaks of earlier
  /// journals only, as it went out in one write with its header.
  private func isVouchedFor(_ file: String, byte: Int) -> Bool {
    if laterJournalsVouch(file) { return true }
    return frames[file, default: []].dropFirst().contains { $0.isMarked && $0.offset > byte }
  }

  private func laterJournalsVouch(_ file: String) -> Bool {
    golden.journalNames.drop { $0 != file }.dropFirst().contains { name in
      frames[name, default: []].contains { $0.isMarked }
    }
  }

  private func intact(_ file: String, _ damaged: [UInt8], _ range: Range<Int>) -> Bool {
    damaged[range] == bytes(file)[range]
  }

  private func hasMark(_ file: String, behind damaged: [UInt8]) -> Bool {
    let first = zip(bytes(file), damaged).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? 0
    return frames[file, default: []].dropFirst().contains {
      $0.isMarked && $0.offset > first && intact(file, damaged, $0.offset..<$0.end)
    }
  }

  /// Whether a mark behind the damage is proved by the frame before it: that one is whole, or it is the frame at the
  /// bad place and has kept its crc, or everything but its crc.
  private func hasProvableMark(_ file: String, _ damaged: [UInt8]) -> Bool {
    let all = frames[file, default: []]
    let whole = all.map { intact(file, damaged, $0.offset..<$0.end) }
    let isHeaderWhole = intact(file, damaged, 0..<JournalHeader.size)
    if !isHeaderWhole {
      let isSeedKnown =
        intact(file, damaged, 8..<12)
        || all.indices.dropFirst(2).contains { whole[$0] && whole[$0 - 1] && whole[$0 - 2] }
      guard isSeedKnown else { return false }
    }
    let bad = isHeaderWhole ? whole.firstIndex(of: false) : nil
    return all.indices.dropFirst().contains { index in
      guard all[index].isMarked, whole[index], index > (bad ?? 0) || !isHeaderWhole else { return false }
      if whole[index - 1] { return true }
      guard index - 1 == bad else { return false }
      let at = all[index - 1].offset
      return intact(file, damaged, (at + 4)..<(at + 8))
        || (intact(file, damaged, at..<(at + 4)) && intact(file, damaged, (at + 8)..<all[index - 1].end))
    }
  }
}
