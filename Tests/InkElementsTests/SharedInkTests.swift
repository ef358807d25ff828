// SPDX-License-Identifier: Apache-2.0

import Foundation
import InkElements
import Testing

/// Real ink that lies beside the package, where there is any.
@Suite struct SharedInk {
  private static let folder = packageRoot.appendingPathComponent("../shared/ink/sessions").standardizedFileURL

  private struct Line: Decodable {
    var start: Double?
    var width: Double
    var x: [Double]
    var y: [Double]
    var pressure: [Double]?
    var time: [Double]?
  }

  /// All sessions by name; nil when there are none.
  private static func sessions() throws -> [(name: String, strokes: [Stroke])]? {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    let sessions = names.filter { $0.hasSuffix(".ndjson") }.sorted()
    guard !sessions.isEmpty else {
      print("skipped: no shared ink")
      return nil
    }
    return try sessions.map { name in
      let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
      let strokes = try text.split(separator: "\n").map { line in
        let line = try JSONDecoder().decode(Line.self, from: Data(line.utf8))
        return Stroke(
          width: line.width, start: line.start.map { Int64($0.rounded()) }, x: line.x, y: line.y,
          pressure: line.pressure, time: line.time?.map { Int64($0.rounded()) })
      }
      return (String(name.dropLast(7)), strokes)
    }
  }

  @Test func everySessionComesBackWithinHalfAStep() throws {
    guard let sessions = try Self.sessions() else { return }
    for (name, strokes) in sessions {
      for (index, stroke) in strokes.enumerated() {
        let bytes = try stroke.encoded()
        let back = try Stroke(decoding: bytes)
        #expect(try back.encoded() == bytes)
        #expect(back.time == stroke.time && back.start == stroke.start && back.width == stroke.width)
        #expect(back.x == stepped(stroke.x, 10) && back.y == stepped(stroke.y, 10), "\(name) \(index)")
        #expect(
          back.pressure == stroke.pressure.map { stepped($0.map { max($0, 0) }, 1000) }, "\(name) \(index)")
      }
    }
  }

  @Test func payloadsStayBelowTheirBars() throws {
    guard let sessions = try Self.sessions() else { return }
    // Bytes a sample; a little above what was measured, so that a regression shows.
    let bars = [
      "apple-pencil-17min": 3.85, "cursive-200hz": 2.55, "diagram": 4.45, "digits": 6.05,
      "text-page-9min": 5.45,
      "wacom-page": 2.96,
    ]
    for (name, strokes) in sessions {
      let samples = strokes.reduce(0) { $0 + $1.x.count }
      let bytes = try strokes.reduce(0) { try $0 + $1.encoded().count }
      let each = Double(bytes) / Double(samples)
      print("\(name): \(strokes.count) strokes, \(samples) samples, \(bytes) bytes, \(each) a sample")
      if let bar = bars[name] { #expect(each <= bar, "\(name)") }
    }
  }
}
