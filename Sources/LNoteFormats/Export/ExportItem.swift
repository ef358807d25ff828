// SPDX-License-Identifier: Apache-2.0

public import InkElements

/// A page to export, in points.
public struct ExportPage: Sendable, Equatable {
  /// From 1.
  public var number: Int
  /// Above 0.
  public var width: Double
  /// Above 0.
  public var height: Double
  /// What the ink on the page covers, so that a drawing can make room for what is beyond the page's edges;
  /// nil where nothing is beyond them or nobody looked.
  public var ink: InkExtent?

  /// Makes a page.
  public init(number: Int, width: Double, height: Double, ink: InkExtent? = nil) {
    self.number = number
    self.width = width
    self.height = height
    self.ink = ink
  }
}

/// The smallest upright rectangle around some ink, in points; empty until something is added.
public struct InkExtent: Sendable, Equatable {
  /// The leftmost place.
  public private(set) var minX = Double.infinity
  /// The topmost place.
  public private(set) var minY = Double.infinity
  /// The rightmost place.
  public private(set) var maxX = -Double.infinity
  /// The lowest place.
  public private(set) var maxY = -Double.infinity

  /// Covers nothing.
  public init() {}

  /// True until something was added.
  public var isEmpty: Bool { minX > maxX || minY > maxY }

  /// Covers the stroke as well, with its width. Linear in its samples.
  public mutating func add(_ stroke: Stroke) {
    let line = SVGStroke.greatestWidth(of: stroke) / 2
    for index in stroke.x.indices where index < stroke.y.count {
      add(x: stroke.x[index] - line, y: stroke.y[index] - line)
      add(x: stroke.x[index] + line, y: stroke.y[index] + line)
    }
  }

  /// Covers the image as well, however it is turned.
  public mutating func add(_ image: ImageElement) {
    let (x, y) = (image.x + image.width / 2, image.y + image.height / 2)
    let turned =
      image.rotation == 0 ? 0 : (image.width * image.width + image.height * image.height).squareRoot() / 2
    let (halfWidth, halfHeight) = (max(image.width / 2, turned), max(image.height / 2, turned))
    add(x: x - halfWidth, y: y - halfHeight)
    add(x: x + halfWidth, y: y + halfHeight)
  }

  private mutating func add(x: Double, y: Double) {
    guard x.isFinite, y.isFinite else { return }
    minX = min(minX, x)
    maxX = max(maxX, x)
    minY = min(minY, y)
    maxY = max(maxY, y)
  }
}

/// An element to export.
public enum ExportItem: Sendable, Equatable {
  /// A stroke.
  case stroke(Stroke)
  /// An image, and the payload that it was decoded from.
  case image(ImageElement, payload: [UInt8])
  /// An element of a kind without meaning here.
  case element(kind: UInt8, payload: [UInt8])
}
