// SPDX-License-Identifier: Apache-2.0

import Foundation
import PageExplorer

/// What a run has to say in the end, as JSON.
struct Summary {
  private var fields: [String: Any] = [:]
  private(set) var violations = 0

  init(_ command: String) { fields["command"] = command }

  mutating func set(_ name: String, _ value: Any) { fields[name] = value }

  mutating func set(_ name: String, _ counts: CrashChecker.Counts) {
    fields[name] = [
      "moments": counts.moments, "momentsNotComplete": counts.sampled, "images": counts.images,
      "recoveriesWithCrashes": counts.nesting, "momentsInRecoveries": counts.nestedMoments,
      "momentsInRecoveriesNotComplete": counts.nestedSampled,
      "imagesInRecoveries": counts.nestedImages, "opens": counts.opens,
      "verdicts": Dictionary(
        uniqueKeysWithValues: counts.verdicts.map { ($0.key.rawValue, $0.value) }),
    ]
  }

  /// Says what was found and how to have it again.
  mutating func report(_ violation: Violation, again: String) {
    violations += 1
    guard violations <= 12 else { return }
    Tool.say(
      "violation of \(violation)\nagain: swift run -c release --package-path Fuzz crash-fuzz \(again)\n")
  }

  /// Prints it, writes it to `file` if there is one, and says how the command ends.
  func finish(to file: String?) -> Int32 {
    var all = fields
    all["violations"] = violations
    guard let data = try? JSONSerialization.data(withJSONObject: all, options: [.sortedKeys]) else {
      return 70
    }
    Tool.tell(String(decoding: data, as: UTF8.self))
    if let file {
      do {
        try data.write(to: URL(fileURLWithPath: file))
      } catch {
        Tool.say("crash-fuzz: the summary could not be written to \(file): \(error.localizedDescription)")
        return 74
      }
    }
    return violations == 0 ? 0 : 1
  }
}
