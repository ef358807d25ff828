// SPDX-License-Identifier: Apache-2.0

import PageJournalFaults

/// Words of a command line: options with a value each, and what stands alone.
struct Options {
  private var values: [String: String] = [:]
  private(set) var words: [String] = []

  init(_ arguments: [String], known: Set<String>, words most: Int = 0) throws(UsageError) {
    var rest = arguments[...]
    while let word = rest.popFirst() {
      guard word.hasPrefix("--") else {
        words.append(word)
        continue
      }
      guard known.contains(word) else {
        throw UsageError(
          "there is no option \(word) here; known are \(known.sorted().joined(separator: ", "))")
      }
      guard let value = rest.popFirst() else { throw UsageError("\(word) needs a value") }
      guard values.updateValue(value, forKey: word) == nil else {
        throw UsageError("\(word) stands there twice")
      }
    }
    guard words.count <= most else { throw UsageError("\"\(words[most])\" is more than this command takes") }
  }

  func text(_ name: String) -> String? { values[name] }

  func number<Number: FixedWidthInteger>(
    _ name: String, _ absent: Number, from least: Number = 1
  ) throws(UsageError) -> Number {
    guard let text = values[name] else { return absent }
    guard let value = Number(text), value >= least else {
      throw UsageError("\(name) takes a number from \(least), not \"\(text)\"")
    }
    return value
  }

  /// Whether a run is wanted that does one thing wrong and has to find something.
  func isCanary(_ wrong: String) throws(UsageError) -> Bool {
    guard let text = values["--canary"] else { return false }
    guard text == wrong else { throw UsageError("--canary takes \(wrong) here, not \"\(text)\"") }
    return true
  }

  func profile() throws(UsageError) -> CrashProfile {
    guard let name = values["--profile"] else { return .worst }
    let known = [CrashProfile.worst, .nopsow, .ext4, .xfs]
    guard let profile = known.first(where: { $0.name == name }) else {
      throw UsageError("there is no profile \"\(name)\"; known are worst, nopsow, ext4 and xfs")
    }
    return profile
  }
}
