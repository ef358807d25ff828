// SPDX-License-Identifier: Apache-2.0

/// What a snapshot file can be, with what its neighbours say about it.
enum SnapshotFact: CaseIterable, Sendable {
  case complete
  /// Bad bytes behind the last `end`, and the journal of that generation exists: a merge was cut off.
  case cutOffMerge
  /// Damaged before its last `end`, without one, gone, or bad bytes behind it without its journal.
  case damaged
  case olderThanDocument
  case newer
  case undecodable
  case unavailable
}

/// What journals below the snapshot's generation can be.
enum LowerFact: CaseIterable, Sendable {
  case none
  /// All of them are listed in the `end` (or hold no commit): an unfinished switch.
  case absorbed
  /// At least one is not.
  case foreign
}

/// What the journals from the snapshot's generation on can be; the first that is not valid decides.
enum JournalFact: CaseIterable, Sendable {
  case none
  /// They exist and hold no frame.
  case empty
  case valid
  /// Bad bytes, nothing valid behind them.
  case torn
  /// Bad bytes, valid frames behind them, no mark.
  case broken
  /// Bad bytes that a mark vouches for.
  case brokenSynced
  /// A journal is gone or too short for the next one; no mark.
  case gap
  case gapSynced
  case newer
  case undecodable
  case foreign
  case unavailable
}

/// What a writable open does.
enum RecoveryPlan: Sendable, Equatable, CaseIterable {
  case nothing
  /// Only files without commits are removed.
  case sweep
  case extend
  /// What is not shown is set aside, then the page is rewritten.
  case rewrite
  case readOnly
  /// Not even a state to show.
  case unavailable
}

/// The recovery table of SPEC.md §7 as data: the first row that fits decides. nil fits everything.
enum RecoveryTable {
  struct Row: Sendable {
    var snapshot: [SnapshotFact]?
    var lower: [LowerFact]?
    var journals: [JournalFact]?
    var verdict: Verdict
    var plan: RecoveryPlan
  }

  static let rows: [Row] = [
    Row(snapshot: [.unavailable], verdict: .unavailable, plan: .unavailable),
    Row(journals: [.unavailable], verdict: .unavailable, plan: .unavailable),
    Row(snapshot: [.newer], verdict: .needsNewerVersion, plan: .readOnly),
    Row(journals: [.newer], verdict: .needsNewerVersion, plan: .readOnly),
    Row(snapshot: [.undecodable], verdict: .undecodable, plan: .readOnly),
    Row(snapshot: [.damaged, .olderThanDocument], verdict: .damagedSnapshot, plan: .readOnly),
    Row(journals: [.undecodable], verdict: .undecodable, plan: .readOnly),
    Row(journals: [.brokenSynced, .gapSynced], verdict: .corruption, plan: .readOnly),
    Row(lower: [.foreign], verdict: .foreignJournal, plan: .rewrite),
    Row(journals: [.foreign], verdict: .foreignJournal, plan: .rewrite),
    Row(journals: [.broken, .gap], verdict: .unsyncedTail, plan: .rewrite),
    Row(journals: [.torn], verdict: .tornTail, plan: .rewrite),
    Row(snapshot: [.cutOffMerge], verdict: .leftOpen, plan: .rewrite),
    Row(lower: [.absorbed], verdict: .leftOpen, plan: .rewrite),
    Row(journals: [.valid], verdict: .leftOpen, plan: .extend),
    Row(journals: [.empty], verdict: .leftOpen, plan: .sweep),
    Row(verdict: .clean, plan: .nothing),
  ]

  #if Mutants
    private static func mutated(_ snapshot: SnapshotFact, _ journals: JournalFact) -> Row? {
      switch (Mutant.current, snapshot, journals) {
      case (.corruptionIsCalledTorn, _, .brokenSynced), (.corruptionIsCalledTorn, _, .gapSynced):
        Row(verdict: .tornTail, plan: .rewrite)
      case (.tornIsCalledCorruption, _, .torn): Row(verdict: .corruption, plan: .readOnly)
      case (.tornTailIsDropped, .complete, .torn): Row(verdict: .tornTail, plan: .extend)
      case (.tornExtensionIsExtended, .cutOffMerge, .valid): Row(verdict: .leftOpen, plan: .extend)
      case (.openingRewritesAlways, .complete, .none): Row(verdict: .clean, plan: .rewrite)
      default: nil
      }
    }
  #endif

  static func row(_ snapshot: SnapshotFact, _ lower: LowerFact, _ journals: JournalFact) -> Row {
    let found = rows.first {
      ($0.snapshot?.contains(snapshot) ?? true) && ($0.lower?.contains(lower) ?? true)
        && ($0.journals?.contains(journals) ?? true)
    }
    #if Mutants
      if let wrong = mutated(snapshot, journals) { return wrong }
    #endif
    return found ?? rows[rows.count - 1]
  }
}
