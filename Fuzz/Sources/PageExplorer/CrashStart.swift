// SPDX-License-Identifier: Apache-2.0

import PageJournal

/// Where an enumeration starts, and with which options.
package struct CrashStart: Sendable, CustomStringConvertible {
  package var name: String
  package var threshold = 1 << 20
  package var rewrites = false
  package var deflates = false
  package var prefix: [CrashStep] = []
  /// Bytes of a payload; small ones when there is none.
  package var payload: Int?

  package var description: String { name }

  package var options: StoreOptions {
    var options = StoreOptions()
    options.compactionThreshold = threshold
    options.rewritesAtEverySave = rewrites
    options.deflates = deflates
    return options
  }

  package static let all: [CrashStart] = [
    CrashStart(name: "closed-page"),
    CrashStart(name: "level-0", rewrites: true),
    CrashStart(
      name: "merge-pending", threshold: 1, prefix: [.commit(.append), .sync, .commit(.append)]),
    CrashStart(
      name: "nothing-synced", threshold: 1, prefix: [.commit(.append), .commit(.insert), .commit(.append)]),
    CrashStart(
      name: "made-ahead", threshold: 300, deflates: true, prefix: [.commit(.append), .commit(.batch), .step]),
    CrashStart(name: "killed-before", prefix: [.commit(.append), .commit(.replace), .killAndReopen]),
    CrashStart(name: "wide", payload: 1100),
    CrashStart(name: "wider", payload: 1600),
    CrashStart(name: "wide-after-sync", prefix: [.commit(.append), .sync], payload: 1350),
    CrashStart(
      name: "wide-merge-pending", threshold: 1, prefix: [.commit(.append), .sync, .commit(.append)],
      payload: 700),
    CrashStart(
      name: "long-journal", prefix: (0..<5).map { _ in .commit(.append) } + [.sync], payload: 600),
  ]

  package static func named(_ name: String) -> CrashStart? { all.first { $0.name == name } }
}
