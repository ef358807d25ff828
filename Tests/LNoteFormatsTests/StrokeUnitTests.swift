// SPDX-License-Identifier: Apache-2.0

import InkElements
import LNoteFormats
import Testing

/// The unit that a stroke is stored in survives the way through a line.
@Suite struct StrokeUnitTests {
  @Test func aFinerUnitComesBack() throws {
    var stroke = Stroke(width: 1, x: [0.123456], y: [2])
    stroke.unitsPerPoint = 1_000_000
    var text: [UInt8] = []
    var exporter = NDJSONExporter<Never> { text += $0 }
    try exporter.add(.stroke(stroke))
    var items: [ImportItem] = []
    try Importer().read(text, name: "t") { items.append($0) }
    #expect(items == [.stroke(page: 1, stroke)])
  }

  @Test(arguments: ["0", "1000001", "1.5", "\"10\"", "-1"])
  func aUnitOutOfRangeIsRefused(_ units: String) {
    let line = "{\"width\":1,\"x\":[1],\"y\":[1],\"units\":\(units)}"
    #expect(throws: (any Error).self) {
      try Importer().read([UInt8](line.utf8), name: "t") { (_: ImportItem) in }
    }
  }
}
