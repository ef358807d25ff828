// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The command line: finds the verb and gives it the rest.
@main
struct LNoteCommand {
  static let version = "0.1.0"

  static let verbs: [any (Verb & SendableMetatype).Type] = [
    NewVerb.self, InfoVerb.self, CheckVerb.self, FramesVerb.self, CompactVerb.self, ImportVerb.self,
    ExportVerb.self, ApplyVerb.self, DumpVerb.self,
  ]

  static func main() {
    // A reader that goes away is an error of the write, not the end of the process before its files are closed.
    signal(SIGPIPE, SIG_IGN)
    // The same for a limit on the size of files.
    signal(SIGXFSZ, SIG_IGN)
    _ = Output.reservedDescriptors
    var code = run(Array(CommandLine.arguments.dropFirst()))
    if Output.hasFailed, code == .ok {
      Output.error("lnote: cannot write to the standard output: nobody reads it any more, or it is full")
      code = .io
    }
    exit(code.rawValue)
  }

  static func run(_ words: [String]) -> ExitCode {
    guard let first = words.first else {
      Output.error(overview)
      return .usage
    }
    switch first {
    case "--help", "-h", "help":
      guard words.count > 1 else { return say(overview) }
      guard let verb = verbs.first(where: { $0.name == words[1] }) else { return unknown(words[1]) }
      return say(verb.help)
    case "--version": return say("lnote \(version) (format 1.0)")
    default: break
    }
    guard let verb = verbs.first(where: { $0.name == first }) else { return unknown(first) }
    let rest = Array(words.dropFirst())
    if rest.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
      return say(verb.help)
    }
    do throws(Failure) {
      return try verb.run(try Arguments(rest, flags: verb.flags, options: verb.options, verb: first))
    } catch {
      Output.error("lnote \(first): \(error.message)")
      return error.code
    }
  }

  private static func say(_ text: String) -> ExitCode {
    Output.line(text)
    return .ok
  }

  private static func unknown(_ name: String) -> ExitCode {
    Output.error("lnote: there is no verb “\(name)”; ‘lnote --help’ lists them")
    return .usage
  }

  static var overview: String {
    var text = "usage: lnote VERB …\n\nNote packages of pages that are a snapshot plus a journal.\n\n"
    for verb in verbs {
      text += "  " + verb.name.padding(toLength: 9, withPad: " ", startingAt: 0) + verb.summary + "\n"
    }
    text += """

      ‘lnote VERB --help’ says more; ‘lnote --version’ the version.
      Exit codes: 0 ok, 64 usage, 65 damaged data, 66 no such input or wrong kind of file, 70 internal,
      73 output exists or cannot be created, 74 I/O or permission, 75 locked.
      """
    return text
  }
}

/// One verb of the command line.
protocol Verb: Sendable {
  static var name: String { get }
  static var summary: String { get }
  static var help: String { get }
  /// Options without a value.
  static var flags: Set<String> { get }
  /// Options with one.
  static var options: Set<String> { get }
  static func run(_ arguments: Arguments) throws(Failure) -> ExitCode
}
