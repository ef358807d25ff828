// SPDX-License-Identifier: Apache-2.0

/// A JSON value that keeps what it does not understand, so that keys of newer versions survive a save.
public enum JSON: Sendable, Equatable {
  /// `null`
  case null
  /// `true`, `false`
  case bool(Bool)
  /// A number without fraction that fits 64 bits.
  case integer(Int64)
  /// Any other number.
  case number(Double)
  /// Text.
  case string(String)
  /// A list.
  case array([JSON])
  /// Keys and values.
  case object([String: JSON])

  /// Parses UTF-8 text; nil when it is not JSON, has a key twice in one object, a number beyond a `Double`, or more
  /// than 512 levels. Time and memory are linear in the text.
  public init?(parsing bytes: [UInt8]) {
    var parser = JSONParser(bytes)
    guard let value = parser.document() else { return nil }
    self = value
  }

  /// The text, keys sorted, so that equal values are equal bytes. Empty when a number in it is not finite.
  public func text(pretty: Bool) -> [UInt8] {
    var writer = JSONWriter(isPretty: pretty)
    writer.write(self, indentation: 0)
    return writer.isRefused ? [] : writer.bytes
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
    default: nil
    }
  }

  /// The members of a list.
  public var array: [JSON]? { if case .array(let value) = self { value } else { nil } }

  /// The keys and values of an object.
  public var object: [String: JSON]? { if case .object(let value) = self { value } else { nil } }
}
