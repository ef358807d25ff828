// SPDX-License-Identifier: Apache-2.0

import Foundation
import LNoteFormats
import Testing

/// info, check, dump, frames, compact and new on documents that are as they should be, and on damaged ones.
@Suite struct ReadingTests {
  private let absent = "00000000-0000-4000-8000-000000000000"

  @Test func newMakesAPackageAndTouchesNothingThatExists() throws {
    let scratch = try Scratch()
    let run = try Command.run("new", "a.lnote", "--title", "Ä “b”\n", in: scratch)
    #expect(run.code == 0 && run.output.isEmpty && run.errors.isEmpty)
    #expect(
      try scratch.names("a.lnote") == ["assets", "document.json", "manifest.json", "pages", "thumbnails"])
    #expect(try Command.run("info", "--json", "a.lnote", in: scratch).json()["title"]?.string == "Ä “b”\n")
    try scratch.write("file", "x")
    let before = try scratch.everything()
    for name in ["a.lnote", "a.lnote/", "file", "."] {
      expectSentence(try Command.run("new", name, in: scratch), 73, "the name is taken")
    }
    expectSentence(
      try Command.run("new", "no/x.lnote", in: scratch), 73, "no/x.lnote", "there is no folder “no”")
    expectSentence(try Command.run("new", "file/x.lnote", in: scratch), 73)
    #expect(try scratch.everything() == before)
  }

  @Test func infoSaysWhatThereIs() throws {
    let f = try Fixture(strokes: 3)
    let run = try Command.run("info", f.document)
    #expect(
      run.code == 0 && run.text.contains("1 page, ")
        && run.text.contains("612 × 792 pt, 3 elements, commit 3"))
    let json = try Command.run("info", f.document, "--json").json()
    #expect(json["schema"] == .integer(1) && json["pages"]?.array?.count == 1)
    let page = try #require(json["pages"]?.array?.first)
    #expect(page["id"]?.string == f.page && page["elements"] == .integer(3) && page["commit"] == .integer(3))
    let size = try f.scratch.bytes("d.lnote/pages/\(f.page).content").count
    #expect(page["bytes"]?.int == Int64(size) && page["verdict"] == .string("clean"))
    expectSentence(try Command.run("info", "\(f.document)/pages/\(f.page).content"), 66, "not a document")
  }

  @Test func checkHasALineForEachPageAndASummary() throws {
    let f = try Fixture(strokes: 1)
    #expect(
      try f.apply([#"{"op":"addPage","width":1,"height":1}"#, f.append(9, "a")], "--leave-open").code == 0)
    let run = try Command.run("check", f.document)
    #expect(run.code == 0 && run.lines.count == 3 && run.errors.isEmpty)
    #expect(run.lines[0].contains("\(f.page): leftOpen: "))
    #expect(run.lines[2] == "\(f.document): 2 pages: 1 clean, 1 leftOpen")
    let json = try Command.run("check", f.document, "--json").json()
    #expect(json["ok"] == .bool(true) && json["findings"]?.array?.count == 2)
    let file = try Command.run("check", "\(f.document)/pages/\(f.page).content")
    #expect(file.code == 0 && file.lines.count == 2)
  }

  @Test func checkNamesFileAndOffsetOfDamage() throws {
    let f = try Fixture(strokes: 40)
    let name = "d.lnote/pages/\(f.page).content"
    var bytes = try f.scratch.bytes(name)
    bytes[100] ^= 1
    try f.scratch.write(name, bytes)
    let run = try Command.run("check", f.document)
    #expect(run.code == 65 && run.errors.isEmpty)
    #expect(run.lines[0].contains("damagedSnapshot") && run.lines[0].contains("(\(f.page).content at byte "))
    #expect(run.lines.last?.hasSuffix("1 page: 1 damagedSnapshot; not everything is in order") == true)
    let json = try Command.run("check", f.document, "--json").json()
    #expect(json["ok"] == .bool(false))
    #expect(json["findings"]?.array?.first?["file"]?.string == "\(f.page).content")
    #expect(json["findings"]?.array?.first?["offset"]?.int != nil)
    let compact = try Command.run("compact", f.document)
    #expect(compact.code == 65 && compact.errors.contains(f.page))
    #expect(try f.scratch.bytes(name) == bytes)
  }

  @Test func checkReportsFilesThatNobodyLists() throws {
    let f = try Fixture(strokes: 1)
    try f.scratch.write(
      "d.lnote/pages/\(absent).content", try f.scratch.bytes("d.lnote/pages/\(f.page).content"))
    let run = try Command.run("check", f.document)
    #expect(run.code == 0 && run.text.contains("\(absent): unlisted"))
    #expect(try Command.run("dump", f.document).json()["unlisted"] == .array([.string(absent)]))
  }

  @Test func aListedPageWithoutAFileIsMissingNotEmpty() throws {
    let f = try Fixture(strokes: 1)
    try FileManager.default.removeItem(atPath: f.scratch / "d.lnote/pages/\(f.page).content")
    #expect(try Command.run("check", f.document).code == 65)
    let page = try f.dump()
    #expect(page["elements"] == nil && page["commit"] == nil)
    #expect(page["recovery"]?["verdict"] == .string("damagedSnapshot"))
    #expect(try f.apply([f.append(9, "x")]).answers().first?.errorCode == "damaged")
    #expect(try f.pageFiles.isEmpty)
  }

  @Test func dumpHasTheFieldsOfTheManual() throws {
    let f = try Fixture()
    #expect(try f.apply([f.append(200, "a"), f.line("set", #""key":"k \"é","value":"dg==""#)]).code == 0)
    let run = try Command.run("dump", f.document)
    #expect(
      run.lines == [
        #"{"schema":1,"pages":[{"id":"\#(f.page)","width":612,"height":792,"generation":2,"commit":2,"#
          + #""attributes":{"k \"é":"dg=="},"elements":[{"id":1,"kind":200,"payload":"YQ=="}],"#
          + #""recovery":{"verdict":"clean","framesApplied":0,"commitsApplied":0,"bytesSetAside":0,"file":null,"#
          + #""offset":null}}],"unlisted":[]}"#
      ])
    #expect(try Command.run("dump", f.document, "--page", f.page).output == run.output)
    #expect(try Command.run("dump", "--page=\(f.page)", f.document).output == run.output)
    expectSentence(try Command.run("dump", f.document, "--page", absent), 66, "has no page \(absent)")
    expectSentence(try Command.run("dump", f.document, "--page", f.page.uppercased()), 64, "lower-case")
  }

  @Test func dumpKeepsDocumentOrder() throws {
    let f = try Fixture()
    let session = try ApplyProcess(f.document)
    var pages = [f.page]
    for _ in 0..<4 {
      pages.append(try #require(try session.ask(#"{"op":"addPage","width":1,"height":1}"#)["page"]?.string))
    }
    #expect(try session.ask(#"{"op":"movePage","page":"\#(pages[4])","to":1}"#).isOK)
    pages.insert(pages.remove(at: 4), at: 1)
    #expect(try session.end() == 0)
    let dump = try Command.run("dump", f.document).json()
    #expect(dump["pages"]?.array?.compactMap { $0["id"]?.string } == pages)
  }

  @Test func aPageFileIsDumpedWithTheJournalsBesideIt() throws {
    let f = try Fixture(strokes: 1)
    #expect(try f.apply([f.append(9, "b")], "--leave-open").code == 0)
    for name in try f.pageFiles {
      let json = try Command.run("dump", "\(f.document)/pages/\(name)").json()
      let page = try #require(json["pages"]?.array?.first)
      #expect(page["commit"] == .integer(2) && page["recovery"]?["verdict"] == .string("leftOpen"))
      #expect(json["unlisted"] == nil)
    }
    // In the folder itself, by the bare name, and through a link.
    let bare = try Command.shell("cd d.lnote/pages && $L dump \(f.page).content", in: f.scratch)
    #expect(bare.code == 0)
    let linked = try Command.shell("ln -s d.lnote link && $L dump link && $L check link/", in: f.scratch)
    #expect(linked.code == 0 && linked.errors.isEmpty)
  }

  @Test func recoverReportsWhatItFoundAndCloses() throws {
    let f = try Fixture(strokes: 1)
    #expect(try f.apply([f.append(9, "b")], "--leave-open").code == 0)
    let page = try f.dump("--recover")
    #expect(page["recovery"]?["verdict"] == .string("leftOpen") && page["commit"] == .integer(2))
    #expect(page["recovery"]?["commitsApplied"] == .integer(1))
    #expect(try f.pageFiles == ["\(f.page).content"])
    let settled = try f.scratch.everything()
    #expect(try f.dump("--recover")["recovery"]?["verdict"] == .string("clean"))
    #expect(try f.scratch.everything() == settled)

    #expect(try f.apply([f.append(9, "c")], "--leave-open").code == 0)
    let batch = try Command.run("dump", "--batch", "--recover", input: "\(f.document)\nnothing\n")
    #expect(try batch.answers().count == 2)
    #expect(try batch.answers().last?["error"]?["code"] == .integer(66))
    #expect(try f.pageFiles == ["\(f.page).content"])
  }

  @Test func aTornTailIsShownAndSetAside() throws {
    let f = try Fixture(strokes: 1)
    #expect(try f.apply([f.append(9, "b"), f.append(9, "c")], "--leave-open").code == 0)
    let journal = try #require(try f.pageFiles.first { $0.hasSuffix(".journal") })
    let name = "d.lnote/pages/\(journal)"
    let frames = try Command.run("frames", f.scratch / name, "--json").json()
    let last = try #require(frames["frames"]?.array?.last { $0["type"] == .string("append") }?["offset"]?.int)
    try f.scratch.write(name, try f.scratch.bytes(name).prefix(Int(last) + 5))
    let check = try Command.run("check", f.document)
    #expect(
      check.code == 0 && check.text.contains("tornTail") && check.text.contains("\(journal) at byte \(last)"))
    #expect(try f.payloads() == ["stroke 0", "b"])
    let listing = try Command.run("frames", f.scratch / name)
    #expect(listing.code == 65 && listing.text.contains("\(last): 5 bytes, too few for a frame"))
    #expect(try f.dump("--recover")["recovery"]?["bytesSetAside"] == .integer(5))
    #expect(try f.payloads() == ["stroke 0", "b"])
  }

  @Test func compactMergesAndSaysHowMuch() throws {
    let f = try Fixture(strokes: 1)
    #expect(try f.apply([f.append(9, "b")], "--leave-open").code == 0)
    let run = try Command.run("compact", f.document)
    #expect(run.code == 0 && run.lines.count == 1 && run.text.hasPrefix("1 page: "))
    #expect(try f.pageFiles == ["\(f.page).content"])
    let settled = try f.scratch.everything()
    #expect(try Command.run("compact", f.document).code == 0)
    #expect(try f.scratch.everything() == settled)
  }

  @Test func framesListsASnapshotAndAJournal() throws {
    let f = try Fixture(strokes: 1)
    #expect(try f.apply([f.append(9, "bcd"), f.append(9, "e")], "--leave-open").code == 0)
    let snapshot = try Command.run("frames", "\(f.document)/pages/\(f.page).content")
    #expect(snapshot.code == 0 && snapshot.errors.isEmpty)
    #expect(snapshot.lines[0].hasPrefix("snapshot of page \(f.page)"))
    #expect(snapshot.lines.last?.contains("crc ok, end") == true)
    let journal = try #require(try f.pageFiles.first { $0.hasSuffix(".journal") })
    let path = "\(f.document)/pages/\(journal)"
    let text = try Command.run("frames", path)
    #expect(text.code == 0 && text.lines[0].hasPrefix("journal of page \(f.page), generation "))
    #expect(text.lines[1].contains("length 5, crc ok, append") && text.lines[1].hasSuffix(": 09 03 62 63 64"))
    #expect(text.lines[2].contains("append, marked"))
    let json = try Command.run("frames", path, "--json").json()
    #expect(json["kind"] == .string("journal") && json["frames"]?.array?.first?["crc"] == .string("ok"))
    #expect(json["frames"]?.array?[1]["marked"] == .bool(true))

    // A flipped bit in the first frame: it is bad, the second is found behind it.
    let start = try #require(json["frames"]?.array?.first?["offset"]?.int)
    var bytes = try Data(contentsOf: URL(filePath: path))
    bytes[Int(start) + 11] ^= 4
    try bytes.write(to: URL(filePath: path))
    let bad = try Command.run("frames", path)
    #expect(bad.code == 65 && bad.text.contains("\(start): length 5, crc bad, append"))
    let damaged = try Command.run("frames", path, "--json").json()
    #expect(damaged["frames"]?.array?.last?["crc"] == .string("bad"))
    #expect(damaged["stop"]?["what"] == .string("bad"))
  }

  @Test func aReaderThatGoesAwayIsAnErrorOfTheOutput() throws {
    let f = try Fixture(strokes: 2000)
    for verb in [
      "dump d.lnote", "check d.lnote --json", "info d.lnote", "--help", "frames d.lnote/pages/*.content",
    ] {
      let run = try Command.shell("($L \(verb); echo $? >&2) 2>codes | true; cat codes >&2", in: f.scratch)
      #expect(["0", "74"].contains(run.errorLines.last ?? ""), "\(verb): \(run.errors)")
    }
    let full = try Command.shell("$L dump d.lnote > /dev/full", in: f.scratch)
    expectSentence(full, 74, "standard output")
  }
}
