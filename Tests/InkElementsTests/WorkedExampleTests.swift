// SPDX-License-Identifier: Apache-2.0

import Foundation
import InkElements
import Testing

/// The hex dumps in `docs/ink-payload.md` are what the code writes.
@Suite struct WorkedExamples {
  /// The bytes of the n-th fenced block `hex` of the page. Each line is an offset, bytes, and a remark behind
  /// two spaces.
  private func dump(_ number: Int) throws -> [UInt8] {
    let page = packageRoot.appendingPathComponent("docs/ink-payload.md")
    let blocks = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```hex\n").dropFirst()
    let block = try #require(blocks.dropFirst(number).first?.components(separatedBy: "```").first)
    var bytes: [UInt8] = []
    for line in block.split(separator: "\n") {
      let parts = line.components(separatedBy: "  ").filter { !$0.isEmpty }
      #expect(Int(parts[0], radix: 16) == bytes.count, "offset of \(line)")
      for pair in parts[1].split(separator: " ") { bytes.append(try #require(UInt8(pair, radix: 16))) }
    }
    return bytes
  }

  @Test func theStrokeOfTheExampleIsWrittenAsTheDumpSays() throws {
    let stroke = Stroke(
      tool: .highlighter, color: 0xFFD4_0080, width: 1.41, start: 2500, x: [72.0, 72.4, 73.1, 74.1],
      y: [90.5, 90.5, 90.5, 90.5], pressure: [0.12, 0.25, 0.31, 0.3], time: [0, 8, 16, 25], extra: [0xA5])
    let bytes = try dump(0)
    #expect(try stroke.encoded() == bytes)
    #expect(try Stroke(decoding: bytes) == stroke)
  }

  @Test func theImageOfTheExampleIsWrittenAsTheDumpSays() throws {
    let image = ImageElement(
      assetHigh: 0x6F1C_9A52_03B7_4E8D, assetLow: 0x9A00_1122_3344_5566, x: 36, y: 72.5, width: 320,
      height: 240)
    let bytes = try dump(1)
    #expect(try image.encoded() == bytes)
    #expect(try ImageElement(decoding: bytes) == image)
  }
}
