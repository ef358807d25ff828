// SPDX-License-Identifier: Apache-2.0

internal import PageJournal

/// A plan at work: how often each rule matched, what it has left, and what happened.
struct FaultState: Sendable {
  /// What the rules say about one call.
  struct Outcome {
    var error: StorageError?
    var allowed = Int.max
    var failure: SynchronizationFailure?
    var damages: [FaultRule.Effect] = []
  }

  private(set) var plan: FaultPlan
  private(set) var matches: [Int]
  private var space: [UInt64]
  private var isFull: [Bool]
  private(set) var fired: [FiredFault] = []
  /// Sectors as they were before the latest write, by path; kept only when a rule asks for it.
  private var former: [String: [UInt64: [UInt8]]] = [:]

  init(_ plan: FaultPlan) {
    self.plan = plan
    matches = [Int](repeating: 0, count: plan.rules.count)
    space = plan.rules.map { rule in if case .space(let bytes) = rule.effect { bytes } else { 0 } }
    isFull = [Bool](repeating: false, count: plan.rules.count)
  }

  /// Whether formers are wanted.
  var keepsFormer: Bool {
    plan.rules.contains { rule in if case .stale = rule.effect { true } else { false } }
  }

  mutating func addSpace(_ bytes: UInt64) {
    for index in space.indices {
      let (sum, overflow) = space[index].addingReportingOverflow(bytes)
      space[index] = overflow ? .max : sum
    }
  }

  mutating func keep(_ sector: UInt64, of path: String, _ bytes: [UInt8]) {
    former[path, default: [:]][sector] = bytes
  }

  func former(_ sector: UInt64, of path: String) -> [UInt8] { former[path]?[sector] ?? [] }

  /// Counts a call and says what is to happen to it.
  /// - Parameters:
  ///   - range: For a read, the bytes it gave.
  ///   - count: For a write, how many bytes it has.
  mutating func outcome(
    _ operation: FileOperation, _ path: String, target: String? = nil, range: Range<UInt64>? = nil,
    count: Int = 0
  ) -> Outcome {
    var outcome = Outcome()
    for (index, rule) in plan.rules.enumerated() where rule.operations.contains(operation) {
      if let fitting = rule.effect.fitting, !fitting.contains(operation) { continue }
      guard rule.path.matches(path) || target.map(rule.path.matches) == true else { continue }
      if let damaged = rule.damagedBytes, range?.overlaps(damaged) != true { continue }
      matches[index] += 1
      let isDue = matches[index] == rule.call || (rule.repetition == .sticky && matches[index] > rule.call)
      if apply(index, rule, isDue: isDue, operation, path, count, to: &outcome) {
        fired.append(FiredFault(rule: index, operation: operation, path: path))
      }
    }
    if operation == .write, outcome.error == nil { useSpace(UInt64(min(outcome.allowed, count))) }
    return outcome
  }

  private mutating func apply(
    _ index: Int, _ rule: FaultRule, isDue: Bool, _ operation: FileOperation, _ path: String, _ count: Int,
    to outcome: inout Outcome
  ) -> Bool {
    func fail(_ code: StorageError.Code) {
      guard outcome.error == nil else { return }
      outcome.error = StorageError(
        code, "\(operation.rawValue)", cause: "a fault was injected by rule \(index + 1), \(rule)", file: path
      )
    }
    switch rule.effect {
    case .short(let bytes, let then):
      if isFull[index] {
        isFull[index] = rule.repetition == .sticky
        fail(.noSpace)
        return true
      }
      guard isDue else { return false }
      outcome.allowed = min(outcome.allowed, max(1, bytes))
      isFull[index] = then == .noSpace
    case .space:
      guard isDue, space[index] < UInt64(count) else { return false }
      outcome.allowed = min(outcome.allowed, Int(space[index]))
      if space[index] == 0 { fail(.noSpace) }
    case .error(let code):
      guard isDue else { return false }
      fail(code)
    case .sync(let failure):
      guard isDue else { return false }
      outcome.failure = outcome.failure ?? failure
    case .flip, .zero, .stale, .misdirect:
      guard isDue else { return false }
      outcome.damages.append(rule.effect)
    }
    return true
  }

  private mutating func useSpace(_ bytes: UInt64) {
    for (index, rule) in plan.rules.enumerated() {
      if case .space = rule.effect, matches[index] >= rule.call { space[index] -= min(space[index], bytes) }
    }
  }
}
