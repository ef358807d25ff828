// SPDX-License-Identifier: Apache-2.0

/// Lengths in hundredths of a point: the grid of the drawings, so that errors do not add up along a path.
enum SVGLength {
  /// `value` points on the grid, or nil beyond what a drawing can hold.
  static func hundredths(_ value: Double) -> Int64? {
    guard value.isFinite, abs(value) < 1e9 else { return nil }
    return Int64((value * 100).rounded())
  }

  /// The text of a length, such as "-.5".
  static func text(_ hundredths: Int64) -> String {
    var bytes: [UInt8] = []
    DecimalWriting.append(hundredths, decimals: 2, bare: true, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// Path data of straight lines, each point relative to the one before.
struct SVGPath {
  private(set) var data: [UInt8] = []
  private var last: (x: Int64, y: Int64) = (0, 0)
  private var inLines = false

  /// Begins a line.
  mutating func move(to point: (x: Int64, y: Int64)) {
    data.append(UInt8(ascii: "M"))
    append(point.x, separated: false)
    append(point.y, separated: true)
    last = point
    inLines = false
  }

  /// Goes on to a point; one where the path is already adds nothing.
  mutating func line(to point: (x: Int64, y: Int64)) {
    guard point != last else { return }
    if !inLines { data.append(UInt8(ascii: "l")) }
    append(point.x - last.x, separated: inLines)
    append(point.y - last.y, separated: true)
    last = point
    inLines = true
  }

  /// A minus sign separates as well as a space does.
  private mutating func append(_ value: Int64, separated: Bool) {
    if separated, value >= 0 { data.append(UInt8(ascii: " ")) }
    DecimalWriting.append(value, decimals: 2, bare: true, to: &data)
  }
}
