// SPDX-License-Identifier: Apache-2.0

import Foundation
import LNoteFormats
import Testing

@Suite struct TransferTests {
  static let strokes = """
    {"pageSize":[200,300],"page":1}
    {"width":1.4,"color":"#ff000080","x":[1,2.5,3],"y":[4,5,6],"pressure":[0.5,0.6,0],"time":[0,8,17],"tool":"pencil"}
    {"kind":200,"payload":"AAECAwQ="}
    {"page":3,"width":2,"x":[10],"y":[20],"radius":[1.5],"start":99,"flags":3}
    {"page":3,"kind":1,"payload":"/////w=="}

    """

  private func summary(_ document: String) throws -> [[String]] {
    let pages = try #require(try Command.run("dump", document).json()["pages"]?.array)
    return pages.map { page in
      let size = ["\(page["width"]?.double ?? 0) × \(page["height"]?.double ?? 0)"]
      return size
        + (page["elements"]?.array ?? []).map { "\($0["kind"]?.int ?? 0) \($0["payload"]?.string ?? "")" }
    }
  }

  @Test func exportAndImportAreStable() throws {
    let scratch = try Scratch()
    try scratch.write("a.ndjson", Self.strokes)
    #expect(try Command.run("import", "a.ndjson", "-o", "a.lnote", in: scratch).code == 0)
    for (from, to) in [("a", "b"), ("b", "c")] {
      #expect(try Command.run("export", "\(from).lnote", "-o", "\(to).ndjson", in: scratch).code == 0)
      #expect(try Command.run("import", "\(to).ndjson", "-o", "\(to).lnote", in: scratch).code == 0)
    }
    #expect(try scratch.bytes("b.ndjson") == scratch.bytes("c.ndjson"))
    let first = try summary(scratch / "a.lnote")
    #expect(first.map(\.count) == [3, 1, 3] && first[0][2] == "200 AAECAwQ=" && first[2][2] == "1 /////w==")
    #expect(try summary(scratch / "b.lnote") == first)
    #expect(try summary(scratch / "c.lnote") == first)
  }

  @Test func severalFilesFollowOneAnother() throws {
    let scratch = try Scratch()
    try scratch.write("a.ndjson", Self.strokes)
    try scratch.write("b.ndjson", #"{"width":1,"x":[1],"y":[1]}"#)
    let run = try Command.run("import", "a.ndjson", "b.ndjson", "b.ndjson", "-o", "x.lnote", in: scratch)
    #expect(run.code == 0 && run.errors.isEmpty)
    #expect(run.lines[0] == "x.lnote: 4 strokes, 6 samples, 2 other elements on 5 pages")
    #expect(try summary(scratch / "x.lnote").map(\.count) == [3, 1, 3, 2, 2])
    // One bad file, and there is no document.
    try scratch.write("bad.ndjson", #"{"width":1,"x":[1],"y":[1]}"# + "\n" + #"{"width":1,"x":[1],"y":[]}"#)
    let before = try scratch.everything()
    let bad = try Command.run("import", "a.ndjson", "bad.ndjson", "-o", "y.lnote", in: scratch)
    expectSentence(bad, 65, "bad.ndjson", "line 2")
    #expect(try scratch.everything() == before)
  }

  @Test func nothingIsOverwrittenWithoutForce() throws {
    let scratch = try Scratch()
    try scratch.write("in.ndjson", #"{"width":1,"x":[1],"y":[1]}"#)
    try scratch.write("file", "x")
    try FileManager.default.createDirectory(atPath: scratch / "folder", withIntermediateDirectories: true)
    try scratch.write("folder/kept", "x")
    #expect(try Command.run("new", "old.lnote", "--title", "old", in: scratch).code == 0)
    let before = try scratch.everything()
    expectSentence(try Command.run("import", "in.ndjson", "-o", "old.lnote", in: scratch), 73, "--force")
    for name in ["file", "folder", "."] {
      for force in [[], ["--force"]] {
        expectSentence(try Command.run(["import", "in.ndjson", "-o", name] + force, in: scratch), 73, name)
      }
    }
    expectSentence(
      try Command.run("import", "in.ndjson", "-o", "no/x.lnote", in: scratch), 73, "there is no folder")
    expectSentence(
      try Command.run("import", "nothing", "-o", "old.lnote", "--force", in: scratch), 66, "nothing")
    #expect(try scratch.everything() == before)

    #expect(try Command.run("import", "in.ndjson", "-o", "old.lnote", "--force", in: scratch).code == 0)
    #expect(try summary(scratch / "old.lnote").map(\.count) == [2])
    #expect(try scratch.names() == ["file", "folder", "in.ndjson", "old.lnote"])
    #expect(try Command.run("import", "in.ndjson", "-o", "new.lnote/", "--force", in: scratch).code == 0)
  }

  @Test func aPageNumberThatIsAMistakeMakesNoPages() throws {
    let scratch = try Scratch()
    for number in ["1002", "10001", "99999999999", "-1", "0", "1.5"] {
      try scratch.write("in.ndjson", #"{"width":1,"x":[1],"y":[1],"page":\#(number)}"#)
      expectSentence(
        try Command.run("import", "in.ndjson", "-o", "x.lnote", in: scratch), 65, "in.ndjson", "page")
      #expect(try scratch.names() == ["in.ndjson"])
    }
  }

  @Test func anInterruptedImportLeavesNothing() throws {
    let scratch = try Scratch()
    let line = #"{"width":1,"x":[1,2,3,4,5,6,7,8],"y":[1,2,3,4,5,6,7,8]}"# + "\n"
    try scratch.write("big.ndjson", String(repeating: line, count: 60_000))
    #expect(try Command.run("new", "old.lnote", "--title", "old", in: scratch).code == 0)
    let before = try scratch.everything()
    var interrupted = 0
    for signal in [SIGINT, SIGTERM, SIGHUP] {
      for words in [["-o", "x.lnote"], ["-o", "old.lnote", "--force"]] {
        let process = Process()
        process.executableURL = URL(filePath: Command.binary)
        process.currentDirectoryURL = URL(filePath: scratch.path)
        process.arguments = ["import", "big.ndjson"] + words
        let errors = Pipe()
        process.standardError = errors
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        // In the middle: the hidden package is there, the final one is not.
        while process.isRunning, try !scratch.names().contains(where: { $0.hasSuffix(".building") }) {
          usleep(500)
        }
        usleep(50_000)
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        guard process.terminationStatus != 0 else { continue }
        interrupted += 1
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(process.terminationReason == .exit && process.terminationStatus == 74)
        #expect(text.contains("interrupted") && text.split(separator: "\n").count == 1, "\(text)")
        #expect(try scratch.everything().keys.sorted() == before.keys.sorted())
      }
    }
    #expect(interrupted > 0, "every import was faster than its signal")
  }

  @Test func pagesAreChosenByNumber() throws {
    let scratch = try Scratch()
    try scratch.write(
      "in.ndjson",
      (1...5).map { #"{"page":\#($0),"kind":200,"payload":"\#(Data("\($0)".utf8).base64EncodedString())"}"# }
        .joined(separator: "\n"))
    #expect(try Command.run("import", "in.ndjson", "-o", "d.lnote", in: scratch).code == 0)
    let forms = [
      "2": [2], "2-4": [2, 3, 4], "4-": [4, 5], "-2": [1, 2], "1,3-4": [1, 3, 4], "5,1": [1, 5], "2-2": [2],
      "1-5,2-3": [1, 2, 3, 4, 5],
    ]
    for (form, pages) in forms {
      let run = try Command.run("export", "d.lnote", "-o", "o.ndjson", "--pages", form, in: scratch)
      #expect(run.code == 0, "\(form): \(run.errors)")
      let lines = String(decoding: try scratch.bytes("o.ndjson"), as: UTF8.self).split(separator: "\n")
      let found = try lines.map { try JSONValue(parsing: [UInt8]($0.utf8)) }.compactMap {
        $0["payload"]?.string
      }
      #expect(found == pages.map { Data("\($0)".utf8).base64EncodedString() }, "\(form)")
    }
    try FileManager.default.removeItem(atPath: scratch / "o.ndjson")
    for form in [
      "", "0", "x", "1-x", "3-2", "6", "2-9", "-", "1-2-3", "1,", "-0", "99999999999999999999", "+1", "1--2",
    ] {
      let run = try Command.run("export", "d.lnote", "-o", "o.svg", "--pages", form, in: scratch)
      expectSentence(run, 64, "--pages")
    }
    #expect(try scratch.names() == ["d.lnote", "in.ndjson"])
  }

  @Test func anExportReplacesAFileAndNothingElse() throws {
    let scratch = try Scratch()
    try scratch.write("in.ndjson", Self.strokes)
    #expect(try Command.run("import", "in.ndjson", "-o", "d.lnote", in: scratch).code == 0)
    try scratch.write("o.svg", "old")
    #expect(try Command.run("export", "d.lnote", "-o", "o.svg", in: scratch).code == 0)
    #expect(try String(decoding: scratch.bytes("o.svg"), as: UTF8.self).hasPrefix("<"))
    #expect(try Command.run("export", "d.lnote", "-o", "O.SVG", in: scratch).code == 0)
    try FileManager.default.createDirectory(atPath: scratch / "dir.svg", withIntermediateDirectories: true)
    let before = try scratch.names()
    expectSentence(try Command.run("export", "d.lnote", "-o", "dir.svg", in: scratch), 73, "dir.svg")
    expectSentence(
      try Command.run("export", "d.lnote", "-o", "no/o.svg", in: scratch), 73, "there is no folder")
    expectSentence(
      try Command.run(
        "export", "d.lnote/pages/\(scratch.names("d.lnote/pages")[0])", "-o", "p.svg", in: scratch),
      66, "not a document")
    #expect(try scratch.names() == before)
  }

  @Test func whatIsSkippedIsSaid() throws {
    let scratch = try Scratch()
    let xml =
      #"<?xml version="1.0"?><xournal version="0.4"><page width="100" height="100"><layer>"#
      + ##"<stroke tool="pen" color="#000000ff" width="1.41">1 1 2 2 3 3</stroke>"##
      + ##"<text font="Sans" size="12" x="1" y="1" color="#000000ff">hello</text></layer></page></xournal>"##
    try scratch.write("t.xopp", xml)
    let run = try Command.run("import", "t.xopp", "-o", "t.lnote", in: scratch)
    #expect(run.code == 0 && run.lines[0] == "t.lnote: 1 stroke, 3 samples on 1 page")
    #expect(
      run.errorLines.count >= 1 && run.errors.contains("t.xopp") && run.errors.contains("text"),
      "\(run.errors)")
  }

  @Test func everySharedFileImportsOrGivesOneSentence() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "../shared/ink").standardizedFileURL.path
    guard let names = FileManager.default.enumerator(atPath: root)?.compactMap({ $0 as? String }) else {
      print("skipped: no shared ink")
      return
    }
    let scratch = try Scratch()
    var imported = 0
    for name in names.sorted() {
      var isFolder: ObjCBool = false
      let path = "\(root)/\(name)"
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue else {
        continue
      }
      let output = scratch / "x.lnote"
      let run = try Command.run("import", path, "-o", output)
      if run.code == 0 {
        imported += 1
        #expect(try Command.run("check", output).code == 0, "\(name)")
        #expect(try Command.run("export", output, "-o", scratch / "x.svg").code == 0, "\(name)")
        try FileManager.default.removeItem(atPath: output)
        try FileManager.default.removeItem(atPath: scratch / "x.svg")
      } else {
        #expect(run.code == 65 || run.code == 66, "\(name): \(run.errors)")
        expectSentence(run, run.code, (name as NSString).lastPathComponent)
      }
      #expect(try scratch.names().isEmpty, "\(name)")
    }
    #expect(imported >= 6)
  }

  @Test func progressIsOnlyOnATerminal() throws {
    let scratch = try Scratch()
    let line = #"{"width":1,"x":[1,2,3],"y":[1,2,3]}"# + "\n"
    try scratch.write("in.ndjson", String(repeating: line, count: 500))
    let plain = try Command.run("import", "in.ndjson", "-o", "a.lnote", in: scratch)
    #expect(plain.code == 0 && plain.errors.isEmpty)
    guard try Command.shell("command -v script", in: scratch).code == 0 else {
      print("skipped: no script(1) to make a terminal with")
      return
    }
    for (setting, name) in [("", "b.lnote"), ("NO_COLOR=1 ", "c.lnote")] {
      let shown = try Command.shell(
        "script -qec '\(setting)'\"$L import in.ndjson -o \(name)\" /dev/null", in: scratch)
      #expect(shown.text.contains("in.ndjson: 500 strokes"), "\(shown.text)")
      #expect(!shown.text.contains("\u{1B}"))
      // The line is wiped out before the result is printed.
      #expect(shown.text.contains(" \r\(name): 500 strokes"), "\(shown.text)")
    }
  }
}
