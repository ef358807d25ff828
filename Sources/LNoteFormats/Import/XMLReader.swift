// SPDX-License-Identifier: Apache-2.0

/// Reads XML event by event, in one pass over bytes in memory.
///
/// Narrow by design: nothing outside of the file is ever fetched and no entities can be declared, so that
/// neither can do harm. Namespaces are not looked at. UTF-8 only.
struct XMLReader {
  enum Event: Equatable {
    /// An element begins; `attribute(_:)` answers for it until the next event.
    case start(String)
    /// An element ends.
    case end(String)
    /// Character data; `unescaped(_:)` gives its bytes. One text may come in several pieces.
    case text(Range<Int>, verbatim: Bool)
  }

  /// Elements inside each other, and attributes of one.
  private static let depthLimit = 256, attributeLimit = 256

  private let bytes: [UInt8]
  private let file: String
  private var at = 0
  private var open: [String] = []
  private var attributes: [(name: Range<Int>, value: Range<Int>)] = []
  private var selfClosed = false
  private var rootSeen = false

  init(_ bytes: [UInt8], file: String) {
    self.bytes = bytes
    self.file = file
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
  }

  /// How many elements are open.
  var depth: Int { open.count }

  /// The line of the present place, from 1. Linear in the place.
  var line: Int { bytes[..<min(at, bytes.count)].reduce(1) { $1 == UInt8(ascii: "\n") ? $0 + 1 : $0 } }

  func fault(_ cause: String, _ code: FormatError.Code = .malformed) -> FormatError {
    FormatError(code, file: file, line: line, cause: cause)
  }

  /// The next event, or nil behind the end of the root element.
  mutating func next() throws(FormatError) -> Event? {
    if selfClosed, let name = open.popLast() {
      selfClosed = false
      return .end(name)
    }
    while at < bytes.count {
      guard bytes[at] == UInt8(ascii: "<") else {
        let start = at
        at = bytes[at...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
        if !open.isEmpty { return .text(start..<at, verbatim: false) }
        guard (start..<at).allSatisfy({ isWhiteSpace(bytes[$0]) }) else {
          at = start
          throw fault(rootSeen ? "something follows the end of the document" : "this is no XML")
        }
        continue
      }
      if starts("<?") {
        try processingInstruction()
      } else if starts("<!--") {
        _ = try skip(past: "-->", from: at + 4, of: "a comment")
      } else if starts("<![CDATA["), !open.isEmpty {
        return .text(try skip(past: "]]>", from: at + 9, of: "a CDATA section"), verbatim: true)
      } else if starts("<!DOCTYPE"), !rootSeen {
        try documentType()
      } else if starts("</") {
        return try endTag()
      } else {
        return try startTag()
      }
    }
    if let name = open.last { throw fault("the file ends inside of <\(name.prefix(40))>") }
    guard rootSeen else { throw fault("there is no XML element in this file") }
    return nil
  }

  /// The bytes of an attribute of the element that just began, or nil.
  func attribute(_ name: StaticString) throws(FormatError) -> [UInt8]? {
    let wanted = name.description.utf8
    guard let found = attributes.first(where: { bytes[$0.name].elementsEqual(wanted) }) else { return nil }
    return try unescaped(found.value)
  }

  /// An attribute as a string, or nil.
  func string(_ name: StaticString) throws(FormatError) -> String? {
    guard let value = try attribute(name) else { return nil }
    return String(decoding: value, as: UTF8.self)
  }

  /// The bytes of text, with references replaced.
  func unescaped(_ range: Range<Int>) throws(FormatError) -> [UInt8] {
    guard let text = XMLText.unescaped(bytes, range) else {
      throw fault("there is an entity that XML does not know; entities cannot be declared here")
    }
    return text
  }

  /// The bytes of a piece of text.
  func text(_ range: Range<Int>, verbatim: Bool) throws(FormatError) -> [UInt8] {
    verbatim ? Array(bytes[range]) : try unescaped(range)
  }

  private func starts(_ text: StaticString) -> Bool {
    bytes[at...].starts(with: text.description.utf8)
  }

  /// Moves behind the next `end` and returns what is before it.
  private mutating func skip(past end: StaticString, from start: Int, of what: String) throws(FormatError)
    -> Range<Int>
  {
    let pattern = Array(end.description.utf8)
    var index = start
    while index <= bytes.count - pattern.count {
      if bytes[index] == pattern[0], bytes[index..<index + pattern.count].elementsEqual(pattern) {
        at = index + pattern.count
        return start..<index
      }
      index += 1
    }
    throw fault("\(what) does not end")
  }

  private mutating func processingInstruction() throws(FormatError) {
    let declaration = starts("<?xml ") || starts("<?xml\t") || starts("<?xml\n") || starts("<?xml\r")
    let range = try skip(past: "?>", from: at + 2, of: "a processing instruction")
    guard declaration else { return }
    let text = String(decoding: bytes[range], as: UTF8.self).lowercased()
    guard let word = text.firstRange(of: "encoding") else { return }
    let name = text[word.upperBound...].drop { $0 == "=" || $0 == "\"" || $0 == "'" || $0.isWhitespace }
    guard ["utf-8", "utf8", "us-ascii", "ascii"].contains(where: { name.hasPrefix($0) }) else {
      throw fault(
        "the encoding \(name.prefix { $0 != "\"" && $0 != "'" }.prefix(24)) is not read", .unsupported)
    }
  }

  /// A document type may name a definition, which is not fetched; it may not hold one.
  private mutating func documentType() throws(FormatError) {
    var index = at
    while index < bytes.count, bytes[index] != UInt8(ascii: ">") {
      if bytes[index] == UInt8(ascii: "[") {
        throw fault("the document declares entities or elements of its own, which is not read", .unsupported)
      }
      index += 1
    }
    guard index < bytes.count else { throw fault("the document type does not end") }
    at = index + 1
  }

  private mutating func name() throws(FormatError) -> Range<Int> {
    let start = at
    while at < bytes.count, Self.isNameByte(bytes[at]) { at += 1 }
    guard at > start, at - start <= 256 else {
      throw fault("a name is missing behind \"<\", or an attribute is no name")
    }
    return start..<at
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: ":"), 0x80...:
      true
    default: false
    }
  }

  private mutating func skipWhiteSpace() {
    while at < bytes.count, isWhiteSpace(bytes[at]) { at += 1 }
  }

  private mutating func endTag() throws(FormatError) -> Event {
    at += 2
    let closed = String(decoding: bytes[try name()], as: UTF8.self)
    skipWhiteSpace()
    guard at < bytes.count, bytes[at] == UInt8(ascii: ">") else { throw fault("</\(closed) does not end") }
    at += 1
    guard let expected = open.popLast(), expected == closed else {
      throw fault("</\(closed.prefix(40))> closes nothing that is open here")
    }
    return .end(closed)
  }

  private mutating func startTag() throws(FormatError) -> Event {
    guard !open.isEmpty || !rootSeen else { throw fault("something follows the end of the document") }
    guard open.count < Self.depthLimit else { throw fault("elements are nested too deeply", .tooLarge) }
    at += 1
    let element = String(decoding: bytes[try name()], as: UTF8.self)
    attributes.removeAll(keepingCapacity: true)
    while true {
      let before = at
      skipWhiteSpace()
      guard at < bytes.count else { throw fault("the file ends inside of <\(element.prefix(40))") }
      if bytes[at] == UInt8(ascii: ">") || starts("/>") { break }
      guard at > before else { throw fault("white space is missing in <\(element.prefix(40))") }
      try attribute()
    }
    selfClosed = bytes[at] == UInt8(ascii: "/")
    at += selfClosed ? 2 : 1
    open.append(element)
    rootSeen = true
    return .start(element)
  }

  private mutating func attribute() throws(FormatError) {
    let key = try name()
    skipWhiteSpace()
    guard at < bytes.count, bytes[at] == UInt8(ascii: "=") else { throw fault("an attribute has no value") }
    at += 1
    skipWhiteSpace()
    guard at < bytes.count, bytes[at] == UInt8(ascii: "\"") || bytes[at] == UInt8(ascii: "'") else {
      throw fault("the value of an attribute has no quotes")
    }
    let quote = bytes[at]
    let start = at + 1
    guard let end = bytes[start...].firstIndex(where: { $0 == quote || $0 == UInt8(ascii: "<") }),
      bytes[end] == quote
    else { throw fault("the value of an attribute does not end") }
    at = end + 1
    guard attributes.count < Self.attributeLimit else {
      throw fault("an element has too many attributes", .tooLarge)
    }
    guard !attributes.contains(where: { bytes[$0.name].elementsEqual(bytes[key]) }) else {
      throw fault("an attribute is there twice")
    }
    attributes.append((key, start..<end))
  }
}
