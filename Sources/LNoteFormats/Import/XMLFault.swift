// SPDX-License-Identifier: Apache-2.0

/// Says in a sentence what an error number of libxml2 means; Foundation passes on the number alone.
struct XMLFault {
  var code: FormatError.Code
  var cause: String

  /// True for numbers that stand for remarks: an unknown version of XML, prefixes without a namespace.
  static func isHarmless(_ number: Int) -> Bool {
    switch number {
    case 97...100, 102, 200...205: true
    default: false
    }
  }

  /// `isLong` says that the file is long enough for a token that libxml2 refuses because of its length.
  init(code number: Int?, openElement: String?, rootSeen: Bool, isLong: Bool) {
    code = .malformed
    switch number {
    case 1 where isLong:
      code = .tooLarge
      cause = "a tag, comment or CDATA section is longer than \(XMLReader.tokenLimit) bytes"
    case 2:
      code = .unreadable
      cause = "there is no memory to read it"
    case nil, 4, 5, 77:
      cause = Self.ending(openElement: openElement, rootSeen: rootSeen)
    case 9: cause = "a character is none of XML, or not of the file's encoding"
    case 26, 27: cause = "there is an entity that XML does not know; entities cannot be declared here"
    case 31, 32:
      code = .unsupported
      cause = "the file's encoding is not known"
    case 38: cause = "the value of an attribute holds \"<\", or does not end"
    case 39: cause = "the value of an attribute has no quotes"
    case 40, 41: cause = "an attribute has no value"
    case 42: cause = "an attribute is there twice"
    case 64: cause = "the XML declaration is not at the very start of the file"
    case 65: cause = "white space is missing in a tag"
    case 68: cause = "a name is missing behind \"<\" or \"&\", or it is no name"
    case 73: cause = "a tag does not end"
    case 76:
      cause = "an end tag does not fit the element that is open here"
      if let openElement { cause += ", <\(openElement.prefix(40))>" }
    case .some(let number): cause = "this is no well-formed XML (error \(number) of libxml2)"
    }
  }

  private static func ending(openElement: String?, rootSeen: Bool) -> String {
    if let openElement { return "the file ends inside of <\(openElement.prefix(40))>" }
    return rootSeen ? "something follows the end of the document" : "there is no XML element in this file"
  }
}
