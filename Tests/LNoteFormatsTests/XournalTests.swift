// SPDX-License-Identifier: Apache-2.0

import InkElements
import LNoteFormats
import Testing

@Suite struct XournalTests {
  @Test func sharedFilesHaveTheCountsThatTheirListStates() throws {
    guard let table = try SharedInk.bytes("files/SOURCES.tsv") else { return }
    var files = 0
    for row in String(decoding: table, as: UTF8.self).split(separator: "\n") {
      let fields = row.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard fields[0].hasPrefix("xopp/"), let bytes = try SharedInk.bytes("files/" + fields[0]) else {
        continue
      }
      let strokes = try importAll(bytes).strokes
      #expect(strokes.count == Int(fields[6]), "\(fields[0])")
      #expect(strokes.reduce(0) { $0 + $1.x.count } == Int(fields[7]), "\(fields[0])")
      files += 1
    }
    #expect(files == 6)
  }

  @Test func everySharedFileOfAnotherFormatGivesOneClearSentence() throws {
    for folder in ["excalidraw", "iink", "inkml", "remarkable", "rnote", "uim", "unipen"] {
      for name in try SharedInk.names(in: "files/" + folder) {
        let bytes = try #require(try SharedInk.bytes("files/\(folder)/\(name)"))
        let error = try #require(importError(bytes), "\(name)")
        #expect(error.code == .unsupported, "\(name): \(error)")
        #expect(error.description.contains("can"), "\(error)")
        #expect(!error.description.contains("\n"))
      }
    }
  }

  @Test func pagesAndImagesOfSharedFilesArrive() throws {
    guard let pages = try SharedInk.bytes("files/xopp/load_pages.xopp"),
      let image = try SharedInk.bytes("files/xopp/load_image.xopp")
    else { return }
    let sizes = try importAll(pages).compactMap {
      if case .pageSize(let page, _, _) = $0 { page } else { nil }
    }
    #expect(sizes == Array(1...sizes.count))
    #expect(sizes.count > 5)
    let images = try importAll(image).filter {
      if case .image(1, let place, let data, .png) = $0 {
        place.width > 500 && data.count > 10_000
      } else {
        false
      }
    }
    #expect(images.count == 1)
  }

  @Test func numbersMayBeSeparatedByAnyWhiteSpaceAndHaveExponents() throws {
    let items = try importAll(
      Array(
        xournal(
          "<stroke tool=\"pen\" color=\"blue\" width=\"1.41\">\n1 2\t3.5\r\n-4e0 +.5\n\t 1E1\n</stroke>"
        ).utf8))
    let stroke = try #require(items.strokes.first)
    #expect(stroke.x == [1, 3.5, 0.5])
    #expect(stroke.y == [2, -4, 10])
    #expect(stroke.color == 0x3333_CCFF)
    #expect(stroke.width == 1.41)
    #expect(stroke.radius == nil)
    #expect(items.first == .pageSize(page: 1, width: 100, height: 200))
  }

  @Test func widthsAlongTheLineAreRadiiWithTheLastRepeated() throws {
    let source = """
      <stroke tool="pen" color="#112233" width="2 1 3">0 0 1 1 2 2</stroke>
      <stroke tool="pen" color="#112233" width="2&#10;1\n3\t5">0 0 1 1 2 2</stroke>
      <stroke tool="pen" color="#112233" width="2" pressures="1 3">0 0 1 1 2 2</stroke>
      <stroke tool="pen" color="#112233" width="2 -1.7e-16 0">0 0 1 1 2 2</stroke>
      <stroke tool="pen" color="#112233" width="2 -1 1">0 0 1 1 2 2</stroke>
      <stroke tool="pen" color="#112233" width="2 1 1 1 1 1">0 0 1 1 2 2</stroke>
      """
    let items = try importAll(Array(xournal(source).utf8))
    #expect(
      items.strokes.map(\.radius) == [
        [0.5, 1.5, 1.5], [0.5, 1.5, 2.5], [0.5, 1.5, 1.5], [0, 0, 0], nil, nil,
      ])
    #expect(items.strokes.allSatisfy { $0.width == 2 && $0.color == 0x1122_33FF })
    #expect(items.simplified == ["widths along the line", "5 widths"])
  }

  @Test func toolsAndColoursAreMapped() throws {
    let source = """
      <stroke tool="highlighter" color="yellow" width="8">0 0</stroke>
      <stroke tool="eraser" color="white" width="8">0 0</stroke>
      <stroke tool="highlighter" color="#ffff0012" width="8" capStyle="butt">0 0</stroke>
      <stroke tool="brush" color="teal" width="8" fill="12" style="dash">0 0</stroke>
      """
    let items = try importAll(Array(xournal(source).utf8))
    #expect(items.strokes.map(\.tool) == [.highlighter, .eraser, .highlighter, .pen])
    #expect(items.strokes.map(\.color) == [0xFFFF_007F, 0xFFFF_FFFF, 0xFFFF_0012, nil])
    #expect(items.simplified == ["tool brush", "colour teal", "fill", "line style dash"])
  }

  @Test(arguments: [
    ("1 2 3", "3 coordinates"), ("1 2 x 4", "coordinate 3 is no number: \"x\""), ("", "no points"),
    ("1 nan", "coordinate 2"), ("1 1e999", "coordinate 2"), ("0x1 2", "coordinate 1"),
    ("1,5 2", "coordinate 1"),
    ("1e20 2", "point 1 is too far"), ("1 inf", "coordinate 2"),
  ])
  func aStrokeWithBadPointsIsSkippedAndTheRestIsRead(points: String, reason: String) throws {
    let good = "<stroke tool=\"pen\" color=\"black\" width=\"1\">5 6</stroke>"
    let bad = "<stroke tool=\"pen\" color=\"black\" width=\"1\">\(points)</stroke>"
    let items = try importAll(Array(xournal(bad + good).utf8))
    #expect(items.strokes.map(\.x) == [[5]])
    #expect(items.skipped.count == 1)
    #expect(items.skipped.first?.contains(reason) == true, "\(items.skipped)")
  }

  @Test(arguments: ["", "wide", "-1", "1 x", "1e999"])
  func aStrokeWithABadWidthIsSkipped(width: String) throws {
    let items = try importAll(
      Array(xournal("<stroke tool=\"pen\" color=\"red\" width=\"\(width)\">1 2</stroke>").utf8))
    #expect(items.strokes.isEmpty)
    #expect(items.skipped.count == 1)
  }

  @Test func whatIsNotInkIsReported() throws {
    let source = """
      <xournal><title>Lecture &amp; <![CDATA[<notes>]]></title><preview>AAAA</preview>
      <page width="10" height="20"><background type="pdf" pageno="1"/><layer>
      <text font="Sans" x="1" y="2">Hello</text><teximage text="x^2" left="0">AAAA</teximage>
      <image left="0" top="0" right="10" bottom="5">iVBO Rwo=\n</image><image left="0" right="1">AAAA</image>
      <image left="0" top="0" right="10" bottom="5">!!!</image><gadget><stroke>1 2</stroke></gadget>
      </layer></page><page width="5" height="5"><background type="pixmap"/></page></xournal>
      """
    let items = try importAll(Array(source.utf8))
    #expect(items.first == .title("Lecture & <notes>"))
    #expect(items.strokes.isEmpty)
    #expect(
      items.skipped.map { $0.prefix { $0 != ":" } } == [
        "PDF background", "text", "formula", "image", "image", "<gadget>", "image background",
      ])
    let place = ImagePlacement(x: 0, y: 0, width: 10, height: 5)
    #expect(items.contains(.image(page: 1, place, data: [0x89, 0x50, 0x4E, 0x47, 0x0A], type: nil)))
    #expect(items.last == .skipped(what: "image background", reason: "it is in another file", page: 2))
  }

  @Test func theCallersErrorEndsTheImportAndKeepsItsLine() throws {
    struct Full: Error {}
    let text = xournal("<stroke width=\"1\">1 2</stroke>\n\n<stroke width=\"1\">1 2</stroke>")
    var seen = 0
    do {
      try Importer().read(Array(text.utf8), name: "a.xopp") { (item: ImportItem) throws(Full) in
        if case .stroke = item { seen += 1 }
        if seen == 2 { throw Full() }
      }
      Issue.record("nothing was thrown")
    } catch {
      guard case .caller(_, let line) = error else { throw error }
      #expect(line == 5)
    }
  }
}
