// SPDX-License-Identifier: Apache-2.0

/// The words behind a verb, sorted into options and the rest.
struct Arguments {
  private(set) var rest: [String] = []
  private var flags: Set<String> = []
  private var values: [String: String] = [:]

  init(_ words: [String], flags known: Set<String>, options: Set<String>, verb: String) throws(Failure) {
    var index = 0
    var onlyRest = false
    while index < words.count {
      var word = words[index]
      index += 1
      if onlyRest || word == "-" || !word.hasPrefix("-") {
        rest.append(word)
        continue
      }
      if word == "--" {
        onlyRest = true
        continue
      }
      var inline: String?
      if word.hasPrefix("--"), let equals = word.firstIndex(of: "=") {
        inline = String(word[word.index(after: equals)...])
        word = String(word[..<equals])
      }
      if known.contains(word), inline == nil {
        flags.insert(word)
      } else if options.contains(word) {
        guard let value = inline ?? (index < words.count ? words[index] : nil) else {
          throw Failure(.usage, "\(word) needs a value; see ‘lnote \(verb) --help’")
        }
        if inline == nil { index += 1 }
        values[word] = value
      } else {
        throw Failure(.usage, "there is no option \(word); see ‘lnote \(verb) --help’")
      }
    }
  }

  func has(_ flag: String) -> Bool { flags.contains(flag) }

  func value(_ option: String) -> String? { values[option] }

  /// The single path that a verb takes.
  func only(_ what: String) throws(Failure) -> String {
    guard rest.count == 1, let path = rest.first, !path.isEmpty else {
      throw Failure(
        .usage, rest.isEmpty ? "\(what) is missing" : "one \(what) is expected, not \(rest.count)")
    }
    return path
  }
}
