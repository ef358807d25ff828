// SPDX-License-Identifier: Apache-2.0

import InkElements

/// Turns a stroke into SVG elements.
///
/// A line of changing width becomes polylines with round ends, each as long as the width stays within a step
/// that the eye does not see. Where they overlap, a translucent colour must not darken: then the group is
/// made translucent, not the lines.
enum SVGStroke {
  /// The width at a sample: twice the radius where it is known; else the nominal width, scaled gently by
  /// pressure (an average touch leaves it as it is, none halves it).
  static func width(of stroke: Stroke, at index: Int) -> Double {
    if let radius = stroke.radius, index < radius.count { return 2 * radius[index] }
    if let pressure = stroke.pressure, index < pressure.count {
      return stroke.width * (0.5 + 0.5 * min(max(pressure[index], 0), 1.6))
    }
    return stroke.width
  }

  /// The greatest width anywhere on the stroke.
  static func greatestWidth(of stroke: Stroke) -> Double {
    if let radius = stroke.radius { return 2 * (radius.max() ?? 0) }
    guard let pressure = stroke.pressure else { return stroke.width }
    return stroke.width * (0.5 + 0.5 * min(max(pressure.max() ?? 1, 0), 1.6))
  }

  /// Appends the elements of a stroke. Throws where a value cannot be drawn; `text` is then as it was.
  static func append(_ stroke: Stroke, page: Int, to text: inout [UInt8]) throws(FormatError) {
    let points = try grid(stroke, page: page)
    let paint = Paint(stroke)
    guard let first = points.first else { return }
    guard let other = points.firstIndex(where: { $0 != first }) else {
      let radius = SVGLength.text(max(try grid(greatestWidth(of: stroke), page: page), finest) / 2)
      let place = "cx=\"\(SVGLength.text(first.x))\" cy=\"\(SVGLength.text(first.y))\""
      text += "<circle \(place) r=\"\(radius)\"\(paint.fill)/>\n".utf8
      return
    }
    let runs = try runs(stroke, points, from: other - 1, page: page)
    if runs.count == 1 {
      text += "<path\(paint.stroke) stroke-width=\"\(SVGLength.text(runs[0].width))\" d=\"".utf8
      text += runs[0].path.data
      text += "\"/>\n".utf8
      return
    }
    text += "<g\(paint.group)>".utf8
    for run in runs {
      text += "<path stroke-width=\"\(SVGLength.text(run.width))\" d=\"".utf8
      text += run.path.data
      text += "\"/>".utf8
    }
    text += "</g>\n".utf8
  }

  /// The thinnest line drawn, in hundredths: thinner ones would not be seen.
  private static let finest: Int64 = 10

  private static func grid(_ stroke: Stroke, page: Int) throws(FormatError) -> [(x: Int64, y: Int64)] {
    var points: [(x: Int64, y: Int64)] = []
    points.reserveCapacity(stroke.x.count)
    for index in stroke.x.indices where index < stroke.y.count {
      points.append((try grid(stroke.x[index], page: page), try grid(stroke.y[index], page: page)))
    }
    return points
  }

  private static func grid(_ value: Double, page: Int) throws(FormatError) -> Int64 {
    guard let hundredths = SVGLength.hundredths(value) else {
      throw FormatError(
        .unsupported, cause: "a stroke on page \(page) has the value \(value), which cannot be drawn")
    }
    return hundredths
  }

  /// The polylines of equal width, in hundredths. Segments before `start` have no length.
  private static func runs(
    _ stroke: Stroke, _ points: [(x: Int64, y: Int64)], from start: Int, page: Int
  ) throws(FormatError) -> [(width: Int64, path: SVGPath)] {
    var runs: [(width: Int64, path: SVGPath)] = []
    var path = SVGPath()
    var current: Int64 = -1
    var before = width(of: stroke, at: start)
    for index in (start + 1)..<points.count {
      let after = width(of: stroke, at: index)
      let wanted = max(try grid((before + after) / 2, page: page), finest)
      before = after
      if points[index] == points[index - 1] { continue }
      // A step of a sixteenth is invisible, and on thin lines so is a twentieth of a point.
      if current < 0 || abs(wanted - current) > max(current / 16, 5) {
        if current >= 0 { runs.append((current, path)) }
        current = wanted
        path = SVGPath()
        path.move(to: points[index - 1])
      }
      path.line(to: points[index])
    }
    runs.append((current, path))
    return runs
  }

  /// The attributes that paint a stroke.
  private struct Paint {
    var color: String?
    var opacity: String?

    init(_ stroke: Stroke) {
      let unknown: UInt32 =
        switch stroke.tool {
        case .highlighter: 0xFFE0_007F
        case .eraser: 0xFFFF_FFFF
        default: 0x0000_00FF
        }
      var rgba = stroke.color ?? unknown
      // A highlighter that covers what it marks would defeat its purpose.
      if stroke.tool == .highlighter, rgba & 0xFF == 0xFF { rgba = rgba & 0xFFFF_FF00 | 0x7F }
      let rgb = InkColor.textWithoutAlpha(rgba)
      color = rgb == "#000" ? nil : rgb
      let alpha = rgba & 0xFF
      opacity = alpha == 0xFF ? nil : SVGLength.text(Int64((alpha * 100 + 127) / 255))
    }

    /// For a single line.
    var stroke: String { attribute("stroke", color) + attribute("stroke-opacity", opacity) }
    /// For lines that overlap.
    var group: String { attribute("stroke", color) + attribute("opacity", opacity) }
    /// For a dot.
    var fill: String { " stroke=\"none\" fill=\"\(color ?? "#000")\"" + attribute("fill-opacity", opacity) }

    private func attribute(_ name: String, _ value: String?) -> String {
      value.map { " \(name)=\"\($0)\"" } ?? ""
    }
  }
}
