// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults
import Testing

/// Fault plans as text.
@Suite struct FaultPlanTests {
  private func random(_ random: inout SplitMix64) -> FaultRule {
    let texts = [".journal", "a b", "q\"uo\\te", "line\nbreak; x: y", "ü", ""]
    let path: FaultRule.PathCondition =
      switch Int.random(in: 0..<3, using: &random) {
      case 0: .any
      case 1: .contains(texts.randomElement(using: &random) ?? "")
      default: .suffix(texts.randomElement(using: &random) ?? "")
      }
    let number = random.next() >> UInt64.random(in: 12..<64, using: &random)
    let sync = SynchronizationFailure.allCases.randomElement(using: &random) ?? .clean
    let count = Int(number % 5000) + 1
    let (kinds, effect): ([FileOperation], FaultRule.Effect) =
      switch Int.random(in: 0..<9, using: &random) {
      case 0:
        (FileOperation.allCases, .error(StorageError.Code.allCases.randomElement(using: &random) ?? .io))
      case 1: ([.write], .short(count, then: .proceed))
      case 2: ([.write], .short(count, then: .noSpace))
      case 3: ([.write], .space(number))
      case 4: ([.synchronizeFile, .synchronizeDirectory], .sync(sync))
      case 5: ([.read], .flip(bit: number))
      case 6: ([.read], .zero(sector: number))
      case 7: ([.read], .stale(sector: number))
      default: ([.read], .misdirect(sector: number, other: number / 3))
      }
    let chosen = kinds.filter { _ in Bool.random(using: &random) }
    return FaultRule(
      Set(chosen.isEmpty ? kinds : chosen), path: path, call: Int.random(in: 1...9, using: &random),
      repetition: Bool.random(using: &random) ? .once : .sticky, effect: effect)
  }

  @Test func planIsReadBackFromItsText() throws {
    for seed in UInt64(1)...500 {
      var generator = SplitMix64(seed: seed)
      let plan = FaultPlan((0..<Int.random(in: 0...4, using: &generator)).map { _ in random(&generator) })
      let text = plan.description
      let again = try FaultPlan(parsing: text)
      #expect(again == plan, "seed \(seed): \(text)")
      #expect(again.description == text, "seed \(seed)")
    }
  }

  @Test func whatIsLeftOutHasItsUsualValue() throws {
    let plan = try FaultPlan(parsing: "write:error io\n; *  sticky : error accessDenied;write : space 10")
    #expect(
      plan == [
        FaultRule([.write], effect: .error(.io)),
        FaultRule(Set(FileOperation.allCases), repetition: .sticky, effect: .error(.accessDenied)),
        FaultRule([.write], repetition: .sticky, effect: .space(10)),
      ])
    #expect(
      plan.description
        == "write call 1 once: error io; * call 1 sticky: error accessDenied; write call 1 sticky: space 10")
    #expect(try FaultPlan(parsing: " ;\n") == [])
  }

  @Test(arguments: [
    ("writ: error io", "expected a kind of call"), ("write error io", "expected a colon"),
    ("write: error oops", "expected an error code"), ("write: explode", "expected an effect"),
    ("write: short 0 then proceed", "1 to"), ("write: short 5", "expected \"then\""),
    ("write: short 5 then what", "expected what follows"),
    ("read: short 5 then proceed", "can only happen to write"),
    ("write call 0: error io", "the number of the call"),
    ("write call x: error io", "the number of the call"),
    ("write suffix x: error io", "a quoted text after"), ("write suffix \"x: error io", "no closing quote"),
    ("write once: space 5", "cannot be \"once\""), ("read: flip 99999999999999999999", "is not a number"),
    ("write,: error io", "expected a kind of call"), ("write: error io io", "expected the end"),
    ("write: error io; read", "rule 2"), ("write! : error io", "has no meaning"),
    ("write: sync clean", "can only"),
    ("synchronizeFile: sync badly", "a way to fail"), (":", "expected a kind"),
    ("read: zero 99999999999999999", "0 to"),
  ])
  func badPlanIsOneSentence(_ text: String, _ part: String) throws {
    let error = #expect(throws: StorageError.self) { _ = try FaultPlan(parsing: text) }
    #expect(error?.code == .usage)
    #expect(error?.cause.contains(part) == true, "\(error?.description ?? "")")
    #expect(error?.description.contains("\n") == false)
  }

  @Test func noTextTrapsTheReader() {
    let pieces = [
      "write", "read", "*", ",", ":", ";", "call", "once", "sticky", "space", "short", "then", "flip", "\"",
      "\\", "7",
      "18446744073709551615", "18446744073709551616", " ", "\n", "suffix", "contains", "error", "io", "é",
      "-", "0x",
    ]
    for seed in UInt64(1)...2000 {
      var random = SplitMix64(seed: seed)
      var text = ""
      for _ in 0..<Int.random(in: 0...12, using: &random) {
        text += (pieces.randomElement(using: &random) ?? "") + (Bool.random(using: &random) ? " " : "")
      }
      if let plan = try? FaultPlan(parsing: text) {
        #expect((try? FaultPlan(parsing: plan.description)) == plan, "seed \(seed): \(text)")
      }
    }
  }
}
