// SPDX-License-Identifier: Apache-2.0

/// The words behind a verb, sorted into options and the rest.
struct Arguments {
  private(set) var rest: [String] = []
  private var flags: Set<String> = []
  private var values: [String: String] = [:]
  private let verb: String

  init(_ words: [String], flags known: Set<String>, options: Set<String>, verb: String) throws(Failure) {
    self.verb = verb
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
    guard let path = rest.first, rest.count == 1 else {
      throw usage(rest.isEmpty ? "\(what) is missing" : "it takes one path, not \(rest.count)")
    }
    guard !path.isEmpty else { throw usage("\(what) has an empty name") }
    return path
  }

  /// The single path of something that is there; a link is followed.
  func input(_ what: String) throws(Failure) -> String { UserPath.followed(try only(what)) }

  /// A mistake in the words, with where to look it up.
  func usage(_ message: String) -> Failure {
    Failure(.usage, "\(message); see ‘lnote \(verb) --help’")
  }
}
