// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults

/// A plan that is read, written and read again is the same; one that cannot be read is refused in one sentence.
enum PlanEntry {
  static func check(_ bytes: [UInt8]) throws {
    let plan: FaultPlan
    do {
      plan = try FaultPlan(parsing: String(decoding: bytes, as: UTF8.self))
    } catch {
      try require(error.code == .usage, "refused as \(error.code)")
      try requireSentence(error.description)
      return
    }
    let text = plan.description
    let again = try FaultPlan(parsing: text)
    try require(again == plan, "written as \(text.debugDescription) it is another plan")
    try require(again.description == text, "written twice, it is \(again.description.debugDescription)")
  }
}
