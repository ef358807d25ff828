// SPDX-License-Identifier: Apache-2.0

/// The key of a page attribute. Keys are bytes: two spellings of the same characters are two keys, as on disk.
struct AttributeKey: Hashable, Comparable, Sendable {
  private let bytes: [UInt8]

  init(_ text: String) { bytes = Array(text.utf8) }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  static func < (left: AttributeKey, right: AttributeKey) -> Bool {
    var index = 0
    while index < left.bytes.count, index < right.bytes.count {
      if left.bytes[index] != right.bytes[index] { return left.bytes[index] < right.bytes[index] }
      index += 1
    }
    return left.bytes.count < right.bytes.count
  }
}
