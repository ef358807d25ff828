// SPDX-License-Identifier: Apache-2.0

public import PageJournal

extension FaultPlan {
  /// Reads the text form: rules like `write suffix ".journal" call 3 once: short 5 then noSpace`, separated by ";"
  /// or line ends. What stands between the kinds and the colon may be left out: any path, call 1, once.
  /// - Throws: `usage` with one sentence that says what was expected, and where.
  public init(parsing text: String) throws(StorageError) {
    var parser = FaultPlanParser(tokens: try FaultPlanToken.tokens(of: text))
    self.init(try parser.plan())
  }
}

private enum FaultPlanToken: Equatable {
  case word(String)
  case quoted(String)
  case number(UInt64)
  case comma
  case colon
  case end

  var text: String {
    switch self {
    case .word(let word): "\"\(word)\""
    case .quoted(let text): "the text \"\(text)\""
    case .number(let value): "\(value)"
    case .comma: "\",\""
    case .colon: "\":\""
    case .end: "the end of the rule"
    }
  }

  static func tokens(of text: String) throws(StorageError) -> [FaultPlanToken] {
    var tokens: [FaultPlanToken] = []
    var rest = Substring(text).unicodeScalars
    while let scalar = rest.popFirst() {
      switch scalar {
      case " ", "\t", "\r": continue
      case ";", "\n": tokens.append(.end)
      case ",": tokens.append(.comma)
      case ":": tokens.append(.colon)
      case "*": tokens.append(.word("*"))
      case "\"": tokens.append(.quoted(try quotedText(&rest)))
      case "a"..."z", "A"..."Z", "0"..."9":
        var word = String(scalar)
        while let next = rest.first, next.properties.isAlphabetic || ("0"..."9").contains(next) {
          word.unicodeScalars.append(next)
          rest.removeFirst()
        }
        if ("0"..."9").contains(scalar) {
          guard let value = UInt64(word) else { throw badPlan("\"\(word)\" is not a number") }
          tokens.append(.number(value))
        } else {
          tokens.append(.word(word))
        }
      default: throw badPlan("the character \"\(scalar)\" has no meaning outside of a quoted text")
      }
    }
    tokens.append(.end)
    return tokens
  }

  private static func quotedText(_ rest: inout Substring.UnicodeScalarView) throws(StorageError) -> String {
    var text = String.UnicodeScalarView()
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\"": return String(text)
      case "\\":
        guard let escaped = rest.popFirst() else { break }
        text.append(escaped == "n" ? "\n" : escaped)
      default: text.append(scalar)
      }
    }
    throw badPlan("a quoted text has no closing quote")
  }
}

private struct FaultPlanParser {
  let tokens: [FaultPlanToken]
  private var position = 0
  private var rule = 1

  init(tokens: [FaultPlanToken]) { self.tokens = tokens }

  private var next: FaultPlanToken { position < tokens.count ? tokens[position] : .end }

  mutating func plan() throws(StorageError) -> [FaultRule] {
    var rules: [FaultRule] = []
    while position < tokens.count {
      if next == .end {
        position += 1
        continue
      }
      rules.append(try parseRule())
      rule += 1
    }
    return rules
  }

  private mutating func parseRule() throws(StorageError) -> FaultRule {
    let operations = try parseOperations()
    var path = FaultRule.PathCondition.any
    if take("contains") {
      path = .contains(try text(after: "contains"))
    } else if take("suffix") {
      path = .suffix(try text(after: "suffix"))
    }
    let call = take("call") ? try number("the number of the call", 1...UInt64(Int32.max)) : 1
    var repetition: FaultRule.Repetition?
    if take("once") { repetition = .once } else if take("sticky") { repetition = .sticky }
    guard next == .colon else { throw unexpected("a colon before the effect") }
    position += 1
    let effect = try parseEffect()
    guard next == .end else { throw unexpected("the end of the rule") }
    if case .space = effect, repetition == .once {
      throw badPlan("rule \(rule): a space budget cannot be \"once\"")
    }
    if let fitting = effect.fitting, !operations.isSubset(of: fitting) {
      let kinds = FileOperation.allCases.filter(fitting.contains).map(\.rawValue).joined(separator: " or ")
      throw badPlan("rule \(rule): the effect \"\(effect)\" can only happen to \(kinds)")
    }
    return FaultRule(operations, path: path, call: Int(call), repetition: repetition ?? .once, effect: effect)
  }

  private mutating func parseOperations() throws(StorageError) -> Set<FileOperation> {
    if take("*") { return Set(FileOperation.allCases) }
    var operations: Set<FileOperation> = []
    while true {
      guard case .word(let word) = next, let operation = FileOperation(rawValue: word) else {
        throw unexpected("a kind of call (\(FileOperation.allCases.map(\.rawValue).joined(separator: ", ")))")
      }
      position += 1
      operations.insert(operation)
      guard next == .comma else { return operations }
      position += 1
    }
  }

  private mutating func parseEffect() throws(StorageError) -> FaultRule.Effect {
    if take("error") {
      return .error(try choice("an error code", StorageError.Code.allCases))
    }
    if take("short") {
      let count = try number("a number of bytes", 1...UInt64(Int32.max))
      guard take("then") else { throw unexpected("\"then\"") }
      return .short(Int(count), then: try choice("what follows", [.proceed, .noSpace]))
    }
    if take("space") { return .space(try number("a number of bytes", 0...UInt64.max)) }
    if take("sync") { return .sync(try choice("a way to fail", SynchronizationFailure.allCases)) }
    if take("flip") { return .flip(bit: try number("a bit", 0...UInt64.max)) }
    if take("zero") { return .zero(sector: try number("a sector", 0...UInt64.max / 1024)) }
    if take("stale") { return .stale(sector: try number("a sector", 0...UInt64.max / 1024)) }
    if take("misdirect") {
      let sector = try number("a sector", 0...UInt64.max / 1024)
      return .misdirect(sector: sector, other: try number("the other sector", 0...UInt64.max / 1024))
    }
    throw unexpected("an effect (error, short, space, sync, flip, zero, stale, misdirect)")
  }

  private mutating func take(_ word: String) -> Bool {
    guard next == .word(word) else { return false }
    position += 1
    return true
  }

  private mutating func text(after word: String) throws(StorageError) -> String {
    guard case .quoted(let text) = next else { throw unexpected("a quoted text after \"\(word)\"") }
    position += 1
    return text
  }

  private mutating func number(_ what: String, _ range: ClosedRange<UInt64>) throws(StorageError) -> UInt64 {
    guard case .number(let value) = next else { throw unexpected(what) }
    guard range.contains(value) else {
      throw badPlan("rule \(rule): \(what) is \(range.lowerBound) to \(range.upperBound), not \(value)")
    }
    position += 1
    return value
  }

  private mutating func choice<Choice: RawRepresentable<String>>(
    _ what: String, _ choices: [Choice]
  ) throws(StorageError) -> Choice {
    guard case .word(let word) = next, let choice = choices.first(where: { $0.rawValue == word }) else {
      throw unexpected("\(what) (\(choices.map(\.rawValue).joined(separator: ", ")))")
    }
    position += 1
    return choice
  }

  private func unexpected(_ wanted: String) -> StorageError {
    badPlan("rule \(rule): expected \(wanted), found \(next.text)")
  }
}

private func badPlan(_ cause: String) -> StorageError {
  StorageError(.usage, "read the fault plan", cause: cause)
}
