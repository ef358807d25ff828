// SPDX-License-Identifier: Apache-2.0

import LNoteFormats
import Testing

/// Lines with the bytes of a file that images name.
@Suite struct AssetLineTests {
  private func items(_ text: String) throws -> [ImportItem] {
    var items: [ImportItem] = []
    try Importer().read([UInt8](text.utf8), name: "t") { items.append($0) }
    return items
  }

  @Test func anAssetThatWasWrittenIsReadBack() throws {
    var text: [UInt8] = []
    var exporter = NDJSONExporter<Never> { text += $0 }
    try exporter.addAsset(id: "6f1c9a52-03b7-4e8d-9a00-112233445566", type: "png", data: [0, 255, 7])
    #expect(
      try items(String(decoding: text, as: UTF8.self)) == [
        .asset(id: "6f1c9a52-03b7-4e8d-9a00-112233445566", data: [0, 255, 7], type: "png")
      ])
  }

  @Test(arguments: [
    #"{"asset":"x","type":"png"}"#, #"{"asset":"x","data":"AA=="}"#,
    #"{"asset":7,"type":"png","data":"AA=="}"#,
    #"{"asset":"x","type":"png","data":""}"#, #"{"asset":"x","type":"png","data":"*"}"#,
  ])
  func anAssetLineWithoutIdTypeOrDataIsRefused(_ line: String) {
    #expect(throws: (any Error).self) { _ = try items(line) }
  }
}
