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
      <stroke tool="pen" color="#112233" width="2 1 2 3 4 5">0 0 1 1 2 2</stroke>
      <stroke tool="pen" color="#112233" width="2 1">0 0 1 1 2 2</stroke>
      <stroke tool="pen" color="#112233" width="2 1 nan">0 0 1 1 2 2</stroke>
      <stroke tool="pen" color="#112233" width=" 2 ">0 0 1 1 2 2</stroke>
      """
    let items = try importAll(Array(xournal(source).utf8))
    #expect(
      items.strokes.map(\.radius) == [
        [0.5, 1.5, 1.5], [0.5, 1.5, 2.5], [0.5, 1.5, 1.5], [0, 0, 0], nil, [0.5, 1, 1.5], nil, nil, nil,
      ])
    #expect(items.strokes.allSatisfy { $0.width == 2 && $0.color == 0x1122_33FF })
    #expect(items.simplified == ["widths along the line", "1 widths", "widths along the line"])
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
    #expect(items.simplified == ["line end butt", "tool brush", "colour teal", "fill", "line style dash"])
  }

  @Test(arguments: [
    ("1 2 3", "3 coordinates"), ("1 2 x 4", "coordinate 3 is no number: \"x\""), ("", "no points"),
    ("1 nan", "coordinate 2"), ("1 1e999", "coordinate 2"), ("0x1 2", "coordinate 1"),
    ("1,5,2 2", "coordinate 1"), ("1 - 2 3", "coordinate 2"), ("1 . 2 3", "coordinate 2"),
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

  @Test(arguments: ["", "  ", "wide", "-1", "1e999"])
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

  @Test func aStrokeOfAMillionSamplesArrivesWhole() throws {
    let count = 1_000_000
    var text = ""
    for index in 0..<count { text += "\(Double(index) / 8) \(index % 1000)\n" }
    let widths = (0..<count).map { "1.\(index($0))" }.joined(separator: " ")
    let items = try importAll(
      Array(xournal("<stroke tool=\"pen\" color=\"black\" width=\"2 \(widths)\">\(text)</stroke>").utf8))
    let stroke = try #require(items.strokes.first)
    #expect(stroke.x.count == count)
    #expect(stroke.x.enumerated().allSatisfy { $1 == Double($0) / 8 })
    #expect(stroke.y.enumerated().allSatisfy { $1 == Double($0 % 1000) })
    #expect(stroke.radius?.count == count)
    #expect(stroke.radius?.last == 0.95)
    func index(_ number: Int) -> Int { number % 10 }
  }

  @Test func everyKindOfLineEndAndBlankSeparatesNumbers() throws {
    let source =
      "<stroke tool=\"pen\" color=\"red\" width=\"2\n1\t3\r1\">\r1\r2\r\n3&#13;4&#9;5&#10;6 <![CDATA[7\n]]>8"
    let stroke = try #require(try importAll(Array(xournal(source + "</stroke>").utf8)).strokes.first)
    #expect(stroke.x == [1, 3, 5, 7])
    #expect(stroke.y == [2, 4, 6, 8])
    #expect(stroke.radius == [0.5, 1.5, 0.5, 0.5])
  }

  @Test func whatAppsWroteOverTheYearsIsRead() throws {
    let elements = """
      <stroke tool="pen" color="336699" width="1,41">1,5 -2,25 3e0 4</stroke>
      <stroke tool="pen" color="33669980" width="1.41" ts="0" fn="">1 2 3 4</stroke>
      <stroke tool="pen" color="#336699FF" width="1.41" ts="1200" fn="lecture.mp3" fill="-1" style="plain">1 2</stroke>
      <stroke tool="pen" color="#00000000" width="0.85" capStyle="round" style="cust: 4 2">1 2</stroke>
      <stroke tool="pen" pathtype="PL" color="#000000ff" width="2 1 3">1 2 3 4 5 6</stroke>
      <stroke tool="pen" pathtype="spline" color="#000000ff" width="2 1 1 1 1">1 2 3 4 5 6 7 8</stroke>
      <timestamp ts="5" fn="a.mp3"/>
      """
    let items = try importAll(Array(xournal(elements).utf8))
    let strokes = items.strokes
    #expect(strokes.map(\.color) == [0x3366_99FF, 0x3366_9980, 0x3366_99FF, 0, 0xFF])
    #expect(strokes[0].width == 1.41)
    #expect(strokes[0].x == [1.5, 3])
    #expect(strokes[0].y == [-2.25, 4])
    #expect(strokes[4].radius == [0.5, 1.5, 1.5])
    #expect(items.simplified == ["link to a recording", "line style cust: 4 2"])
    #expect(
      items.skipped == [
        "stroke: it is a curve between control points, which is not supported",
        "recording: sound is not supported",
      ])
  }

  @Test(arguments: [
    "<xournal version=\"0.4.8\">", "<xournal creator=\"Xournal++ 1.0.1\" fileversion=\"2\">",
    "<xournal creator=\"Xournal++ 1.3.0\" fileversion=\"5\">", "<xournal>", "<MrWriter version=\"0.2\">",
  ])
  func everyVersionOfTheRootElementIsRead(root: String) throws {
    let name = root.hasPrefix("<M") ? "MrWriter" : "xournal"
    let text = """
      <?xml version="1.0" standalone="no"?>
      \(root)<title>\(name) document - see https://example.org</title>
      <page width="612.00" height="792,50"><background type="solid" color="white" style="lined" /><layer>
      <stroke tool="pen" color="black" width="1.41" pressures="1 2">1 2 3 4 </stroke></layer></page></\(name)>
      """
    for bytes in [Array(text.utf8), gzip(Array(text.utf8))] {
      let stroke = Stroke(color: 0xFF, width: 1.41, x: [1, 3], y: [2, 4], radius: [0.5, 1])
      let expected: [ImportItem] = [
        .pageSize(page: 1, width: 612, height: 792.5), .stroke(page: 1, stroke),
      ]
      #expect(try importAll(bytes) == expected)
    }
  }

  @Test func layersAreMergedInOrderAndThatIsReported() throws {
    func stroke(_ x: Int) -> String { "<stroke tool=\"pen\" color=\"black\" width=\"1\">\(x) 0</stroke>" }
    let page = "<page width=\"1\" height=\"1\"><background type=\"solid\"/>"
    let text = """
      <xournal>\(page)<layer name="a">\(stroke(1))</layer><layer/><layer name="b &amp; c">\(stroke(2))<text>x</text></layer>
      </page>\(page)</page>\(page)<layer name="empty"></layer></page>\(page)<layer/><layer>\(stroke(3))</layer></page>
      </xournal>
      """
    let items = try importAll(Array(text.utf8))
    #expect(items.strokes.map(\.x) == [[1], [2], [3]])
    #expect(
      items.filter { if case .pageSize = $0 { true } else { false } }.count == 4, "empty pages stay pages")
    let reports: [ImportItem] = items.filter { if case .simplified = $0 { true } else { false } }
    #expect(reports == [.simplified(what: "2 layers", reason: "pages here have one", page: 1)])
    #expect(items.contains { if case .stroke(page: 4, _) = $0 { true } else { false } })
  }

  @Test func imagesThatAreTurnedOverOrElsewhereAreHandled() throws {
    let source = """
      <image left="30" top="50" right="10" bottom="20">iVBORw0KGgo=</image>
      <image left="0" top="0" right="10" bottom="5"><attachment path="a.png"/></image>
      <image left="0" top="0" right="0" bottom="5">iVBORw0KGgo=</image>
      <teximage text="\\frac{a}{b}" left="1" top="2" right="3" bottom="4" texlength="11">iVBORw0KGgo=</teximage>
      """
    let items = try importAll(Array(xournal(source).utf8))
    let images: [ImportItem] = items.filter { if case .image = $0 { true } else { false } }
    let data: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    let place = ImagePlacement(x: 10, y: 20, width: 20, height: 30)
    #expect(images == [.image(page: 1, place, data: data, type: .png)])
    #expect(
      items.skipped == [
        "image: its data is not in this file", "image: it has no place on a page",
        "formula: formulas are not supported",
      ])
  }

  @Test func anImportInsideOfAnImportDisturbsNeither() throws {
    let text = Array(xournal("<stroke width=\"1\">1 2</stroke><stroke width=\"1\">3 4</stroke>").utf8)
    var inner: [ImportItem] = []
    var outer: [ImportItem] = []
    try Importer().read(text, name: "outer") { (item: ImportItem) throws(TransferError<Never>) in
      outer.append(item)
      if case .stroke = item { inner += try importAll(text) }
    }
    #expect(try outer == importAll(text))
    #expect(inner.count == 2 * outer.count)
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
