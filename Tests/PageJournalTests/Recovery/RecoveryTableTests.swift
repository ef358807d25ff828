// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PageJournal

/// What DESIGN says about each combination of facts, in words of its own: each fact has a verdict, the worst decides,
/// and a newer version comes before damage, since it is to be left untouched whatever the policy.
private enum Expectation {
  static func verdict(of snapshot: SnapshotFact) -> Verdict {
    switch snapshot {
    case .complete: .clean
    case .cutOffMerge: .leftOpen
    case .damaged, .olderThanDocument: .damagedSnapshot
    case .newer: .needsNewerVersion
    case .undecodable: .undecodable
    case .unavailable: .unavailable
    }
  }

  static func verdict(of lower: LowerFact) -> Verdict {
    switch lower {
    case .none: .clean
    case .absorbed: .leftOpen
    case .foreign: .foreignJournal
    }
  }

  static func verdict(of journals: JournalFact) -> Verdict {
    switch journals {
    case .none: .clean
    case .empty, .valid: .leftOpen
    case .torn: .tornTail
    case .broken, .gap: .unsyncedTail
    case .brokenSynced, .gapSynced: .corruption
    case .newer: .needsNewerVersion
    case .undecodable: .undecodable
    case .foreign: .foreignJournal
    case .unavailable: .unavailable
    }
  }

  static func of(_ snapshot: SnapshotFact, _ lower: LowerFact, _ journals: JournalFact) -> (
    Verdict, RecoveryPlan
  ) {
    let all = [verdict(of: snapshot), verdict(of: lower), verdict(of: journals)]
    if all.contains(.unavailable) { return (.unavailable, .unavailable) }
    if all.contains(.needsNewerVersion) { return (.needsNewerVersion, .readOnly) }
    let worst = all.max() ?? .clean
    switch worst {
    case .clean: return (worst, .nothing)
    case .leftOpen:
      // Extended where nothing but valid journals stands behind a whole snapshot; files without a commit only
      // go; a lower journal or a merge that was cut off proves an unfinished switch.
      guard snapshot == .complete, lower == .none else { return (worst, .rewrite) }
      return (worst, journals == .valid ? .extend : .sweep)
    case .tornTail, .unsyncedTail, .foreignJournal: return (worst, .rewrite)
    case .corruption, .undecodable, .needsNewerVersion, .damagedSnapshot: return (worst, .readOnly)
    case .unavailable: return (worst, .unavailable)
    }
  }
}

@Suite struct RecoveryTableTests {
  @Test func everyCombinationOfFactsIsDecidedAsDesigned() {
    var count = 0
    for snapshot in SnapshotFact.allCases {
      for lower in LowerFact.allCases {
        for journals in JournalFact.allCases {
          let row = RecoveryTable.row(snapshot, lower, journals)
          let (verdict, plan) = Expectation.of(snapshot, lower, journals)
          #expect(row.verdict == verdict, "\(snapshot), \(lower), \(journals)")
          #expect(row.plan == plan, "\(snapshot), \(lower), \(journals)")
          count += 1
        }
      }
    }
    #expect(count == 7 * 3 * 12)
  }

  @Test func everyRowDecidesSomething() {
    var isReached = [Bool](repeating: false, count: RecoveryTable.rows.count)
    for snapshot in SnapshotFact.allCases {
      for lower in LowerFact.allCases {
        for journals in JournalFact.allCases {
          let index = RecoveryTable.rows.firstIndex {
            ($0.snapshot?.contains(snapshot) ?? true) && ($0.lower?.contains(lower) ?? true)
              && ($0.journals?.contains(journals) ?? true)
          }
          if let index { isReached[index] = true } else { Issue.record("no row") }
        }
      }
    }
    #expect(isReached.allSatisfy { $0 }, "\(isReached)")
  }

  @Test func aPageThatWasNotReadNeverGetsAPlanThatWrites() {
    for row in RecoveryTable.rows where row.verdict > .foreignJournal {
      #expect(row.plan == .readOnly || row.plan == .unavailable, "\(row.verdict)")
    }
    for verdict in Verdict.allCases { #expect(verdict.isHealthy == (verdict <= .unsyncedTail)) }
  }
}
