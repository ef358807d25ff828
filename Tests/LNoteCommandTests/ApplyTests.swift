// SPDX-License-Identifier: Apache-2.0

import Foundation
import LNoteFormats
import Testing

@Suite struct ApplyTests {
  @Test func everyOperationHasItsAnswer() throws {
    let f = try Fixture()
    let run = try f.apply([
      f.append(200, "a"),
      f.line("insert", #""at":0,"kind":201,"payload":"Yg==""#),
      f.line("replace", #""id":1,"with":[{"kind":5,"payload":"Yw=="},{"kind":255,"payload":""}]"#),
      f.line("move", #""id":2,"to":2"#),
      f.line("move", #""id":2,"to":2"#),
      f.line("set", #""key":"paper","value":"ZA==""#),
      f.line("set", #""key":"none","value":null"#),
      f.line("stroke", #""width":1.4,"x":[1,2],"y":[3,4],"time":[0,8],"tool":"pencil""#),
      f.line("remove", #""id":3"#),
      f.line("compact"),
      f.line("sync"),
      #"{"op":"sync"}"#,
      #"{"op":"compact"}"#,
      #"{"op":"addAsset","type":"image/png","data":"iVBO"}"#,
      #"{"op":"close"}"#,
      #"{"op":"sync"}"#,
    ])
    #expect(run.code == 0 && run.errors.isEmpty)
    let asset = try #require(try run.answers()[13]["asset"]?.string)
    // The exact text: keys come in the order in which the manual says them.
    #expect(
      run.lines == [
        #"{"ok":true,"id":1,"commit":1}"#, #"{"ok":true,"id":2,"commit":2}"#,
        #"{"ok":true,"ids":[3,4],"commit":3}"#, #"{"ok":true,"commit":4}"#, #"{"ok":true,"commit":5}"#,
        #"{"ok":true,"commit":6}"#, #"{"ok":true,"commit":7}"#, #"{"ok":true,"id":5,"commit":8}"#,
        #"{"ok":true,"commit":9}"#, #"{"ok":true}"#, #"{"ok":true,"durable":9}"#,
        #"{"ok":true,"pages":{"\#(f.page)":9}}"#, #"{"ok":true}"#, #"{"ok":true,"asset":"\#(asset)"}"#,
        #"{"ok":true}"#,
      ])
    let page = try f.dump()
    #expect(page["commit"] == .integer(9) && page["recovery"]?["verdict"] == .string("clean"))
    #expect(page["attributes"] == .object(["paper": .string("ZA==")]))
    #expect(page["elements"]?.array?.map { $0["id"]?.int } == [4, 2, 5])
    #expect(page["elements"]?.array?.map { $0["kind"]?.int } == [255, 201, 1])
    #expect(try f.scratch.names("d.lnote/assets") == ["\(asset).png"])
  }

  @Test func pagesAreAddedMovedAndRemoved() throws {
    let f = try Fixture()
    let session = try ApplyProcess(f.document)
    let second = try #require(try session.ask(#"{"op":"addPage","width":10.5,"height":20}"#)["page"]?.string)
    #expect(try session.ask(#"{"op":"movePage","page":"\#(second)","to":0}"#).isOK)
    #expect(try session.ask(#"{"op":"movePage","page":"\#(second)","to":2}"#).errorCode == "usage")
    #expect(try session.ask(#"{"op":"removePage","page":"\#(f.page)"}"#).isOK)
    #expect(try session.ask(#"{"op":"removePage","page":"\#(f.page)"}"#).errorCode == "noSuchPage")
    #expect(try session.ask(f.append(1, "x")).errorCode == "noSuchPage")
    #expect(try session.end() == 0)
    let dump = try Command.run("dump", f.document).json()
    #expect(dump["pages"]?.array?.map { $0["id"]?.string } == [second])
    #expect(dump["pages"]?.array?.first?["width"] == .number(10.5))
    #expect(try f.pageFiles == ["\(second).content"])
  }

  @Test func aBatchIsAllOrNothing() throws {
    let f = try Fixture(strokes: 2)
    let id = #""id":"#
    let run = try f.apply([
      // Ids 3 and 4 are given out inside of the batch and used by its later parts.
      f.line(
        "batch",
        #""ops":[{"op":"append","kind":9,"payload":"YQ=="},{"op":"replace",\#(id)3,"with":[{"kind":9,"payload":"Yg=="}]},"#
          + #"{"op":"move",\#(id)4,"to":0},{"op":"remove",\#(id)1},{"op":"set","key":"k","value":"dg=="},"#
          + #"{"op":"insert","page":"\#(f.page)","at":0,"kind":9,"payload":"Yw=="},"#
          + #"{"op":"stroke","width":1,"x":[1],"y":[1]}]"#),
      f.line("batch", #""ops":[{"op":"append","kind":9,"payload":"eA=="},{"op":"remove",\#(id)99}]"#),
      f.line(
        "batch", #""ops":[{"op":"append","kind":9,"payload":"eA=="},{"op":"append","kind":0,"payload":""}]"#),
      f.line(
        "batch", #""ops":[{"op":"append","kind":9,"payload":"eA=="},{"op":"append","kind":9,"payload":"?"}]"#),
      f.line("batch", #""ops":[{"op":"remove",\#(id)2},{"op":"remove",\#(id)2}]"#),
      f.line("batch", #""ops":[{"op":"append","kind":9,"payload":"eA=="},{"op":"sync"}]"#),
      f.line("batch", #""ops":[{"op":"batch","ops":[]}]"#),
      f.line("batch", #""ops":[]"#),
      f.line("batch", #""ops":[7]"#),
      f.line("batch", #""ops":[{"op":"remove",\#(id)2,"page":"00000000-0000-4000-8000-000000000000"}]"#),
      #"{"op":"batch","ops":[{"op":"remove","id":2}]}"#,
      f.append(9, "next"),
    ])
    #expect(run.code == 0)
    let answers = try run.answers()
    #expect(run.lines.first == #"{"ok":true,"ids":[3,4,5,6],"commit":3}"#)
    #expect(
      answers.dropFirst().map { $0.errorCode ?? "ok" } == [
        "noSuchElement", "usage", "badPayload", "noSuchElement", "usage", "usage", "usage", "usage", "usage",
        "usage", "ok",
      ])
    // Nothing of the refused ones is left, no id was used up.
    #expect(run.lines.last == #"{"ok":true,"id":7,"commit":4}"#)
    #expect(try f.ids() == [5, 4, 2, 6, 7])
    #expect(try f.dump()["attributes"] == .object(["k": .string("dg==")]))
  }

  @Test func malformedLinesAreAnsweredAndReadingGoesOn() throws {
    let f = try Fixture()
    let bad = [
      "", "   ", "{", "nonsense", "[]", "7", "null", #""text""#, "{}", #"{"op":7}"#, #"{"op":null}"#,
      #"{"op":"fly"}"#, #"{"op":"append"}"#, #"{"op":"append","op":"append"}"#, #"{"op":"sync"} x"#,
      String(repeating: "[", count: 100_000), #"{"op":"\ud800"}"#, "{\"op\":\"a\u{1}\"}",
    ]
    var input = Data()
    for line in bad { input += Data((line + "\n").utf8) }
    input += [0x7B, 0xFF, 0xFE, 0x7D, 0x0A, 0x00, 0x0A]
    // The last line has no end, and Windows ends are white space.
    input += Data((f.append(9, "a") + "\r\n" + f.append(9, "b")).utf8)
    let run = try Command.run(["apply", f.document], input: input)
    #expect(run.code == 0 && run.errors.isEmpty)
    let answers = try run.answers()
    #expect(answers.count == bad.count + 4)
    for (index, answer) in answers.dropLast(2).enumerated() {
      #expect(answer.errorCode == "usage", "line \(index + 1)")
      #expect(answer["applied"] == nil)
    }
    #expect(answers.suffix(2).allSatisfy { $0.isOK })
    #expect(try f.payloads() == ["a", "b"])
  }

  @Test func refusedOperationsSayWhyAndChangeNothing() throws {
    let f = try Fixture(strokes: 1)
    let other = "00000000-0000-4000-8000-000000000000"
    let payload = #","payload":"YQ==""#
    let cases: [(String, String)] = [
      (f.line("append", #""kind":0\#(payload)"#), "usage"),
      (f.line("append", #""kind":256\#(payload)"#), "usage"),
      (f.line("append", #""kind":-1\#(payload)"#), "usage"),
      (f.line("append", #""kind":1.5\#(payload)"#), "usage"),
      (f.line("append", #""kind":1e300\#(payload)"#), "usage"),
      (f.line("append", #""kind":"1"\#(payload)"#), "usage"),
      (f.line("append", #""kind":1e999\#(payload)"#), "usage"), (f.line("append", #""kind":9"#), "usage"),
      (f.line("append", #""kind":9,"payload":7"#), "usage"),
      (f.line("append", #""kind":9,"payload":"Y"}"#), "usage"),
      (f.line("append", #""kind":9,"payload":"Y""#), "badPayload"),
      (f.line("append", #""kind":9,"payload":"YQ=""#), "badPayload"),
      (f.line("append", #""kind":9,"payload":"YQ==\n""#), "badPayload"),
      (f.line("append", #""kind":9,"payload":"Y-_=""#), "badPayload"),
      (f.line("insert", #""at":-1,"kind":9\#(payload)"#), "usage"),
      (f.line("insert", #""at":2,"kind":9\#(payload)"#), "usage"),
      (f.line("insert", #""at":0.5,"kind":9\#(payload)"#), "usage"),
      (f.line("insert", #""at":9223372036854775807,"kind":9\#(payload)"#), "usage"),
      (f.line("insert", #""at":99999999999999999999,"kind":9\#(payload)"#), "usage"),
      (f.line("remove", #""id":0"#), "noSuchElement"), (f.line("remove", #""id":-1"#), "noSuchElement"),
      (f.line("remove", #""id":2"#), "noSuchElement"), (f.line("remove", #""id":1.5"#), "usage"),
      (f.line("remove", #""id":18446744073709551615"#), "noSuchElement"),
      (f.line("remove", #""id":1e300"#), "noSuchElement"), (f.line("remove"), "usage"),
      (f.line("replace", #""id":1,"with":[]"#), "usage"), (f.line("replace", #""id":1,"with":[7]"#), "usage"),
      (f.line("replace", #""id":1"#), "usage"),
      (f.line("replace", #""id":9,"with":[{"kind":9\#(payload)}]"#), "noSuchElement"),
      (f.line("move", #""id":1,"to":1"#), "usage"), (f.line("move", #""id":1,"to":-1"#), "usage"),
      (f.line("move", #""id":9,"to":0"#), "noSuchElement"),
      (f.line("set", #""key":"","value":null"#), "usage"), (f.line("set", #""key":"k""#), "usage"),
      (f.line("set", #""key":"k","value":7"#), "usage"),
      (f.line("set", #""key":"k","value":"?""#), "badPayload"),
      (f.line("set", #""key":"\#(String(repeating: "k", count: 256))","value":null"#), "tooLarge"),
      (f.line("stroke", #""width":1,"x":[1],"y":[]"#), "badPayload"),
      (f.line("stroke", #""width":1,"x":[],"y":[]"#), "badPayload"),
      (f.line("stroke", #""width":1,"x":[1e300],"y":[1]"#), "badPayload"),
      (f.line("stroke", #""x":[1],"y":[1]"#), "badPayload"),
      (f.line("stroke", #""width":1,"x":["1"],"y":[1]"#), "badPayload"),
      (#"{"op":"append","page":"../../etc","kind":9\#(payload)}"#, "noSuchPage"),
      (#"{"op":"append","page":"\#(f.page)\u0000","kind":9\#(payload)}"#, "noSuchPage"),
      (#"{"op":"append","page":"\#(f.page.uppercased())","kind":9\#(payload)}"#, "noSuchPage"),
      (#"{"op":"append","page":"\#(other)","kind":9\#(payload)}"#, "noSuchPage"),
      (#"{"op":"append","page":7,"kind":9\#(payload)}"#, "usage"),
      (#"{"op":"append","kind":9\#(payload)}"#, "usage"),
      (#"{"op":"sync","page":"\#(other)"}"#, "noSuchPage"), (#"{"op":"compact","page":"x"}"#, "noSuchPage"),
      (#"{"op":"removePage"}"#, "usage"), (#"{"op":"movePage","page":"\#(f.page)","to":1}"#, "usage"),
      (#"{"op":"addPage","width":0,"height":1}"#, "usage"),
      (#"{"op":"addPage","width":-1,"height":1}"#, "usage"),
      (#"{"op":"addPage","width":1e7,"height":1}"#, "usage"), (#"{"op":"addPage","height":1}"#, "usage"),
      (#"{"op":"addAsset","type":"../x","data":"YQ=="}"#, "ok"),
      (#"{"op":"addAsset","type":"a.b","data":"YQ=="}"#, "usage"),
      (#"{"op":"addAsset","type":"","data":"YQ=="}"#, "usage"),
      (#"{"op":"addAsset","type":"png\u0000","data":"YQ=="}"#, "usage"),
      (#"{"op":"addAsset","type":"png","data":""}"#, "usage"),
      (#"{"op":"addAsset","type":"png","data":"?"}"#, "badPayload"),
    ]
    let before = try f.dump()
    let run = try f.apply(cases.map(\.0))
    #expect(run.code == 0)
    let answers = try run.answers()
    try #require(answers.count == cases.count)
    for (answer, expected) in zip(answers, cases) {
      #expect(answer.errorCode ?? "ok" == expected.1, "\(expected.0.prefix(200))")
      guard !answer.isOK else { continue }
      let message = answer["error"]?["message"]?.string ?? ""
      #expect(
        message.count > 10 && !message.contains("cannot cannot") && !message.contains("()"), "\(message)")
    }
    let after = try f.dump()
    #expect(after["elements"] == before["elements"] && after["commit"] == before["commit"])
    #expect(try f.scratch.names() == ["d.lnote"])
    // “../x” is a type x: of a type only what stands behind the last slash counts.
    #expect(try f.scratch.names("d.lnote/assets").allSatisfy { $0.hasSuffix(".x") })
  }

  @Test func createMakesOnlyWhatIsNotThere() throws {
    let scratch = try Scratch()
    let path = scratch / "new.lnote"
    expectSentence(try Command.run("apply", path), 66, path)
    #expect(try Command.run("apply", path, "--create").code == 0)
    let made = try scratch.everything()
    #expect(made["new.lnote/document.json"] != nil)
    #expect(try Command.run("apply", path, "--create").code == 0)
    #expect(try scratch.everything() == made)
    expectSentence(try Command.run("apply", scratch / "no/x.lnote", "--create"), 73, "there is no folder")
    try scratch.write("file", "x")
    expectSentence(try Command.run("apply", scratch / "file", "--create"), 66, "file")
    #expect(try scratch.names() == ["file", "new.lnote"])
  }
}
