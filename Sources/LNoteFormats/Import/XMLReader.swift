// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// Takes what an XML document says, in its order. Namespaces are not looked at.
protocol XMLHandler: AnyObject {
  /// False once nothing more is wanted; the rest is then neither read nor checked.
  var wantsMore: Bool { get }
  /// An element begins on a line, from 1.
  func begin(_ element: String, _ attributes: [String: String], line: Int) throws(FormatError)
  /// The next bytes (UTF-8) of the text inside of the innermost open element; a text comes in many pieces.
  func text(_ piece: some Sequence<UInt8>)
  /// The innermost open element ends on a line.
  func end(_ element: String, line: Int) throws(FormatError)
}

/// Reads XML with Foundation's parser, which is libxml2, and ends at the first thing that is wrong.
///
/// Foundation asks libxml2 to recover from errors and goes on to report elements that it made up, so the
/// first error has to end the reading here. `XMLScreening` refuses beforehand what the parser lets pass.
final class XMLReader: NSObject, XMLParserDelegate {
  /// Elements inside each other.
  static let depthLimit = 256
  /// The most bytes that libxml2 takes for one tag, comment or CDATA section.
  static let tokenLimit = 10_000_000

  private let handler: any XMLHandler
  private let file: String
  private let byteCount: Int
  private var open: [String] = []
  private var rootSeen = false
  private var fault: FormatError?

  private init(_ handler: any XMLHandler, file: String, byteCount: Int) {
    self.handler = handler
    self.file = file
    self.byteCount = byteCount
  }

  /// Hands the whole document to the handler. Throws what is wrong with it (with the line), or what the
  /// handler threw.
  static func read(_ bytes: [UInt8], file: String, into handler: any XMLHandler) throws(FormatError) {
    try XMLScreening.check(bytes, file: file)
    let reader = XMLReader(handler, file: file, byteCount: bytes.count)
    // A stream is fed in pieces; data would go to libxml2 as one, which it refuses from 10 MB on.
    let parser = XMLParser(stream: InputStream(data: Data(bytes)))
    parser.shouldResolveExternalEntities = false
    parser.externalEntityResolvingPolicy = .never
    parser.delegate = reader
    let complete = parser.parse()
    parser.delegate = nil
    try reader.finish(parser, complete: complete)
  }

  private func finish(_ parser: XMLParser, complete: Bool) throws(FormatError) {
    if let fault { throw fault }
    guard handler.wantsMore else { return }
    // Foundation calls some documents complete that are not, for one all that have fewer than four bytes.
    if rootSeen, open.isEmpty, complete { return }
    throw sentence(for: parser.parserError, parser)
  }

  private var wantsMore: Bool { fault == nil && handler.wantsMore }

  private func line(_ parser: XMLParser) -> Int { max(parser.lineNumber, 1) }

  /// Runs a step of the handler and ends the parsing where it fails or wants no more.
  private func step(_ parser: XMLParser, _ body: () throws(FormatError) -> Void) {
    do throws(FormatError) { try body() } catch { fault = error }
    if !wantsMore { parser.abortParsing() }
  }

  private func refuse(_ parser: XMLParser, _ code: FormatError.Code, _ cause: String) {
    guard wantsMore else { return }
    fault = FormatError(code, file: file, line: line(parser), cause: cause)
    parser.abortParsing()
  }

  // MARK: What the parser reports

  func parser(
    _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
    qualifiedName qName: String?, attributes attributeDict: [String: String] = [:]
  ) {
    guard wantsMore else { return }
    guard open.count < Self.depthLimit else {
      return refuse(parser, .tooLarge, "elements are nested too deeply")
    }
    rootSeen = true
    open.append(elementName)
    let line = line(parser)
    step(parser) { () throws(FormatError) in try handler.begin(elementName, attributeDict, line: line) }
  }

  func parser(
    _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?,
    qualifiedName qName: String?
  ) {
    guard wantsMore else { return }
    open.removeLast(open.isEmpty ? 0 : 1)
    let line = line(parser)
    step(parser) { () throws(FormatError) in try handler.end(elementName, line: line) }
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) {
    if wantsMore { handler.text(string.utf8) }
  }

  // White space between two numbers must not get lost, whoever thinks that it can.
  func parser(_ parser: XMLParser, foundIgnorableWhitespace whitespaceString: String) {
    if wantsMore { handler.text(whitespaceString.utf8) }
  }

  func parser(_ parser: XMLParser, foundCDATA block: Data) {
    if wantsMore { handler.text(block) }
  }

  func parser(_ parser: XMLParser, parseErrorOccurred parseError: any Error) {
    guard wantsMore, !XMLFault.isHarmless((parseError as NSError).code) else { return }
    fault = sentence(for: parseError, parser)
    parser.abortParsing()
  }

  private func sentence(for error: (any Error)?, _ parser: XMLParser) -> FormatError {
    let fault = XMLFault(
      code: (error as NSError?)?.code, openElement: open.last, rootSeen: rootSeen,
      isLong: byteCount > Self.tokenLimit)
    return FormatError(fault.code, file: file, line: line(parser), cause: fault.cause)
  }
}
