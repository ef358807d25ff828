// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A JSON value that keeps what it does not understand, so that keys of newer versions survive a save.
public enum JSON: Sendable, Equatable, Codable {
  /// `null`
  case null
  /// `true`, `false`
  case bool(Bool)
  /// A number without fraction that fits 64 bits.
  case integer(Int64)
  /// Any other number.
  case number(Double)
  /// A number of more digits than a Double holds, up to 38, as it is spelled.
  case decimal(String)
  /// Text.
  case string(String)
  /// A list.
  case array([JSON])
  /// Keys and values.
  case object([String: JSON])

  /// Reads any value. A failed attempt is what costs, so the most frequent kinds are tried first.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let value = try? container.decode(Int64.self), Self.isKept(value, container) {
      self = .integer(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode(Double.self) {
      self = Self.kept(value, container)
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode([JSON].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSON].self))
    }
  }

  /// Foundation makes integers also of numbers with a fraction or an exponent, and above 2^53 then not the nearest.
  private static func isKept(_ value: Int64, _ container: any SingleValueDecodingContainer) -> Bool {
    value.magnitude < 1 << 53 || (try? container.decode(Decimal.self)) == Decimal(value)
  }

  /// The number with all of its digits: as a Double where that has them, and where even a Decimal has not.
  private static func kept(_ value: Double, _ container: any SingleValueDecodingContainer) -> JSON {
    guard let decimal = try? container.decode(Decimal.self), decimal != Decimal(string: value.description)
    else { return .number(value) }
    let text = decimal.description
    // A number that is too small or too large for a Decimal is another one as such.
    guard Double(text) == value else { return .number(value) }
    return Int64(text).map { .integer($0) } ?? .decimal(text)
  }

  /// Writes the value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .decimal(let text):
      guard let value = Decimal(string: text) else {
        throw EncodingError.invalidValue(
          text, .init(codingPath: container.codingPath, debugDescription: "no number"))
      }
      try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }

  /// Parses UTF-8 text; nil when it is not JSON.
  public init?(parsing bytes: [UInt8]) {
    guard let value = try? JSONDecoder().decode(JSON.self, from: Data(bytes)) else { return nil }
    self = value
  }

  /// The text, keys sorted, so that equal values are equal bytes.
  public func text(pretty: Bool) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting =
      pretty
      ? [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes] : [.sortedKeys, .withoutEscapingSlashes]
    // Every case of the enum encodes: a number that JSON cannot hold is never stored in one.
    return ((try? encoder.encode(self)).map { [UInt8]($0) }) ?? []
  }

  /// The value of a key of an object.
  public subscript(key: String) -> JSON? {
    if case .object(let object) = self { object[key] } else { nil }
  }

  /// The text of a string.
  public var string: String? { if case .string(let value) = self { value } else { nil } }

  /// An integer, also one written as 5.0.
  public var integer: Int64? {
    switch self {
    case .integer(let value): value
    case .number(let value): Int64(exactly: value)
    default: nil
    }
  }

  /// Any number.
  public var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    case .decimal(let text): Double(text)
    default: nil
    }
  }

  /// The members of a list.
  public var array: [JSON]? { if case .array(let value) = self { value } else { nil } }

  /// The keys and values of an object.
  public var object: [String: JSON]? { if case .object(let value) = self { value } else { nil } }
}
