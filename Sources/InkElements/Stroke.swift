// SPDX-License-Identifier: Apache-2.0

/// A pen stroke: columns of samples and what they share.
///
/// Positions, radii and widths are in points (1/72 inch), pressure is relative (1 = an average touch, larger
/// happens), times are milliseconds from the stroke's start. A column that is nil is *unknown*, which is not
/// 0. All columns that are there have as many entries as `x`.
public struct Stroke: Sendable, Equatable {
  /// What was drawn with.
  public var tool: Tool
  /// 0xRRGGBBAA, or nil where unknown.
  public var color: UInt32?
  /// The nominal width in points.
  public var width: Double
  /// Bits for the app; 0 when it has none.
  public var flags: UInt32
  /// Milliseconds from the session's start, or nil.
  public var start: Int64?
  /// Points, one a sample.
  public var x: [Double]
  /// Points, one a sample, downwards.
  public var y: [Double]
  /// Half the width of the line at each sample, in points.
  public var radius: [Double]?
  /// Relative pressure at each sample.
  public var pressure: [Double]?
  /// Milliseconds from the stroke's start at each sample; may stand still or go back.
  public var time: [Int64]?
  /// Bytes of fields of a newer version, kept as they are.
  public var extra: [UInt8]
  /// Steps in a point to which positions and radii are rounded when the stroke is stored: 10 = a tenth of a
  /// point. A stroke that was read keeps the steps that it was stored with.
  public var unitsPerPoint: UInt32

  /// Makes a stroke; only width and positions are needed.
  public init(
    tool: Tool = .pen, color: UInt32? = nil, width: Double, flags: UInt32 = 0, start: Int64? = nil,
    x: [Double], y: [Double], radius: [Double]? = nil, pressure: [Double]? = nil, time: [Int64]? = nil,
    extra: [UInt8] = [], unitsPerPoint: UInt32 = InkLimits.defaultUnitsPerPoint
  ) {
    self.tool = tool
    self.color = color
    self.width = width
    self.flags = flags
    self.start = start
    self.x = x
    self.y = y
    self.radius = radius
    self.pressure = pressure
    self.time = time
    self.extra = extra
    self.unitsPerPoint = unitsPerPoint
  }
}

/// What a stroke was drawn with. Values without a name here are kept.
public struct Tool: RawRepresentable, Sendable, Hashable {
  /// The number stored.
  public var rawValue: UInt8
  /// Any number is a tool.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// A pen with ink.
  public static let pen = Tool(rawValue: 0)
  /// A translucent marker.
  public static let highlighter = Tool(rawValue: 1)
  /// An eraser whose strokes are kept as white-out.
  public static let eraser = Tool(rawValue: 2)
  /// A pencil.
  public static let pencil = Tool(rawValue: 3)
}

/// Where an image stands on the page. The bytes of the image are an asset of the document.
public struct ImageElement: Sendable, Equatable {
  /// The UUID of the asset, as two big-endian halves.
  public var assetHigh: UInt64
  /// See `assetHigh`.
  public var assetLow: UInt64
  /// The left edge in points, before rotation.
  public var x: Double
  /// The top edge in points, before rotation.
  public var y: Double
  /// In points.
  public var width: Double
  /// In points.
  public var height: Double
  /// Clockwise, in degrees, around the centre.
  public var rotation: Double
  /// Bytes of fields of a newer version, kept as they are.
  public var extra: [UInt8]

  /// Makes an image element.
  public init(
    assetHigh: UInt64, assetLow: UInt64, x: Double, y: Double, width: Double, height: Double,
    rotation: Double = 0, extra: [UInt8] = []
  ) {
    self.assetHigh = assetHigh
    self.assetLow = assetLow
    self.x = x
    self.y = y
    self.width = width
    self.height = height
    self.rotation = rotation
    self.extra = extra
  }
}

/// The element kinds that this module gives meaning to. 128–255 are the app's own.
public enum InkKind {
  /// A `Stroke`.
  public static let stroke: UInt8 = 1
  /// An `ImageElement`.
  public static let image: UInt8 = 2
}
