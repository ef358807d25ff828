// SPDX-License-Identifier: Apache-2.0

import DocumentExplorer
import PageExplorer
import PageJournal
import PageJournalFaults

/// What was looked at until the first violation.
struct Outcome: Sendable {
  var states = 0
  var violation: Violation?
  /// The smallest sequence that shows it.
  var sequence = ""
}

/// A set of checks that a mutant is shown to. All stop at the first violation; shorter sequences come first.
enum Battery: Sendable, Hashable {
  /// Power cuts at every moment of all sequences of that many steps, and crashes in the recoveries.
  case crashes(starts: [String], length: Int, depth: Int = 1)
  /// Kill, open, power cut.
  case kills(starts: [String], length: Int)
  /// Faults at every call of some workloads.
  case faults(FaultKind, workloads: [String])
  /// Every bit inverted, every length cut.
  case damage
  /// What is set aside is in a quarantine.
  case setAside
  /// Removed journals that come back.
  case resurrection
  case newer, hostile, writers, medium, repetition
  /// Power cuts of workloads of that many steps on a document.
  case documents(length: Int)
  case documentKills
  case unlisted

  enum FaultKind: String, Sendable, CaseIterable {
    case synchronisation, noSpace, short, reading, any
  }

  /// What the run without a mutant goes through: every battery that a mutant is shown to, as wide as the widest.
  static let control: [Battery] =
    CrashStart.all.map { .crashes(starts: [$0.name], length: 2) }
    + [.kills(starts: CrashStart.all.map(\.name), length: 1)]
    + FaultWorkload.all.map { .faults(.any, workloads: [$0.name]) }
    + [
      .damage, .setAside, .resurrection, .newer, .hostile, .writers, .medium, .repetition,
      .documents(length: 2),
      .documentKills, .unlisted,
    ]

  var name: String {
    switch self {
    case .crashes(let starts, let length, _): "power cuts, \(starts.joined(separator: "+")), up to \(length)"
    case .kills(_, let length): "kills, up to \(length)"
    case .faults(let kind, let workloads): "faults (\(kind.rawValue)), \(workloads.joined(separator: "+"))"
    case .damage: "damage"
    case .setAside: "what is set aside"
    case .resurrection: "journals that come back"
    case .newer: "newer versions"
    case .hostile: "hostile bytes"
    case .writers: "two writers"
    case .medium: "a medium that writes wrongly"
    case .repetition: "one seed, two runs"
    case .documents(let length): "documents, up to \(length)"
    case .documentKills: "documents, kills"
    case .unlisted: "unlisted pages"
    }
  }

  func run() -> Outcome {
    switch self {
    case .crashes(let starts, let length, let depth): PageBatteries.crashes(starts, length, depth)
    case .kills(let starts, let length): PageBatteries.kills(starts, length)
    case .faults(let kind, let workloads): PageBatteries.faults(kind, workloads)
    case .damage: PageBatteries.damage()
    case .setAside: PageBatteries.setAside()
    case .resurrection: Self.one("a removed journal comes back", ResurrectionCheck.run)
    case .newer: Self.one("a file of a newer version", NewerCheck.run)
    case .hostile: Self.one("hostile bytes") { try HostileCheck.run(cases: 500) }
    case .writers: Self.one("two writers", WriterCheck.run)
    case .medium: Self.one("append, append, sync, compact", MediumCheck.run)
    case .repetition: Self.one("eight steps, twice", RepetitionCheck.run)
    case .documents(let length): DocumentBatteries.crashes(length)
    case .documentKills: DocumentBatteries.kills()
    case .unlisted: Self.one("a record older than its pages", UnlistedCheck.run)
    }
  }

  private static func one(_ sequence: String, _ body: () throws -> Int) -> Outcome {
    do {
      return Outcome(states: try body())
    } catch {
      return Outcome(states: 1, violation: violation(error), sequence: sequence)
    }
  }
}
