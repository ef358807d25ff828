// SPDX-License-Identifier: Apache-2.0

/// A property that does not hold for an input: what was expected, and what was found.
package struct BrokenProperty: Error, CustomStringConvertible {
  /// One sentence.
  package let description: String

  init(_ description: String) { self.description = description }
}

/// One door of the package through which bytes of strangers come in, with what has to hold for all of them.
package struct FuzzTarget: Sendable {
  /// What it is called on the command line, and its folder in `Corpora`, `Dictionaries` and `FailCases`.
  package let name: String
  /// One line for a list.
  package let summary: String
  private let body: @Sendable ([UInt8]) throws -> Void

  package init(_ name: String, _ summary: String, _ body: @escaping @Sendable ([UInt8]) throws -> Void) {
    self.name = name
    self.summary = summary
    self.body = body
  }

  /// Hands the bytes in and checks every property.
  /// - Throws: `BrokenProperty`, or whatever came out that ought not to.
  package func check(_ bytes: [UInt8]) throws {
    do {
      try body(bytes)
    } catch let broken as BrokenProperty {
      throw broken
    } catch {
      throw BrokenProperty("an error where none may be: \(error)")
    }
  }

  /// All targets, in the order of the layers.
  package static let all: [FuzzTarget] = [
    FuzzTarget("frames", "the bytes of a journal or snapshot: scanner and search", FramesEntry.check),
    FuzzTarget("snapshot", "a page that is a snapshot alone: inspected, opened, changed", SnapshotEntry.check),
    FuzzTarget("page", "a page of a snapshot and journals: inspected, opened, changed", PageEntry.check),
    FuzzTarget("ink", "the payload of a stroke or an image", InkEntry.check),
    FuzzTarget("ink-values", "numbers as an app or an import hands them to the ink codec", InkValuesEntry.check),
    FuzzTarget("json", "JSON, read by the two readers of the package", JSONEntry.check),
    FuzzTarget("record", "document.json of a package", RecordEntry.check),
    FuzzTarget("ndjson", "an import of lines of JSON", ImportEntries.checkLines),
    FuzzTarget("xournal", "an import of a Xournal++ file, packed or not", ImportEntries.checkXournal),
    FuzzTarget("plan", "the text of a fault plan", PlanEntry.check),
  ]
}

/// Throws unless the condition holds.
package func require(_ condition: Bool, _ message: @autoclosure () -> String) throws(BrokenProperty) {
  if !condition { throw BrokenProperty(message()) }
}

/// Throws unless a message is one line that can be printed on any terminal.
func requireSentence(_ text: String) throws(BrokenProperty) {
  let isPlain = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
  try require(!text.isEmpty && isPlain, "a message is no plain line: \(text.debugDescription)")
}
