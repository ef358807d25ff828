// SPDX-License-Identifier: Apache-2.0

internal import PageJournal
import InkElements

/// Turns one `<stroke>` of a Xournal file into a `Stroke`.
///
/// The attribute `width` is the nominal width, perhaps followed by the width of the line behind each point:
/// n − 1 of them for n points, or more. They are full widths, so that a sample's radius is half of one; the last
/// point takes over the width before it. Some writers put the same list into an attribute `pressures`.
struct XournalStroke {
  /// Why a stroke is left out.
  struct Refusal: Error {
    var reason: String
  }

  /// The farthest from the page's corner that a tenth of a point in 32 bits can say.
  private static let farthest = 214_748_364.0

  private(set) var stroke: Stroke
  /// Properties that a stroke here does not have, each with the reason.
  private(set) var lost: [(what: String, reason: String)] = []

  /// Reads the element's attributes and the text in it.
  init(_ attributes: [String: String], points text: [UInt8]) throws(Refusal) {
    guard attributes["pathtype"] != "spline" else {
      throw Refusal(reason: "it is a curve between control points, which is not supported")
    }
    let points = try Self.numbers(text, "coordinate")
    guard !points.isEmpty else { throw Refusal(reason: "it has no points") }
    guard points.count % 2 == 0 else {
      throw Refusal(reason: "it has \(points.count) coordinates, so one point lacks its second")
    }
    if let index = points.firstIndex(where: { abs($0) > Self.farthest }) {
      throw Refusal(reason: "point \(index / 2 + 1) is too far from the page")
    }
    let list = Array((attributes["width"] ?? "").utf8)
    let parts = list.split(maxSplits: 1, whereSeparator: isWhiteSpace)
    guard let word = parts.first, let width = try Self.numbers(Array(word), "width").first else {
      throw Refusal(reason: "it has no width")
    }
    guard width >= 0, width <= Self.farthest else { throw Refusal(reason: "its width \(width) is no width") }

    let count = points.count / 2
    stroke = Stroke(
      width: width, x: (0..<count).map { points[2 * $0] }, y: (0..<count).map { points[2 * $0 + 1] })
    if let pressures = attributes["pressures"] {
      stroke.radius = radii(Array(pressures.utf8), count: count)
    } else if parts.count > 1 {
      stroke.radius = radii(Array(parts[1]), count: count)
    }
    readTool(attributes["tool"])
    readColor(attributes["color"])
    if let fill = attributes["fill"], fill != "-1" { lose("fill", "strokes here are lines only") }
    if let style = attributes["style"], style != "plain" {
      lose("line style \(style.prefix(40))", "lines here are not broken")
    }
    if let cap = attributes["capStyle"], cap != "round" {
      lose("line end \(cap.prefix(40))", "lines here end round")
    }
    if let recording = attributes["fn"], !recording.isEmpty {
      lose("link to a recording", "sound is not supported")
    }
  }

  private mutating func lose(_ what: String, _ reason: String) {
    lost.append((what.plainLine, reason))
  }

  private static func numbers(_ bytes: [UInt8], _ what: String) throws(Refusal) -> [Double] {
    do {
      return try DecimalReading.list(bytes)
    } catch {
      throw Refusal(reason: "\(what) \(error.index + 1) is no number: \"\(error.text)\"")
    }
  }

  /// The radius of each of `count` points, or nil where the widths say nothing or do not fit.
  private mutating func radii(_ list: [UInt8], count: Int) -> [Double]? {
    guard var widths = try? DecimalReading.list(list) else {
      lose("widths along the line", "one of them is no number")
      return nil
    }
    guard !widths.isEmpty else { return nil }
    guard widths.count >= count - 1 else {
      lose("\(widths.count) widths", "the stroke has \(count) points")
      return nil
    }
    widths = Array(widths.prefix(count))
    guard let last = widths.last else { return nil }
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
    if let color = InkColor.parse(hex: text) ?? InkColor.parse(hex: "#" + text) {
      stroke.color = color
    } else if let color = InkColor.named[text] {
      // Old files state no opacity, and highlighters are half transparent.
      stroke.color = stroke.tool == .highlighter ? color & 0xFFFF_FF00 | 0x7F : color
    } else {
      lose("colour \(text.prefix(40))", "it is no colour")
    }
  }
}
