// SPDX-License-Identifier: Apache-2.0

/// The keys of a JSON object while they are read: what was asked for is taken out, the rest is kept.
struct RecordKeys {
  /// A key that has a value of another kind than it should.
  struct Wrong: Error {
    /// The end of a sentence.
    let cause: String

    init(cause: String) { self.cause = cause }

    init(_ key: String, _ expected: String) { cause = "its “\(key)” is not \(expected)" }
  }

  private(set) var rest: [String: JSON]

  init(_ json: JSON) throws(Wrong) {
    guard let keys = json.object else { throw Wrong(cause: "it is not an object") }
    rest = keys
  }

  mutating func text(_ key: String) throws(Wrong) -> String? { try take(key, "text") { $0.string } }

  mutating func number(_ key: String) throws(Wrong) -> Double? { try take(key, "a number") { $0.number } }

  mutating func integer(_ key: String) throws(Wrong) -> Int64? {
    try take(key, "a number without fraction") { $0.integer }
  }

  mutating func list(_ key: String) throws(Wrong) -> [JSON]? { try take(key, "a list") { $0.array } }

  private mutating func take<Value>(
    _ key: String, _ expected: String, _ read: (JSON) -> Value?
  ) throws(Wrong) -> Value? {
    guard let found = rest.removeValue(forKey: key) else { return nil }
    guard let value = read(found) else { throw Wrong(key, expected) }
    return value
  }
}
