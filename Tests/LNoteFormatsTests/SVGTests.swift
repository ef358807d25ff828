// SPDX-License-Identifier: Apache-2.0

import Foundation
import InkElements
import LNoteFormats
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite struct SVGTests {
  /// The drawing of one page of these items.
  private static func drawing(
    _ items: [ExportItem], width: Double = 100, height: Double = 200, title: String = ""
  ) throws -> String {
    var text: [UInt8] = []
    let page = ExportPage(number: 1, width: width, height: height)
    var exporter = SVGExporter(pages: [page], title: title) { text += $0 }
    try exporter.beginPage()
    for item in items { try exporter.add(item) }
    try exporter.finish()
    return String(decoding: text, as: UTF8.self)
  }

  private static func isWellFormed(_ text: String) -> Bool { XMLParser(data: Data(text.utf8)).parse() }

  /// True unless a number has three decimals or an exponent. Not for drawings with embedded pictures.
  private static func hasAtMostTwoDecimals(_ text: String) -> Bool {
    let numbers = text.replacing(/"#[0-9a-f]+"/, with: "")
    return numbers.firstMatch(of: /\.\d{3}/) == nil && numbers.firstMatch(of: /\d[eE][-+]?\d/) == nil
  }

  @Test func drawingsOfSharedInkAreWellFormedAndSmall() throws {
    for name in try SharedInk.names(in: "sessions") {
      let bytes = try #require(try SharedInk.bytes("sessions/" + name))
      let strokes = try importAll(bytes).strokes
      let text = try Self.drawing(strokes.map { .stroke($0) }, width: 768, height: 1024)
      #expect(Self.isWellFormed(text), "\(name)")
      #expect(Self.hasAtMostTwoDecimals(text), "\(name)")
      #expect(text.utf8.count < bytes.count, "\(name)")
    }
    for name in try SharedInk.names(in: "files/xopp") {
      let bytes = try #require(try SharedInk.bytes("files/xopp/" + name))
      let text = try Self.drawing(try importAll(bytes).strokes.map { .stroke($0) })
      #expect(Self.isWellFormed(text), "\(name)")
      #expect(Self.hasAtMostTwoDecimals(text), "\(name)")
    }
  }

  @Test func aLineOfOneWidthIsOnePath() throws {
    let text = try Self.drawing([
      .stroke(Stroke(color: 0x1020_30FF, width: 1.5, x: [-1, 2, 2.123], y: [0, 0.5, -10]))
    ])
    #expect(text.contains("<path stroke=\"#102030\" stroke-width=\"1.5\" d=\"M-1 0l3 .5 .12-10.5\"/>"))
  }

  @Test func aLineOfChangingWidthFollowsItsRadii() throws {
    let stroke = Stroke(
      width: 9, x: [0, 10, 20, 30], y: [0, 0, 0, 0], radius: [1, 1, 2, 2], pressure: [0, 0, 0, 0])
    let text = try Self.drawing([.stroke(stroke)])
    #expect(text.contains("stroke-width=\"2\" d=\"M0 0l10 0\""))
    #expect(text.contains("stroke-width=\"3\" d=\"M10 0l10 0\""))
    #expect(text.contains("stroke-width=\"4\" d=\"M20 0l10 0\""))
  }

  @Test func pressureChangesTheWidthGently() throws {
    let widths: [(Double, String)] = [(0, "1"), (-1, "1"), (1, "2"), (0.5, "1.5"), (6.667, "2.6")]
    for (pressure, width) in widths {
      let text = try Self.drawing([
        .stroke(Stroke(width: 2, x: [0, 1], y: [0, 1], pressure: [pressure, pressure]))
      ])
      #expect(text.contains("stroke-width=\"\(width)\" d=\"M0 0l1 1\""), "\(pressure)")
    }
  }

  @Test func aStrokeThatStandsStillIsADot() throws {
    for count in [1, 3] {
      let place = [Double](repeating: -4.5, count: count)
      let text = try Self.drawing([.stroke(Stroke(color: 0xFF00_0080, width: 3, x: place, y: place))])
      #expect(
        text.contains(
          "<circle cx=\"-4.5\" cy=\"-4.5\" r=\"1.5\" stroke=\"none\" fill=\"#f00\" fill-opacity=\".5\"/>"))
      #expect(!text.contains("<path"))
    }
  }

  @Test func translucentLinesOfChangingWidthDoNotDarkenWhereTheyOverlap() throws {
    let stroke = Stroke(
      tool: .highlighter, color: 0xFFFF_00FF, width: 4, x: [0, 9, 20], y: [0, 0, 0], radius: [1, 4, 9])
    let text = try Self.drawing([.stroke(stroke)])
    #expect(text.contains("<g stroke=\"#ff0\" opacity=\".5\"><path"))
    #expect(!text.contains("stroke-opacity"))
  }

  @Test func everythingIsEscaped() throws {
    let text = try Self.drawing([], title: "<script>&\"'\u{1}\u{FFFF} é")
    #expect(Self.isWellFormed(text))
    #expect(text.contains("<title>&lt;script&gt;&amp;&quot;&#39;\u{FFFD}\u{FFFD} é</title>"))
  }

  @Test func elementsWithoutAPictureAreCounted() throws {
    let text = try Self.drawing([
      .element(kind: 200, payload: [1]), .element(kind: 200, payload: []), .element(kind: 9, payload: []),
    ])
    #expect(
      text.contains("<!-- not drawn: 1 element of kind 9 -->\n<!-- not drawn: 2 elements of kind 200 -->"))
    #expect(Self.isWellFormed(text))
  }

  @Test func imagesAreEmbeddedWhereTheirBytesAreGivenAndFramedElsewhere() throws {
    let image = ImageElement(
      assetHigh: 0x0123, assetLow: .max, x: 1, y: 2, width: 30, height: 40, rotation: 90)
    let framed = try Self.drawing([.image(image, payload: [])])
    #expect(framed.contains("image 00000000-0000-0123-ffff-ffffffffffff"))
    #expect(framed.contains("transform=\"rotate(90 16 22)\""))
    var text: [UInt8] = []
    let page = ExportPage(number: 1, width: 10, height: 10)
    var exporter = SVGExporter(pages: [page], images: { _ in ([1, 2, 3], .jpeg) }) { text += $0 }
    try exporter.beginPage()
    try exporter.add(.image(image, payload: []))
    try exporter.finish()
    #expect(String(decoding: text, as: UTF8.self).contains("href=\"data:image/jpeg;base64,AQID\""))
    #expect(Self.isWellFormed(framed))
    #expect(Self.isWellFormed(String(decoding: text, as: UTF8.self)))
  }

  @Test func pagesAreStackedWithRoomForInkBeyondTheirEdges() throws {
    var ink = InkExtent()
    ink.add(Stroke(width: 2, x: [-9.5, 120], y: [-4, 10]))
    var text: [UInt8] = []
    let pages = [
      ExportPage(number: 1, width: 100, height: 50),
      ExportPage(number: 2, width: 80, height: 60.25, ink: ink),
    ]
    var exporter = SVGExporter(pages: pages, gap: 10) { text += $0 }
    try exporter.beginPage()
    try exporter.beginPage()
    try exporter.finish()
    let drawing = String(decoding: text, as: UTF8.self)
    #expect(drawing.contains("width=\"132pt\" height=\"125.25pt\" viewBox=\"-11 0 132 125.25\""))
    #expect(drawing.contains("<g id=\"page1\" transform=\"translate(0 0)\">"))
    #expect(drawing.contains("<g id=\"page2\" transform=\"translate(0 65)\">"))
    #expect(Self.isWellFormed(drawing))
    #expect(throws: TransferError<Never>.self) { try exporter.beginPage() }
  }

  @Test func valuesThatCannotBeDrawnAreRefusedAndTheDrawingGoesOn() throws {
    var text: [UInt8] = []
    var exporter = SVGExporter(pages: [ExportPage(number: 1, width: 10, height: 10)]) { text += $0 }
    let good = Stroke(width: 1, x: [1, 2], y: [1, 2])
    #expect(throws: TransferError<Never>.self) { try exporter.add(.stroke(good)) }
    try exporter.beginPage()
    let bad = [
      Stroke(width: .nan, x: [1, 2], y: [1, 2]), Stroke(width: 1, x: [.infinity], y: [1]),
      Stroke(width: 1, x: [1, 2], y: [1, 1e300]),
      Stroke(width: 1, x: [1, 2], y: [1, 3], radius: [.nan, 0]),
    ]
    for stroke in bad {
      #expect(throws: TransferError<Never>.self) { try exporter.add(.stroke(stroke)) }
    }
    try exporter.add(.stroke(Stroke(width: 1, x: [], y: [])))
    try exporter.add(.stroke(good))
    try exporter.finish()
    let drawing = String(decoding: text, as: UTF8.self)
    #expect(Self.isWellFormed(drawing))
    #expect(drawing.ranges(of: "<path").count == 1)
  }

  @Test func randomStrokesMakeWellFormedDrawings() throws {
    let seed: UInt64 = 99
    var random = SeededGenerator(seed: seed)
    for round in 0..<100 {
      let strokes = (0..<5).map { _ in ExportItem.stroke(StrokeLinesTests.storedStroke(&random)) }
      let text = try Self.drawing(strokes)
      #expect(Self.isWellFormed(text), "seed \(seed), round \(round)")
      #expect(Self.hasAtMostTwoDecimals(text), "seed \(seed), round \(round)")
    }
  }

  @Test func aSinkThatThrowsEndsTheDrawing() {
    struct Full: Error {}
    let page = ExportPage(number: 1, width: 10, height: 10)
    var exporter = SVGExporter(pages: [page]) { (_: [UInt8]) throws(Full) in throw Full() }
    #expect(throws: TransferError<Full>.self) { try exporter.finish() }
  }
}
