// SPDX-License-Identifier: Apache-2.0

import InkElements

/// Turns one `<stroke>` of a Xournal file into a `Stroke`.
///
/// The attribute `width` is the nominal width, perhaps followed by the width of the line behind each point:
/// n − 1 of them for n points, or n. They are full widths, so that a sample's radius is half of one; the last
/// point takes over the width before it. Some writers put the same list into an attribute `pressures`.
struct XournalStroke {
  /// Why a stroke is left out.
  struct Refusal: Error {
    var reason: String
  }

  /// What the element said, as text.
  struct Source {
    var tool: String?
    var color: String?
    var width: [UInt8]?
    var pressures: [UInt8]?
    var fill: String?
    var style: String?
    var points: [UInt8] = []
  }

  /// The farthest from the page's corner that a tenth of a point in 32 bits can say.
  private static let farthest = 214_748_364.0

  private(set) var stroke: Stroke
  /// Properties that a stroke here does not have, each with the reason.
  private(set) var lost: [(what: String, reason: String)] = []

  init(_ source: Source) throws(Refusal) {
    let points = try Self.numbers(source.points, "coordinate")
    guard !points.isEmpty else { throw Refusal(reason: "it has no points") }
    guard points.count % 2 == 0 else {
      throw Refusal(reason: "it has \(points.count) coordinates, so one point lacks its second")
    }
    if let index = points.firstIndex(where: { abs($0) > Self.farthest }) {
      throw Refusal(reason: "point \(index / 2 + 1) is too far from the page")
    }
    var widths = try Self.numbers(source.width ?? [], "width")
    guard let width = widths.first else { throw Refusal(reason: "it has no width") }
    guard width >= 0, width <= Self.farthest else { throw Refusal(reason: "its width \(width) is no width") }
    widths.removeFirst()
    if let pressures = source.pressures { widths = try Self.numbers(pressures, "pressure") }

    let count = points.count / 2
    stroke = Stroke(
      width: width, x: (0..<count).map { points[2 * $0] }, y: (0..<count).map { points[2 * $0 + 1] })
    stroke.radius = radii(widths, count: count)
    readTool(source.tool)
    readColor(source.color)
    if let fill = source.fill, fill != "-1" { lose("fill", "strokes here are lines only") }
    if let style = source.style, style != "plain" { lose("line style \(style)", "lines here are not broken") }
  }

  private mutating func lose(_ what: String, _ reason: String) {
    lost.append((what, reason))
  }

  private static func numbers(_ bytes: [UInt8], _ what: String) throws(Refusal) -> [Double] {
    do {
      return try DecimalReading.list(bytes)
    } catch {
      throw Refusal(reason: "\(what) \(error.index + 1) is no number: \"\(error.text)\"")
    }
  }

  /// The radius of each of `count` points, or nil where the widths say nothing or do not fit.
  private mutating func radii(_ widths: [Double], count: Int) -> [Double]? {
    guard let last = widths.last else { return nil }
    guard widths.count == count || widths.count == count - 1 else {
      lose("\(widths.count) widths", "the stroke has \(count) points")
      return nil
    }
    // A width of no more than a rounding error below 0 is 0; the writer's mark for "unknown" is -1.
    guard widths.allSatisfy({ $0 > -0.0005 && $0 <= Self.farthest }) else {
      lose("widths along the line", "one of them is no width")
      return nil
    }
    var radii = widths.map { max($0 / 2, 0) }
    if radii.count < count { radii.append(max(last / 2, 0)) }
    return radii
  }

  private mutating func readTool(_ name: String?) {
    guard let name else { return }
    if let tool = Tool(name: name) {
      stroke.tool = tool
    } else {
      lose("tool \(name.prefix(40))", "there is no such tool here; a pen is used")
    }
  }

  private mutating func readColor(_ text: String?) {
    guard let text else { return }
    if let color = InkColor.parse(hex: text) {
      stroke.color = color
    } else if let color = InkColor.named[text] {
      // Old files state no opacity, and highlighters are half transparent.
      stroke.color = stroke.tool == .highlighter ? color & 0xFFFF_FF00 | 0x7F : color
    } else {
      lose("colour \(text.prefix(40))", "it is no colour")
    }
  }
}
