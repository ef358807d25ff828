// SPDX-License-Identifier: Apache-2.0

public import PageJournal

/// One fault: on which calls, and what happens then.
///
/// As text, `write suffix ".journal" call 3 once: error noSpace`: the kinds of calls, separated by commas, or `*`;
/// a condition on the path; the number of the matching call, counted from 1; `once`, or `sticky` for that call and
/// all later ones; a colon; the effect.
public struct FaultRule: Sendable, Hashable, CustomStringConvertible {
  /// A condition on the path as the caller gave it.
  public enum PathCondition: Sendable, Hashable {
    /// Every path.
    case any
    /// Paths that have this text somewhere.
    case contains(String)
    /// Paths that end like this.
    case suffix(String)

    /// Whether a path meets it.
    public func matches(_ path: String) -> Bool {
      switch self {
      case .any: true
      case .contains(let text):
        text.isEmpty || path.utf8.indices.contains { path.utf8[$0...].starts(with: text.utf8) }
      case .suffix(let text): path.utf8.reversed().starts(with: text.utf8.reversed())
      }
    }
  }

  /// How often it happens.
  public enum Repetition: String, Sendable, Hashable {
    /// On one call.
    case once
    /// On that call and all later ones that match.
    case sticky
  }

  /// What follows a short write.
  public enum Continuation: String, Sendable, Hashable {
    /// The next write works.
    case proceed
    /// The next write that matches (if sticky: all of them) fails with `noSpace`.
    case noSpace
  }

  /// What happens. An effect on calls that it does not fit does nothing.
  public enum Effect: Sendable, Hashable {
    /// The call throws and does nothing. `error io`
    case error(StorageError.Code)
    /// A write takes only that many bytes, at least one. `short 5 then proceed`, `short 5 then noSpace`
    case short(Int, then: Continuation)
    /// Writes have that many bytes of space together; the one that crosses the edge is short, later ones throw
    /// `noSpace`. Always sticky. `FaultingFileSystem.addSpace` adds more. `space 4096`
    case space(UInt64)
    /// A sync fails in one of four ways. `sync clean`
    case sync(SynchronizationFailure)
    /// This bit of the file, counted from its first byte's lowest, is read inverted. Only reads that cover it
    /// match. `flip 77`
    case flip(bit: UInt64)
    /// This sector of 512 bytes of the file is read as zeros. Only reads that touch it match. `zero 2`
    case zero(sector: UInt64)
    /// This sector is read as it was before the latest write to it through this file system and path, or as zeros
    /// when there was none. Only reads that touch it match. `stale 2`
    case stale(sector: UInt64)
    /// This sector is read with the bytes of another one of the same file: a write went to the wrong place. Only reads
    /// that touch it match. `misdirect 2 5`
    case misdirect(sector: UInt64, other: UInt64)
  }

  /// Which calls.
  public var operations: Set<FileOperation>
  /// On which paths.
  public var path: PathCondition
  /// Which of the matching calls, from 1.
  public var call: Int
  /// Once or from then on.
  public var repetition: Repetition
  /// What happens.
  public var effect: Effect

  /// Makes a rule.
  public init(
    _ operations: Set<FileOperation>, path: PathCondition = .any, call: Int = 1,
    repetition: Repetition = .once, effect: Effect
  ) {
    self.operations = operations
    self.path = path
    self.call = max(1, call)
    self.effect = effect
    if case .space = effect { self.repetition = .sticky } else { self.repetition = repetition }
  }

  /// The bytes of a file that a damaging effect concerns; nil for other effects.
  var damagedBytes: Range<UInt64>? {
    switch effect {
    case .flip(let bit): bit / 8..<(bit / 8 + 1)
    case .zero(let sector), .stale(let sector), .misdirect(let sector, _):
      sector > UInt64.max / 512 - 1 ? 0..<0 : sector * 512..<(sector * 512 + 512)
    case .error, .short, .space, .sync: nil
    }
  }

  /// The text form, which `FaultPlan(parsing:)` reads.
  public var description: String {
    let kinds = FileOperation.allCases.filter(operations.contains).map(\.rawValue).joined(separator: ",")
    var text = operations.count == FileOperation.allCases.count ? "*" : kinds
    switch path {
    case .any: break
    case .contains(let part): text += " contains " + quoted(part)
    case .suffix(let part): text += " suffix " + quoted(part)
    }
    return text + " call \(call) \(repetition.rawValue): \(effect)"
  }
}

extension FaultRule.Effect: CustomStringConvertible {
  /// The text form.
  public var description: String {
    switch self {
    case .error(let code): "error \(code.rawValue)"
    case .short(let count, let then): "short \(count) then \(then.rawValue)"
    case .space(let bytes): "space \(bytes)"
    case .sync(let failure): "sync \(failure.rawValue)"
    case .flip(let bit): "flip \(bit)"
    case .zero(let sector): "zero \(sector)"
    case .stale(let sector): "stale \(sector)"
    case .misdirect(let sector, let other): "misdirect \(sector) \(other)"
    }
  }

  /// The calls it can happen to; nil for all.
  var fitting: Set<FileOperation>? {
    switch self {
    case .error: nil
    case .short, .space: [.write]
    case .sync: [.synchronizeFile, .synchronizeDirectory]
    case .flip, .zero, .stale, .misdirect: [.read]
    }
  }
}

/// Faults to happen together: rules, each counting its own matching calls. Where several rules are due on one call,
/// an error of the first that has one wins; shortest writes win; damages add up.
///
/// As text, rules are separated by ";" or line ends; the empty text is the plan without faults.
public struct FaultPlan: Sendable, Hashable, CustomStringConvertible, ExpressibleByArrayLiteral {
  /// In order.
  public var rules: [FaultRule]

  /// A plan of these rules; without any, nothing ever fails.
  public init(_ rules: [FaultRule] = []) { self.rules = rules }

  /// A plan of these rules.
  public init(arrayLiteral rules: FaultRule...) { self.rules = rules }

  /// The text form, which `init(parsing:)` reads.
  public var description: String { rules.map(\.description).joined(separator: "; ") }
}

private func quoted(_ text: String) -> String {
  var result = "\""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"": result += "\\\""
    case "\\": result += "\\\\"
    case "\n": result += "\\n"
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result + "\""
}
