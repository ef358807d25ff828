// SPDX-License-Identifier: Apache-2.0

/// A JSON value (RFC 8259). Whole numbers that fit stay whole, so that no digit of an id or a time is lost.
public enum JSONValue: Sendable, Equatable {
  /// null.
  case null
  /// true or false.
  case bool(Bool)
  /// A number written without point and exponent that fits 64 bits.
  case integer(Int64)
  /// Any other number; always finite.
  case number(Double)
  /// A string.
  case string(String)
  /// An array.
  case array([JSONValue])
  /// An object; a key occurs once.
  case object([String: JSONValue])

  /// The value that the bytes spell, which may stand between white space. Throws `FormatError` (malformed,
  /// with the offset) for anything else, also for a key given twice, a number beyond Double and more than 128
  /// levels. Time and memory are linear in the bytes.
  public init(parsing bytes: [UInt8]) throws(FormatError) {
    self = try JSONParser.parse(bytes, 0..<bytes.count)
  }

  /// The value of a key, where this is an object that has it and it is not null.
  public subscript(key: String) -> JSONValue? {
    guard case .object(let members) = self, let value = members[key], value != .null else { return nil }
    return value
  }

  /// The number, whole or not.
  public var double: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }

  /// The number if it is whole and fits; 12.0 counts as whole.
  public var int: Int64? {
    switch self {
    case .integer(let value): value
    case .number(let value): Int64(exactly: value)
    default: nil
    }
  }

  /// The string.
  public var string: String? {
    if case .string(let value) = self { value } else { nil }
  }

  /// The array.
  public var array: [JSONValue]? {
    if case .array(let values) = self { values } else { nil }
  }

  /// What kind of value it is, for sentences: "a string".
  var kind: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .integer, .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

extension JSONValue: Decodable {
  /// Takes over a value of any decoder that describes itself, such as Foundation's for JSON.
  public init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: AnyKey.self) {
      var members: [String: JSONValue] = [:]
      for key in container.allKeys {
        members[key.stringValue] = try container.decode(JSONValue.self, forKey: key)
      }
      self = .object(members)
      return
    }
    if var container = try? decoder.unkeyedContainer() {
      var values: [JSONValue] = []
      while !container.isAtEnd { values.append(try container.decode(JSONValue.self)) }
      self = .array(values)
      return
    }
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else {
      self = .string(try container.decode(String.self))
    }
  }

  private struct AnyKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
