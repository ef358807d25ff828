// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults

/// A kind of fault, to be tried at every call that it can happen to.
///
/// An interrupted call (EINTR) is none: `FileSystem` leaves no word for it, the platform layer begins such a call again.
/// What remains of one is a short write.
package struct FaultKind: Sendable, CustomStringConvertible {
  /// What a fault does to the promises that are made.
  package enum Promise: Sendable {
    /// The call says so: nothing that was acknowledged is lost.
    case kept
    /// A synchronisation lies, and the next one says so: until that one was answered, a power cut may show an older
    /// state, or a damage that is reported; a kill loses nothing.
    case late
    /// Reads give wrong bytes: an open may show less only where SPEC.md says that it cannot be told from a crash.
    case damage
  }

  package var operations: Set<FileOperation>
  package var effect: FaultRule.Effect
  package var repetition: FaultRule.Repetition
  package var path = FaultRule.PathCondition.any

  package func rule(_ call: Int) -> FaultRule {
    FaultRule(operations, path: path, call: call, repetition: repetition, effect: effect)
  }

  /// Kinds that differ only in the bytes that they concern have one.
  package var description: String { "\(cause), \(repetition.rawValue)" }

  private var cause: String {
    switch effect {
    case .flip: "inverted bit"
    case .zero: "zeroed sector"
    case .stale: "stale sector"
    case .misdirect: "misdirected sector"
    case .error where operations.count < FileOperation.allCases.count: "\(effect) of some calls"
    default: "\(effect)"
    }
  }

  // MARK: All of them

  package static let all: [FaultKind] = errors + lasting + shorts + syncs + damages

  private static func twice(
    _ operations: Set<FileOperation>, _ effect: FaultRule.Effect, _ path: FaultRule.PathCondition = .any
  ) -> [FaultKind] {
    [.once, .sticky].map { FaultKind(operations: operations, effect: effect, repetition: $0, path: path) }
  }

  /// At any call; from then on at all.
  private static let errors: [FaultKind] = [
    StorageError.Code.io, .noSpace, .accessDenied, .readOnlyVolume, .tooManyOpenFiles,
  ].flatMap { twice(Set(FileOperation.allCases), .error($0)) }

  /// From some call on, but only where such an error comes up: the rest goes on working.
  private static let lasting: [FaultKind] = [
    (Set([FileOperation.read]), StorageError.Code.io),
    ([.synchronizeFile, .synchronizeDirectory], .io),
    ([.write], .io),
    ([.write, .create], .noSpace),
    ([.write, .synchronizeFile], .noSpace),
    ([.create, .rename, .remove], .accessDenied),
    ([.open, .openDirectory], .accessDenied),
    ([.create, .write, .truncate, .rename, .remove], .readOnlyVolume),
    ([.open, .create, .openDirectory, .names], .tooManyOpenFiles),
  ].map { FaultKind(operations: $0, effect: .error($1), repetition: .sticky) }

  private static let shorts: [FaultKind] = [1, 9, 60].flatMap { count in
    twice([.write], .short(count, then: .proceed)) + twice([.write], .short(count, then: .noSpace))
  }

  private static let syncs: [FaultKind] = SynchronizationFailure.allCases.flatMap {
    twice([.synchronizeFile, .synchronizeDirectory], .sync($0))
  }

  /// Headers, crcs, types, payloads; the sectors of pages that have several.
  private static let damages: [FaultKind] = {
    let bytes: [UInt64] = [
      5, 9, 30, 50, 70, 78, 84, 88, 92, 110, 140, 170, 200, 260, 330, 530, 700, 980, 1300, 1700,
    ]
    let flips = bytes.map { FaultRule.Effect.flip(bit: $0 * 8 + $0 % 8) }
    let sectors = (0..<4).flatMap { [FaultRule.Effect.zero(sector: $0), .stale(sector: $0)] }
    let misdirected = [(0, 1), (1, 0), (1, 2), (2, 1)].map {
      FaultRule.Effect.misdirect(sector: $0, other: $1)
    }
    return [".content", ".journal", ".content.tmp"].flatMap { suffix in
      (flips + sectors + misdirected).flatMap { twice([.read], $0, .suffix(suffix)) }
    }
  }()
}

extension FaultPlan {
  /// What may be expected while it is followed: the least of what its rules leave.
  var promise: FaultKind.Promise {
    var promise = FaultKind.Promise.kept
    for rule in rules {
      switch rule.effect {
      case .flip, .zero, .stale, .misdirect: return .damage
      case .sync(.late): promise = .late
      case .error, .short, .space, .sync: break
      }
    }
    return promise
  }
}
