// SPDX-License-Identifier: Apache-2.0

import Foundation
import LNoteFormats
import Testing

@Suite(.serialized) struct ApplyDurabilityTests {
  @Test func everyLineIsAnsweredBeforeTheNextIsSent() throws {
    let f = try Fixture()
    for level in ["buffered", "written", "durable"] {
      let session = try ApplyProcess(f.document, "--durability", level)
      let first = try f.dump()["commit"]?.int ?? 0
      for index in 1...20 {
        let answer = try session.ask(f.append(200, "\(index)"))
        #expect(answer.isOK && answer["commit"]?.int == first + Int64(index))
        // Another process sees what was handed to the kernel.
        if level != "buffered", index % 5 == 0 { #expect(try f.dump()["commit"] == answer["commit"]) }
      }
      #expect(try session.end() == 0)
    }
    #expect(try f.pageFiles == ["\(f.page).content"])
  }

  @Test func leaveOpenWritesNothingMore() throws {
    let f = try Fixture(strokes: 3)
    let before = try f.scratch.everything()
    let lost = try f.apply([f.append(9, "lost")], "--durability", "buffered", "--leave-open")
    #expect(lost.code == 0 && lost.lines == [#"{"ok":true,"id":4,"commit":4}"#])
    #expect(try f.scratch.everything() == before)

    let kept = try f.apply([f.append(9, "kept")], "--durability", "written", "--leave-open")
    #expect(kept.code == 0)
    #expect(try f.pageFiles.filter { $0.hasSuffix(".journal") }.count == 1)
    let page = try f.dump()
    #expect(page["recovery"]?["verdict"] == .string("leftOpen"))
    #expect(page["recovery"]?["commitsApplied"] == .integer(1))
    #expect(try f.payloads().last == "kept")

    let again = try f.apply([f.append(9, "more")])
    #expect(again.lines == [#"{"ok":true,"id":5,"commit":5}"#])
    #expect(try f.pageFiles == ["\(f.page).content"])
  }

  @Test func closeEndsTheSessionAlsoWhenTheInputGoesOn() throws {
    let f = try Fixture()
    let session = try ApplyProcess(f.document, "--leave-open")
    #expect(try session.ask(f.append(9, "a")).isOK)
    #expect(try session.ask(#"{"op":"close"}"#) == .object(["ok": .bool(true)]))
    session.process.waitUntilExit()
    #expect(session.process.terminationStatus == 0)
    #expect(try f.pageFiles == ["\(f.page).content"])
  }

  @Test func syncListsAllPagesAlsoThoseThatWereNotTouched() throws {
    let f = try Fixture(strokes: 4)
    let session = try ApplyProcess(f.document, "--durability", "buffered")
    let second = try #require(try session.ask(#"{"op":"addPage","width":1,"height":1}"#)["page"]?.string)
    #expect(try session.ask(#"{"op":"append","page":"\#(second)","kind":9,"payload":""}"#).isOK)
    #expect(
      try session.ask(#"{"op":"sync"}"#)["pages"] == .object([f.page: .integer(4), second: .integer(1)]))
    #expect(try session.ask(#"{"op":"sync","page":"\#(f.page)"}"#)["durable"] == .integer(4))
    session.kill()
    let dump = try Command.run("dump", f.document).json()
    #expect(dump["pages"]?.array?.map { $0["commit"]?.int } == [4, 1])
  }

  @Test func compactionBeginsAtTheGivenBytes() throws {
    let f = try Fixture()
    let lines = (0..<200).map { _ in f.append(200, String(repeating: "x", count: 100)) }
    let run = try f.apply(lines + [f.line("compact")], "--compact-at", "1000", "--durability", "written")
    #expect(run.code == 0)
    let many = try #require(try f.dump()["generation"]?.int)
    #expect(many > 2, "20 KB of journal are merged more than once at 1000 bytes")
    #expect(try f.payloads().count == 200)
  }

  @Test func aKilledWriterLosesNothingThatWasAnswered() throws {
    let f = try Fixture()
    var expected: [String] = []
    for round in 1...4 {
      let session = try ApplyProcess(f.document, "--compact-at", "2000")
      for index in 0..<(round * 17) {
        let payload = "\(round).\(index)"
        #expect(try session.ask(f.append(200, payload)).isOK)
        expected.append(payload)
      }
      session.kill()
      #expect(try f.payloads() == expected)
      let check = try Command.run("check", f.document)
      #expect(check.code == 0, "\(check.text)")
      if round % 2 == 0 {
        #expect(try f.dump("--recover")["commit"]?.int == Int64(expected.count))
        #expect(try f.pageFiles == ["\(f.page).content"])
      }
    }
  }

  @Test func aSecondWriterIsTurnedAwayAfterTwoSeconds() throws {
    let f = try Fixture()
    let session = try ApplyProcess(f.document)
    #expect(try session.ask(f.append(9, "a")).isOK)
    try f.scratch.write("in.ndjson", #"{"width":1,"x":[1],"y":[1]}"#)
    let writers = [
      ["apply", f.document], ["compact", f.document], ["dump", "--recover", f.document],
      ["dump", "--recover", "\(f.document)/pages/\(f.page).content"],
      ["import", f.scratch / "in.ndjson", "-o", f.document, "--force"],
    ]
    let before = try f.scratch.everything()
    for words in writers {
      let start = ContinuousClock.now
      expectSentence(try Command.run(words), 75, "another process")
      let took = ContinuousClock.now - start
      #expect(took > .milliseconds(1900) && took < .seconds(8), "\(words): \(took)")
    }
    // Readers are not kept out.
    for words in [["info", f.document], ["check", f.document], ["dump", f.document]] {
      #expect(try Command.run(words).code == 0, "\(words)")
    }
    #expect(try f.scratch.everything() == before)
    #expect(try session.end() == 0)
    #expect(try Command.run("compact", f.document).code == 0)
  }

  @Test func aWriterThatEndsInTimeLetsTheNextOneIn() throws {
    let f = try Fixture()
    let session = try ApplyProcess(f.document)
    #expect(try session.ask(f.append(9, "a")).isOK)
    let number = session.process.processIdentifier
    DispatchQueue.global().asyncAfter(deadline: .now() + 0.5) {
      Foundation.kill(number, SIGKILL)
    }
    #expect(try f.apply([f.append(9, "b")]).lines == [#"{"ok":true,"id":2,"commit":2}"#])
  }

  @Test func answersThatNobodyReadsEndTheSessionInOrder() throws {
    let f = try Fixture()
    try f.scratch.write("in", (0..<5000).map { f.append(200, "\($0)") }.joined(separator: "\n"))
    let run = try Command.shell(
      "($L apply d.lnote --durability buffered < in; echo $? > code) | head -n 1", in: f.scratch)
    #expect(run.lines == [#"{"ok":true,"id":1,"commit":1}"#])
    #expect(try String(decoding: f.scratch.bytes("code"), as: UTF8.self) == "74\n")
    #expect(try f.pageFiles == ["\(f.page).content"])
    #expect(try Command.run("check", f.document).code == 0)
  }

  @Test func closedStandardStreamsNeverReachTheDocument() throws {
    let f = try Fixture(strokes: 2)
    #expect(try f.apply([f.append(9, "a")], "--leave-open").code == 0)
    #expect(try Command.shell("$L compact d.lnote >&- 2>&- <&-", in: f.scratch).code == 74)
    #expect(try Command.shell("echo '\(f.append(9, "b"))' | $L apply d.lnote >&-", in: f.scratch).code == 74)
    #expect(try Command.shell("$L apply d.lnote <&-", in: f.scratch).code == 0)
    #expect(try f.payloads() == ["stroke 0", "stroke 1", "a", "b"])
    #expect(try Command.run("check", f.document).code == 0)
  }

  @Test func anInputThatCannotBeReadIsNoEndOfInput() throws {
    let f = try Fixture()
    expectSentence(try Command.shell("$L apply d.lnote < /", in: f.scratch), 74, "standard input")
    expectSentence(try Command.shell("$L dump --batch < /", in: f.scratch), 74, "standard input")
  }

  @Test func aCloseThatDoesNotHoldIsSaid() throws {
    let f = try Fixture(strokes: 1)
    var random = SeededGenerator(state: seed)
    try f.scratch.write(
      "in",
      (0..<60).map { _ in f.append(200, Data(random.bytes(150)).base64EncodedString()) }.joined(
        separator: "\n"))
    let run = try Command.shell("(ulimit -f 8; $L apply d.lnote < in; echo $? > code) | cat", in: f.scratch)
    #expect(
      run.errorLines.count == 1 && run.errors.contains("the file would be larger"), "\(run.errors)")
    #expect(try String(decoding: f.scratch.bytes("code"), as: UTF8.self) == "74\n")
    let answers = try run.answers()
    #expect(answers.count == 60)
    let acknowledged = answers.filter { $0.isOK }.count
    #expect(acknowledged < 60)
    let payloads = try f.payloads()
    #expect(payloads.count >= acknowledged + 1)
    #expect(try Command.run("check", f.document).code == 0)
  }
}
