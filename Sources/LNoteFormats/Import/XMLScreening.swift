// SPDX-License-Identifier: Apache-2.0

/// Refuses, before XML is parsed, what Foundation's parser would accept and ought not to.
///
/// On Linux the parser neither reports entities that a document declares nor the places where it leaves them
/// out, so a document type is refused as a whole; no note app writes one. And libxml2 compares each
/// attribute of a tag with all others, so that a tag with a million of them would take hours. A processing instruction
/// of nothing but its name ends the process there: Foundation measures a text that libxml2 did not give it.
enum XMLScreening {
  /// Attributes of one tag, together with what looks like some in the text behind it.
  static let attributeLimit = 4_096

  /// One pass over the bytes. Throws `FormatError` with the line.
  static func check(_ bytes: [UInt8], file: String) throws(FormatError) {
    try checkEncoding(bytes, file: file)
    let documentType = Array("<!DOCTYPE".utf8)
    var attributes = 0
    var expectsQuote = false
    for index in bytes.indices {
      switch bytes[index] {
      case UInt8(ascii: "<"):
        attributes = 0
        if bytes[index...].starts(with: documentType) {
          throw fault(
            "the document has a DOCTYPE, which may declare entities and is not read", .unsupported, at: index,
            bytes, file)
        }
        if isBareInstruction(bytes[index...]) {
          throw fault(
            "a processing instruction has nothing but a name, and is not read", .unsupported, at: index,
            bytes,
            file)
        }
      case UInt8(ascii: "="):
        expectsQuote = true
        continue
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        if expectsQuote { attributes += 1 }
        guard attributes <= attributeLimit else {
          throw fault("an element has too many attributes", .tooLarge, at: index, bytes, file)
        }
      case let byte where isWhiteSpace(byte):
        continue
      default:
        break
      }
      expectsQuote = false
    }
  }

  /// True for "<?name?>". It ends at the first "<", so that all of these looks together are one pass.
  private static func isBareInstruction(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard bytes.starts(with: [UInt8(ascii: "<"), UInt8(ascii: "?")]) else { return false }
    for byte in bytes.dropFirst(2) {
      if byte == UInt8(ascii: "?") { return true }
      if isWhiteSpace(byte) || byte == UInt8(ascii: "<") { return false }
    }
    return false
  }

  /// Only encodings whose first 128 characters are ASCII, because the search above is one for ASCII.
  private static func checkEncoding(_ bytes: [UInt8], file: String) throws(FormatError) {
    let start = String(decoding: bytes.prefix(300), as: UTF8.self)
    guard let declared = start.firstMatch(of: /<\?xml\s[^>]*?encoding\s*=\s*["']([^"'>]*)/) else { return }
    let name = declared.1.lowercased()
    guard
      ["utf-8", "us-ascii", "ascii"].contains(name) || name.hasPrefix("iso-8859-")
        || name.hasPrefix("windows-125")
    else {
      throw fault("the encoding \(name.prefix(24)) is not read", .unsupported, at: 0, bytes, file)
    }
  }

  private static func fault(
    _ cause: String, _ code: FormatError.Code, at index: Int, _ bytes: [UInt8], _ file: String
  ) -> FormatError {
    let line = 1 + bytes[..<index].count { $0 == UInt8(ascii: "\n") }
    return FormatError(code, file: file, line: line, cause: cause)
  }
}
