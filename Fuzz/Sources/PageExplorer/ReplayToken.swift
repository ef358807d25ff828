// SPDX-License-Identifier: Apache-2.0

/// One sequence of steps as one word, so that a failure can be had again by one command.
package struct ReplayToken: Sendable, CustomStringConvertible {
  /// Goes up whenever the same word would mean another run.
  package static let version = 1

  package struct Fault: Error, CustomStringConvertible {
    package var description: String
  }

  package var start: String
  package var steps: [CrashStep]

  package init(start: String, steps: [CrashStep]) {
    self.start = start
    self.steps = steps
  }

  /// `1:closed-page:append,sync`.
  package var description: String {
    "\(Self.version):\(start):\(steps.map(\.description).joined(separator: ","))"
  }

  /// - Throws: a `Fault` whose sentence says what is wrong with the word.
  package init(parsing text: String) throws(Fault) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard let version = parts.first.flatMap({ Int($0) }), parts.count == 3 else {
      throw Fault(description: "\"\(text)\" is no replay token: it looks like 1:closed-page:append,sync")
    }
    guard version == Self.version else {
      throw Fault(
        description:
          "the replay token is of version \(version), and this build replays version \(Self.version)")
    }
    guard CrashStart.named(String(parts[1])) != nil else {
      throw Fault(
        description: "the replay token begins at \"\(parts[1])\"; known are \(CrashStart.all.map(\.name))")
    }
    var steps: [CrashStep] = []
    for word in parts[2].split(separator: ",") {
      guard let step = CrashStep(String(word)) else {
        throw Fault(description: "the replay token has a step \"\(word)\", which is none")
      }
      steps.append(step)
    }
    self.init(start: String(parts[1]), steps: steps)
  }
}
