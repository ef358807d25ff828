// SPDX-License-Identifier: Apache-2.0

import InkElements

/// Reads one JSON object a line: strokes, page sizes, and elements of other kinds.
struct StrokeLinesReader: ItemSource {
  private let bytes: [UInt8]
  private let file: String
  private var at: Int
  private var lineNumber = 0
  private var found = false

  init(_ bytes: [UInt8], file: String) {
    self.bytes = bytes
    self.file = file
    at = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  var line: Int { max(lineNumber, 1) }

  mutating func next() throws(FormatError) -> ImportItem? {
    while at < bytes.count {
      let end = bytes[at...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      let range = at..<end
      at = end + 1
      lineNumber += 1
      guard range.contains(where: { !isWhiteSpace(bytes[$0]) }) else { continue }
      do throws(FormatError) {
        let item = try Self.item(try JSONParser.parse(bytes, range))
        found = true
        return item
      } catch {
        // The offset is one in the whole file; a person looks for the line.
        throw found ? located(error) : unlike(error)
      }
    }
    guard found else { throw FormatError(.empty, file: file, cause: "there is nothing in this file") }
    return nil
  }

  private func located(_ error: FormatError) -> FormatError {
    FormatError(error.code, file: file, line: lineNumber, cause: error.cause)
  }

  /// The error for a first line that is no item: perhaps the file is JSON of another kind.
  private func unlike(_ error: FormatError) -> FormatError {
    guard let whole = try? JSONParser.parse(bytes, 0..<bytes.count) else { return located(error) }
    if case .object(let members) = whole,
      members["x"] != nil || members["kind"] != nil || members["pageSize"] != nil
    {
      return located(error)
    }
    return FormatError(
      .unsupported, file: file,
      cause: "this is a JSON document of another kind; only lines that are one stroke each can be imported")
  }

  /// The item of one line.
  private static func item(_ json: JSONValue) throws(FormatError) -> ImportItem {
    guard case .object = json else {
      throw FormatError(.malformed, cause: "a line has to be an object, not \(json.kind)")
    }
    let page = try page(json)
    if json["pageSize"] != nil { return try pageSize(json, page: page) }
    if json["kind"] != nil { return try element(json, page: page) }
    return .stroke(page: page, try Stroke(json: json))
  }

  private static func page(_ json: JSONValue) throws(FormatError) -> Int {
    guard let value = json["page"] else { return 1 }
    guard let page = value.int, page >= 1, page <= pageLimit else {
      throw FormatError(.malformed, cause: "page has to be a whole number from 1 to \(pageLimit)")
    }
    return Int(page)
  }

  private static func pageSize(_ json: JSONValue, page: Int) throws(FormatError) -> ImportItem {
    guard let size = json["pageSize"]?.array, size.count == 2, let width = size[0].double,
      let height = size[1].double, isPageLength(width), isPageLength(height)
    else {
      throw FormatError(
        .malformed, cause: "pageSize has to be [width, height], both above 0 and at most a million")
    }
    return .pageSize(page: page, width: width, height: height)
  }

  private static func element(_ json: JSONValue, page: Int) throws(FormatError) -> ImportItem {
    guard let number = json["kind"]?.int, let kind = UInt8(exactly: number), kind > 0 else {
      throw FormatError(.malformed, cause: "kind has to be a whole number from 1 to 255")
    }
    guard let text = json["payload"]?.string, let payload = Base64.decoded(text.utf8) else {
      throw FormatError(.malformed, cause: "payload has to be Base64")
    }
    return .element(page: page, kind: kind, payload: payload)
  }
}
