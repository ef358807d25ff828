// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Reads the text of a record into `JSON`, asking for each key's own kind first. A general value has to be guessed, and
/// a wrong guess costs tens of microseconds: a record of many pages would take a minute.
struct RecordReading: Decodable {
  let json: JSON

  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  static func json(_ bytes: [UInt8]) -> JSON? {
    (try? JSONDecoder().decode(RecordReading.self, from: Data(bytes)))?.json
  }

  init(from decoder: any Decoder) throws {
    guard let object = try? decoder.container(keyedBy: Key.self) else {
      json = try JSON(from: decoder)
      return
    }
    var keys: [String: JSON] = [:]
    for key in object.allKeys {
      keys[key.stringValue] = try Self.expected(key, object) ?? object.decode(JSON.self, forKey: key)
    }
    json = .object(keys)
  }

  private static func expected(_ key: Key, _ object: KeyedDecodingContainer<Key>) -> JSON? {
    switch key.stringValue {
    case "id", "title": (try? object.decode(String.self, forKey: key)).map { .string($0) }
    case "width", "height": (try? object.decode(Double.self, forKey: key)).map { .number($0) }
    case "schema", "created", "modified", "elements", "generation", "commit":
      (try? object.decode(Int64.self, forKey: key)).map { .integer($0) }
    case "pages": (try? object.decode([RecordReading].self, forKey: key)).map { .array($0.map(\.json)) }
    case "removed": (try? object.decode([String].self, forKey: key)).map { .array($0.map { .string($0) }) }
    default: nil
    }
  }
}
