// SPDX-License-Identifier: Apache-2.0

/// A rectangle along the axes, in points, edges included.
public struct InkBounds: Sendable, Equatable {
  /// The left edge.
  public var minX: Double
  /// The top edge.
  public var minY: Double
  /// The right edge.
  public var maxX: Double
  /// The bottom edge.
  public var maxY: Double

  /// Makes bounds from their edges.
  public init(minX: Double, minY: Double, maxX: Double, maxY: Double) {
    self.minX = minX
    self.minY = minY
    self.maxX = maxX
    self.maxY = maxY
  }

  /// The smallest bounds around both.
  public func union(_ other: InkBounds) -> InkBounds {
    InkBounds(
      minX: min(minX, other.minX), minY: min(minY, other.minY), maxX: max(maxX, other.maxX),
      maxY: max(maxY, other.maxY))
  }
}

extension Stroke {
  /// The area that the stroke covers: its samples, each with its radius, or with half the width where the
  /// radius is unknown. Samples that are not finite do not count; nil when none is left. Takes time linear in
  /// the samples.
  public var bounds: InkBounds? {
    var result: InkBounds?
    for index in 0..<min(x.count, y.count) {
      let reach: Double
      if let radius, index < radius.count { reach = abs(radius[index]) } else { reach = abs(width) / 2 }
      let centerX = x[index]
      let centerY = y[index]
      guard centerX.isFinite, centerY.isFinite, reach.isFinite else { continue }
      let dot = InkBounds(
        minX: centerX - reach, minY: centerY - reach, maxX: centerX + reach, maxY: centerY + reach)
      result = result?.union(dot) ?? dot
    }
    return result
  }
}
