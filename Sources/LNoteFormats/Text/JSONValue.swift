// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A JSON value (RFC 8259), read by Foundation. Whole numbers that fit stay whole, so that no digit of an id or
/// a time is lost.
public enum JSONValue: Sendable, Equatable {
  /// null.
  case null
  /// true or false.
  case bool(Bool)
  /// A whole number that fits 64 bits, however it was written.
  case integer(Int64)
  /// Any other number; always finite.
  case number(Double)
  /// A string.
  case string(String)
  /// An array.
  case array([JSONValue])
  /// An object. Of a key that is there twice, one counts.
  case object([String: JSONValue])

  /// The value that the bytes spell, which may stand between white space. Throws `FormatError` (malformed)
  /// for anything else, also for a number beyond Double and more than 128 levels. Time and memory are linear
  /// in the bytes.
  public init(parsing bytes: [UInt8]) throws(FormatError) {
    try self.init(parsing: Data(bytes))
  }

  init(parsing data: Data) throws(FormatError) {
    self = try Self.decoded(JSONValue.self, from: data)
  }

  /// Any value out of JSON, with the error in the form of this module.
  static func decoded<Value: Decodable>(_ type: Value.Type, from data: Data) throws(FormatError) -> Value {
    do {
      return try JSONDecoder().decode(type, from: data)
    } catch let error as FormatError {
      throw error
    } catch {
      throw FormatError(.malformed, cause: "this is no JSON: \(Self.reason(data))")
    }
  }

  /// Why Foundation refuses the bytes. `JSONDecoder` keeps that to itself, `JSONSerialization` says it; but it
  /// reads many numbers as decimals, which turn into other than the nearest doubles.
  private static func reason(_ data: Data) -> String {
    do {
      _ = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
    } catch {
      if let reason = (error as NSError).userInfo[NSDebugDescriptionErrorKey] as? String {
        return reason.hasSuffix(".") ? String(reason.dropLast()) : reason
      }
    }
    return "a value is none, or a number is outside of what a Double holds"
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
  /// Levels of arrays and objects; bounds the recursion.
  private static let depthLimit = 128
  /// Up to here every whole Double stands for one integer alone.
  private static let exactLimit = 9_007_199_254_740_992.0

  /// Takes over a value of any decoder that describes itself, such as Foundation's for JSON.
  public init(from decoder: any Decoder) throws {
    // Asking for the wrong kind costs an error with its text, so that the frequent kinds come first.
    if let container = try? decoder.singleValueContainer(), let value = Self(scalar: container) {
      self = value
      return
    }
    guard decoder.codingPath.count < Self.depthLimit else {
      throw FormatError(.malformed, cause: "this is no JSON that can be read: it is nested too deeply")
    }
    if let container = try? decoder.container(keyedBy: JSONKey.self) {
      var members: [String: JSONValue] = [:]
      for key in container.allKeys {
        members[key.stringValue] = try container.decode(JSONValue.self, forKey: key)
      }
      self = .object(members)
    } else if let values = try? [Double](from: decoder), let array = Self(exactly: values) {
      self = array
    } else {
      var container = try decoder.unkeyedContainer()
      var values: [JSONValue] = []
      while !container.isAtEnd { values.append(try container.decode(JSONValue.self)) }
      self = .array(values)
    }
  }

  /// The array of these numbers, or nil where one is so large that an integer may have become another one.
  init?(exactly values: [Double]) {
    guard values.allSatisfy({ abs($0) < Self.exactLimit }) else { return nil }
    self = .array(values.map(Self.exact))
  }

  private init?(scalar container: any SingleValueDecodingContainer) {
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Double.self) {
      // Foundation makes integers also of numbers with a fraction or exponent, and then not the nearest.
      if abs(value) >= Self.exactLimit, let whole = try? container.decode(Int64.self), Double(whole) == value
      {
        self = .integer(whole)
      } else {
        self = Self.exact(value)
      }
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int64.self) {
      // Foundation refuses to make a Double of a number too close to 0 for one, but it makes an integer of it.
      self = .integer(value)
    } else {
      return nil
    }
  }

  private static func exact(_ value: Double) -> JSONValue {
    if abs(value) < exactLimit, let whole = Int64(exactly: value), whole != 0 || value.sign == .plus {
      .integer(whole)
    } else {
      .number(value)
    }
  }
}

/// Any key of an object.
struct JSONKey: CodingKey {
  var stringValue: String
  var intValue: Int? { nil }
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}
