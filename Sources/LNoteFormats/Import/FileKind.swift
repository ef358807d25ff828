// SPDX-License-Identifier: Apache-2.0

/// What the first bytes of an (unpacked) file say that it is.
enum FileKind: Equatable {
  case xml
  case json
  /// A known kind of file that is not read here, as a noun phrase: "a PDF".
  case foreign(String)
  case unknown

  init(_ bytes: [UInt8]) {
    if let known = Self.signatures.first(where: { bytes.starts(with: $0.bytes) }) {
      self = .foreign(known.noun)
      return
    }
    switch Self.body(bytes).first(where: { !isWhiteSpace($0) }) {
    case UInt8(ascii: "<"): self = .xml
    case UInt8(ascii: "{"), UInt8(ascii: "["): self = .json
    default: self = .unknown
    }
  }

  /// True for white space alone.
  static func hasNothing(_ bytes: [UInt8]) -> Bool { body(bytes).allSatisfy(isWhiteSpace) }

  /// All but a byte order mark.
  private static func body(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
  }

  private static let signatures: [(bytes: [UInt8], noun: String)] = [
    (Array("%PDF".utf8), "a PDF"),
    (Array("PK\u{3}\u{4}".utf8), "a ZIP archive"),
    ([0x28, 0xB5, 0x2F, 0xFD], "a Zstandard archive"),
    (Array("SQLite format 3\u{0}".utf8), "an SQLite database"),
    (Array("reMarkable .lines file".utf8), "a reMarkable notebook page"),
    (Array(".VERSION".utf8), "a UNIPEN file"),
    (Array("RNOTEPAD".utf8), "an rnote file"),
    ([0x89, 0x50, 0x4E, 0x47], "a PNG image"),
    ([0xFF, 0xD8, 0xFF], "a JPEG image"),
    ([0xFF, 0xFE], "UTF-16 text"),
    ([0xFE, 0xFF], "UTF-16 text"),
    ([0x3C, 0x00], "UTF-16 text"),
  ]

  /// The app whose XML has this root element, as a noun phrase, or nil.
  static func document(root: String) -> String? {
    switch root {
    case "ink", "inkml:ink": "an InkML document"
    case "svg", "svg:svg": "an SVG drawing"
    case "html": "an HTML page"
    default: nil
    }
  }
}
