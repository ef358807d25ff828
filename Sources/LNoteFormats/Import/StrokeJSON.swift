// SPDX-License-Identifier: Apache-2.0

public import InkElements

/// Reads the JSON form of a stroke, which is one object:
///
///     {"start":ms?, "width":pt, "color":"#rrggbbaa"?, "tool":name or 0…255?, "flags":n?, "units":n?, "extra":base64?,
///      "x":[pt…], "y":[pt…], "radius":[pt…]?, "pressure":[…]?, "time":[ms from start…]?}
///
/// A key that is absent or null is unknown (tool: pen, flags: 0). Keys of other names are ignored.
extension Stroke {
  /// The stroke that a JSON object states. Throws `FormatError` (malformed) with the key at fault; whether
  /// the values can be stored is the codec's to say.
  public init(json: JSONValue) throws(FormatError) {
    guard case .object = json else {
      throw FormatError(.malformed, cause: "a stroke has to be an object, not \(json.kind)")
    }
    guard let x = try json.numbers("x", count: nil) else { throw Self.missing("x") }
    guard !x.isEmpty else { throw FormatError(.malformed, cause: "the stroke has no samples") }
    guard let y = try json.numbers("y", count: x.count) else { throw Self.missing("y") }
    guard let widthValue = json["width"] else { throw Self.missing("width") }
    guard let width = widthValue.double, width >= 0 else {
      throw FormatError(.malformed, cause: "width has to be a number from 0")
    }
    self.init(width: width, x: x, y: y)
    radius = try json.numbers("radius", count: x.count)
    pressure = try json.numbers("pressure", count: x.count)
    time = try json.times(count: x.count)
    if let value = json["start"] {
      guard let milliseconds = value.milliseconds else {
        throw FormatError(.malformed, cause: "start has to be a number of milliseconds")
      }
      start = milliseconds
    }
    if let value = json["color"] {
      guard let text = value.string, let parsed = InkColor.parse(hex: text) else {
        throw FormatError(.malformed, cause: "color has to be \"#rrggbb\" or \"#rrggbbaa\"")
      }
      color = parsed
    }
    if let value = json["tool"] { tool = try Tool(json: value) }
    if let value = json["flags"] {
      guard let number = value.int, let bits = UInt32(exactly: number) else {
        throw FormatError(.malformed, cause: "flags has to be a whole number from 0 to \(UInt32.max)")
      }
      flags = bits
    }
    if let value = json["units"] {
      guard let number = value.int, let units = UInt32(exactly: number), units > 0,
        units <= InkLimits.unitsPerPoint
      else { throw FormatError(.malformed, cause: "units has to be a whole number from 1 to 1,000,000") }
      unitsPerPoint = units
    }
    if let value = json["extra"] {
      guard let text = value.string, let bytes = Base64.decoded(text.utf8) else {
        throw FormatError(.malformed, cause: "extra has to be Base64")
      }
      extra = bytes
    }
  }

  private static func missing(_ key: String) -> FormatError {
    FormatError(.malformed, cause: "the stroke has no \(key)")
  }
}

/// A stroke inside of a larger `Decodable` value, in the JSON form of `Stroke(json:)`.
public struct StrokeRecord: Decodable, Sendable, Equatable {
  /// The stroke.
  public var stroke: Stroke

  /// Decodes with any self-describing decoder; throws `FormatError` where the form is not kept.
  public init(from decoder: any Decoder) throws {
    stroke = try Stroke(json: JSONValue(from: decoder))
  }
}

extension Tool {
  fileprivate init(json: JSONValue) throws(FormatError) {
    if let name = json.string, let tool = Tool(name: name) {
      self = tool
    } else if let number = json.int, let raw = UInt8(exactly: number) {
      self.init(rawValue: raw)
    } else {
      throw FormatError(
        .malformed, cause: "tool has to be pen, highlighter, eraser, pencil or a number from 0 to 255")
    }
  }
}

extension JSONValue {
  /// Milliseconds; fractions are rounded.
  var milliseconds: Int64? {
    if let whole = int { return whole }
    guard let value = double else { return nil }
    return Int64(exactly: value.rounded())
  }

  /// The numbers under a key, or nil where there is no such key.
  private func numberValues(_ key: String, count: Int?) throws(FormatError) -> [JSONValue]? {
    guard let value = self[key] else { return nil }
    guard let values = value.array else {
      throw FormatError(.malformed, cause: "\(key) has to be an array, not \(value.kind)")
    }
    if let count, values.count != count {
      throw FormatError(.malformed, cause: "\(key) has \(values.count) values, x has \(count)")
    }
    for (index, value) in values.enumerated() where value.double == nil {
      throw FormatError(.malformed, cause: "\(key)[\(index)] has to be a number, not \(value.kind)")
    }
    return values
  }

  fileprivate func numbers(_ key: String, count: Int?) throws(FormatError) -> [Double]? {
    try numberValues(key, count: count)?.compactMap(\.double)
  }

  fileprivate func times(count: Int) throws(FormatError) -> [Int64]? {
    guard let values = try numberValues("time", count: count) else { return nil }
    var times: [Int64] = []
    times.reserveCapacity(count)
    for (index, value) in values.enumerated() {
      guard let time = value.milliseconds else {
        throw FormatError(.malformed, cause: "time[\(index)] is no number of milliseconds that fits")
      }
      times.append(time)
    }
    return times
  }
}
