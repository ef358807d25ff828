// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

let verbs = ["new", "info", "check", "frames", "compact", "import", "export", "apply", "dump"]

@Suite struct HelpTests {
  @Test(arguments: verbs) func everyVerbHasHelp(verb: String) throws {
    let help = try Command.run(verb, "--help")
    #expect(help.code == 0 && help.errors.isEmpty)
    #expect(help.text.hasPrefix("usage: lnote \(verb) "))
    #expect(help.lines.allSatisfy { $0.count <= 110 }, "\(help.lines.filter { $0.count > 110 })")
    for words in [[verb, "-h"], ["help", verb], ["--help", verb], [verb, "some", "--help", "words"]] {
      let other = try Command.run(words)
      #expect(other.code == 0 && other.output == help.output, "\(words)")
    }
  }

  @Test func theOverviewNamesEveryVerbAndCode() throws {
    for words in [["--help"], ["-h"], ["help"]] {
      let run = try Command.run(words)
      #expect(run.code == 0 && run.errors.isEmpty)
      for verb in verbs { #expect(run.text.contains("\n  \(verb) ")) }
      for code in [64, 65, 66, 70, 73, 74, 75] { #expect(run.text.contains("\(code) ")) }
    }
    let bare = try Command.run([])
    #expect(bare.code == 64 && bare.output.isEmpty && bare.errors.hasPrefix("usage: lnote"))
  }

  @Test func theVersionIsALine() throws {
    let run = try Command.run("--version")
    #expect(run.code == 0 && run.lines.count == 1 && run.text.hasPrefix("lnote "))
  }

  @Test func mistakesInTheWordsAreUsage() throws {
    expectSentence(try Command.run("bogus"), 64, "bogus", "lnote --help")
    expectSentence(try Command.run("help", "bogus"), 64, "bogus")
    for verb in verbs {
      expectSentence(try Command.run(verb, "--bogus", "x"), 64, "--bogus", "lnote \(verb) --help")
      expectSentence(try Command.run(verb), 64, "missing", "lnote \(verb) --help")
      if verb != "import" {
        // Behind “--” nothing is an option any more.
        expectSentence(try Command.run(verb, "--", "a", "--help"), 64, "one path, not 2")
        expectSentence(try Command.run(verb, ""), 64, "empty name")
      }
    }
    expectSentence(try Command.run("new", "x", "--title"), 64, "--title needs a value")
    expectSentence(try Command.run("import", "x"), 64, "-o DOC")
    expectSentence(try Command.run("export", "x"), 64, "-o OUT")
    expectSentence(try Command.run("export", "x", "-o", "x.pdf"), 64, ".svg or .ndjson", "x.pdf")
    expectSentence(try Command.run("apply", "x", "--durability", "never"), 64, "durable", "never")
    for bytes in ["0", "-1", "many", "99999999999999999999"] {
      expectSentence(try Command.run("apply", "x", "--compact-at", bytes), 64, bytes)
    }
    expectSentence(try Command.run("dump", "x", "--page", "../x"), 64, "UUID", "../x")
    expectSentence(try Command.run("dump", "--batch", "x"), 64, "--batch")
    expectSentence(try Command.run("apply", "x", "--create=yes"), 64, "--create")
  }
}
