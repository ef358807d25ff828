// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite struct BadInputTests {
  /// Every verb that takes something that is there, with a path put in.
  static let readers: [[String]] = [
    ["info", "@"], ["check", "@"], ["frames", "@"], ["compact", "@"], ["export", "@", "-o", "out.svg"],
    ["apply", "@"], ["dump", "@"], ["dump", "--recover", "@"], ["import", "@", "-o", "out.lnote"],
    ["import", "@", "-o", "taken.lnote", "--force"],
  ]

  private func words(_ reader: [String], _ path: String) -> [String] { reader.map { $0 == "@" ? path : $0 } }

  /// Runs a reader on a path of which nothing good can come, and expects that nothing is written.
  private func expectRefusal(
    _ reader: [String], _ path: String, _ codes: Set<Int32>, in scratch: Scratch,
    location: SourceLocation = #_sourceLocation
  ) throws {
    let before = try scratch.everything()
    let run = try Command.run(words(reader, path), in: scratch)
    #expect(
      codes.contains(run.code), "\(reader) \(path): \(run.code) \(run.errors)", sourceLocation: location)
    expectSentence(run, run.code, location: location)
    let after = try scratch.everything()
    #expect(after == before, "\(reader) \(path): \(after.keys.sorted())", sourceLocation: location)
  }

  private func scratch() throws -> Scratch {
    let scratch = try Scratch()
    #expect(try Command.run("new", "taken.lnote", in: scratch).code == 0)
    return scratch
  }

  @Test(arguments: readers) func whatIsNotThere(reader: [String]) throws {
    let scratch = try scratch()
    try scratch.write("file", "x")
    for path in ["nothing", "no/such/folder", "../nothing-of-that-name", "file/below"] {
      try expectRefusal(reader, path, [66], in: scratch)
    }
    try expectRefusal(reader, String(repeating: "n", count: 300), [64, 66], in: scratch)
  }

  @Test(arguments: readers) func aFolderThatIsNoPackage(reader: [String]) throws {
    let scratch = try scratch()
    try FileManager.default.createDirectory(atPath: scratch / "folder", withIntermediateDirectories: true)
    try expectRefusal(reader, "folder", [66], in: scratch)
    try expectRefusal(reader, ".", [66], in: scratch)
    try expectRefusal(reader, "/dev/null", [66], in: scratch)
  }

  @Test(arguments: readers) func filesOfOtherKinds(reader: [String]) throws {
    let scratch = try scratch()
    try scratch.write("empty", "")
    try scratch.write("note.pdf", "%PDF-1.7\n%âãÏÓ\n1 0 obj")
    try scratch.write("pack.zip", [0x50, 0x4B, 3, 4] + [UInt8](repeating: 7, count: 200))
    for name in ["empty", "note.pdf", "pack.zip"] {
      try expectRefusal(reader, name, name == "empty" ? [65, 66] : [66], in: scratch)
    }
  }

  @Test(arguments: readers) func randomBytes(reader: [String]) throws {
    let scratch = try scratch()
    var random = SeededGenerator(state: seed)
    for round in 0..<6 {
      try scratch.write("random", random.bytes([1, 10, 100, 1000, 10_000, 70_000][round]))
      try expectRefusal(reader, "random", [65, 66], in: scratch)
    }
  }

  @Test func randomPageFilesAreDamageAndNothingElse() throws {
    var random = SeededGenerator(state: seed)
    for count in [0, 1, 9, 64, 5000] {
      let f = try Fixture(strokes: 2)
      try f.scratch.write("d.lnote/pages/\(f.page).content", random.bytes(count))
      let before = try f.scratch.everything()
      let check = try Command.run("check", f.document)
      #expect(
        check.code == 65 && check.text.contains("damagedSnapshot"), "\(count), seed \(seed): \(check.text)")
      #expect(try Command.run("dump", f.document).code == 0)
      #expect(
        try Command.run("frames", "\(f.document)/pages/\(f.page).content").code == (count == 0 ? 65 : 65))
      #expect(try Command.run("info", f.document).code == 0)
      let export = try Command.run("export", f.document, "-o", f.scratch / "o.svg")
      #expect(export.code == 65 && export.errors.contains("damagedSnapshot"))
      try FileManager.default.removeItem(atPath: f.scratch / "o.svg")
      let apply = try f.apply([f.append(9, "x")])
      #expect(apply.code == 0)
      #expect(try apply.answers().first?.errorCode == "damaged", "\(apply.text)")
      #expect(try f.scratch.everything() == before, "\(count) bytes, seed \(seed)")
    }
  }

  @Test func aDamagedRecordIsNamedAndKept() throws {
    for text in ["", "{", "null", "[]", #"{"format":99}"#, "\u{0}\u{0}"] {
      let f = try Fixture(strokes: 2)
      try f.scratch.write("d.lnote/document.json", text)
      let before = try f.scratch.everything()
      expectSentence(try Command.run("info", f.document), 65, "document.json")
      let check = try Command.run("check", f.document)
      #expect(check.code == 65 && check.text.contains("document.json: damaged"), "\(text): \(check.text)")
      let dump = try Command.run("dump", f.document)
      #expect(dump.code == 0)
      #expect(try dump.json()["documentError"]?.string?.contains("document.json") == true)
      #expect(try dump.json()["pages"]?.array?.first?["elements"]?.array?.count == 2)
      let answers = try f.apply([#"{"op":"addPage","width":1,"height":1}"#]).answers()
      #expect(answers.first?.errorCode == "readOnly", "\(text)")
      let compact = try Command.run("compact", f.document)
      #expect(compact.code == 65 && compact.errors.contains("document.json"))
      #expect(try f.scratch.everything() == before, "\(text)")
    }
  }

  @Test func aBombIsNotUnpacked() throws {
    let scratch = try scratch()
    let made = try Command.shell(
      "(printf '<?xml version=\"1.0\"?><xournal><page width=\"1\" height=\"1\"><layer><text>'; "
        + "head -c 400000000 /dev/zero | tr '\\0' 'a') | gzip -9 > bomb.xopp; gzip -k bomb.xopp", in: scratch)
    #expect(made.code == 0)
    #expect(try scratch.bytes("bomb.xopp").count < 500_000)
    for name in ["bomb.xopp", "bomb.xopp.gz"] {
      let run = try Command.run("import", name, "-o", "out.lnote", in: scratch)
      #expect(run.code == 65 || run.code == 66, "\(run.errors)")
      expectSentence(run, run.code, name)
      #expect(try !scratch.names().contains { $0.contains("out.lnote") })
    }
  }

  @Test func aCutGzipIsDamage() throws {
    let scratch = try scratch()
    let xml =
      #"<?xml version="1.0"?><xournal version="0.4"><page width="100" height="100"><layer>"#
      + ##"<stroke tool="pen" color="#000000ff" width="1.41">1 1 2 2 3 3</stroke></layer></page></xournal>"##
    try scratch.write("whole.xml", xml)
    #expect(
      try Command.shell("gzip -k whole.xml && $L import whole.xml.gz -o ok.lnote", in: scratch).code == 0)
    let packed = try scratch.bytes("whole.xml.gz")
    for length in [
      1, 2, 3, 9, 10, 11, 18, packed.count / 2, packed.count - 9, packed.count - 8, packed.count - 1,
    ] {
      try scratch.write("cut.gz", packed.prefix(length))
      try expectRefusal(
        ["import", "@", "-o", "out.lnote"], "cut.gz", length < 3 ? [65, 66] : [65], in: scratch)
    }
  }

  @Test func batchDumpsAnswerBadPathsAndGoOn() throws {
    let f = try Fixture(strokes: 1)
    try f.scratch.write("empty", "")
    var input = Data()
    let paths = [
      "nothing", "empty", "/", "\(f.document)\0/x", f.document, String(repeating: "p", count: 5000), "../..",
      "\(f.document)/pages/\(f.page).content",
    ]
    for path in paths { input += Data((path + "\n").utf8) }
    input += [0x2F, 0xFF, 0xFE, 0x0A] + [UInt8](repeating: 0x61, count: 70_000) + [0x0A]
    let before = try f.scratch.everything()
    let run = try Command.run(["dump", "--batch"], input: input, in: f.scratch)
    #expect(run.code == 0 && run.errors.isEmpty)
    let answers = try run.answers()
    try #require(answers.count == paths.count + 2)
    #expect(answers.allSatisfy { $0["schema"] == .integer(1) })
    for (index, path) in paths.enumerated() {
      #expect(answers[index]["path"]?.string == path)
      let isFound = index == 4 || index == 7
      #expect((answers[index]["pages"] != nil) == isFound && (answers[index]["error"] == nil) == isFound)
    }
    for answer in answers where answer["error"] != nil {
      #expect(
        answer["error"]?["message"]?.string?.isEmpty == false && answer["error"]?["code"]?.int ?? 0 >= 64)
    }
    #expect(try f.scratch.everything() == before)
  }

  @Test func whatMayNotBeReadOrWritten() throws {
    let f = try Fixture(strokes: 1)
    try f.scratch.write("in.ndjson", #"{"width":1,"x":[1],"y":[1]}"#)
    // The superuser may do everything: then somebody else tries.
    let prefix = getuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : ""
    let change = getuid() == 0 ? "chmod 755 ." : "true"
    guard try Command.shell("\(change) && \(prefix)$L --version", in: f.scratch).code == 0 else {
      print("skipped: permissions: this is root, and nobody else can run the binary")
      return
    }
    func refusal(_ mode: String, of name: String, _ words: String) throws -> Run {
      let old = try Command.shell("stat -c %a \(name) && chmod \(mode) \(name)", in: f.scratch)
      let before = try f.scratch.everything()
      let run = try Command.shell("\(prefix)$L \(words) < /dev/null", in: f.scratch)
      _ = try Command.shell("chmod \(old.lines[0]) \(name)", in: f.scratch)
      #expect(try f.scratch.everything() == before, "\(words)")
      return run
    }
    guard getuid() == 0 else {
      // Whoever runs this owns the files, and could not compare them afterwards.
      _ = try Command.shell("chmod 0 in.ndjson", in: f.scratch)
      expectSentence(
        try Command.run("import", "in.ndjson", "-o", "x.lnote", in: f.scratch), 74, "permission denied")
      _ = try Command.shell("chmod 600 in.ndjson", in: f.scratch)
      return
    }
    for verb in ["info", "check", "compact", "apply", "dump", "dump --recover"] {
      for (name, mode) in [("d.lnote/pages", "700"), ("d.lnote", "700")] {
        expectSentence(try refusal(mode, of: name, "\(verb) d.lnote"), 74, "d.lnote", "permission denied")
      }
    }
    expectSentence(
      try refusal("600", of: "in.ndjson", "import in.ndjson -o /tmp/none-\(f.page)"), 74, "in.ndjson")
    let outputs = [
      "new x.lnote", "import in.ndjson -o x.lnote", "import in.ndjson -o d.lnote --force",
      "export d.lnote -o x.svg",
      "apply x.lnote --create",
    ]
    for words in outputs {
      let run = try refusal("755", of: ".", words)
      expectSentence(run, 73, "permission denied", words.contains("x.svg") ? "x.svg" : ".lnote")
      #expect(!run.errors.contains(".new") && !run.errors.contains(".part"), "\(run.errors)")
    }
    let file = "d.lnote/pages/\(f.page).content"
    let check = try refusal("600", of: file, "check d.lnote")
    #expect(
      check.code == 74 && check.text.contains("unavailable") && check.text.contains("permission denied"))
    let dump = try refusal("600", of: file, "dump d.lnote")
    #expect(dump.code == 0 && dump.text.contains(#""elements":null"#))
    let export = try refusal("600", of: file, "export d.lnote -o /tmp/none-\(f.page).svg")
    #expect(export.code == 74 && export.errors.contains("unavailable"))
    try? FileManager.default.removeItem(atPath: "/tmp/none-\(f.page).svg")
  }
}
