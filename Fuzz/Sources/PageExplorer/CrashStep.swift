// SPDX-License-Identifier: Apache-2.0

/// One step of a workload.
package enum CrashStep: Hashable, Sendable, CustomStringConvertible, LosslessStringConvertible {
  case commit(CommitKind)
  case sync, flush, compact
  /// The next piece of work of the executor.
  case step
  /// The same, with a commit handed over at every synchronisation inside of it.
  case busyStep
  case closeAndReopen, killAndReopen, suspendAndResume

  package static let all: [CrashStep] =
    CommitKind.allCases.map { .commit($0) } + [
      .sync, .flush, .compact, .step, .busyStep, .closeAndReopen, .killAndReopen, .suspendAndResume,
    ]

  private static let named: [String: CrashStep] = Dictionary(
    all.map { ($0.description, $0) }, uniquingKeysWith: { first, _ in first })

  package init?(_ description: String) {
    guard let step = Self.named[description] else { return nil }
    self = step
  }

  package var description: String {
    switch self {
    case .commit(let kind): kind.rawValue
    case .sync: "sync"
    case .flush: "flush"
    case .compact: "compact"
    case .step: "step"
    case .busyStep: "busyStep"
    case .closeAndReopen: "closeAndReopen"
    case .killAndReopen: "killAndReopen"
    case .suspendAndResume: "suspendAndResume"
    }
  }
}
