// SPDX-License-Identifier: Apache-2.0

/// The key of a page attribute. Keys are bytes: two spellings of the same characters are two keys, as on disk.
struct AttributeKey: Hashable, Comparable, Sendable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (left: AttributeKey, right: AttributeKey) -> Bool {
    left.text.utf8.elementsEqual(right.text.utf8)
  }

  static func < (left: AttributeKey, right: AttributeKey) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }

  func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
  }
}
