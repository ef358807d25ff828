// SPDX-License-Identifier: Apache-2.0

import Foundation
import InkElements

/// Reads one JSON object a line: strokes, page sizes, and elements of other kinds.
struct StrokeLinesReader {
  /// The most bytes of a line with lists in it. Foundation takes up to thirty times as many to read one.
  static let lineLimit = 64 << 20
  /// The most bytes of a line without: an element's payload or an asset.
  static let stringLineLimit = 1 << 30

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

  /// How far the file has been read, from 1.
  var line: Int { max(lineNumber, 1) }

  /// The next item, or nil at the end.
  mutating func next() throws(FormatError) -> ImportItem? {
    while at < bytes.count {
      let end = bytes[at...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      let range = at..<end
      at = end + 1
      lineNumber += 1
      guard range.contains(where: { !isWhiteSpace(bytes[$0]) }) else { continue }
      guard range.count <= Self.lineLimit || isStringLine(range) else {
        throw FormatError(
          .tooLarge, file: file, line: lineNumber, cause: "the line is longer than \(Self.lineLimit) bytes")
      }
      do throws(FormatError) {
        let item = try Self.item(try JSONValue.decoded(Line.self, from: Data(bytes[range])).json)
        found = true
        return item
      } catch {
        throw found ? located(error) : unlike(error)
      }
    }
    guard found else { throw FormatError(.empty, file: file, cause: "there is nothing in this file") }
    return nil
  }

  private func isStringLine(_ range: Range<Int>) -> Bool {
    range.count <= Self.stringLineLimit && !bytes[range].contains(UInt8(ascii: "["))
  }

  private func located(_ error: FormatError) -> FormatError {
    FormatError(error.code, file: file, line: lineNumber, cause: error.cause)
  }

  /// The error for a first line that is no item: perhaps the file is JSON of another kind.
  private func unlike(_ error: FormatError) -> FormatError {
    guard bytes.count <= Self.lineLimit, let whole = try? JSONDecoder().decode(Line.self, from: Data(bytes))
    else { return located(error) }
    if ["x", "kind", "pageSize", "asset"].contains(where: { whole.json[$0] != nil }) {
      return located(error)
    }
    return FormatError(
      .unsupported, file: file,
      cause: "this is a JSON document of another kind; only lines that are one stroke each can be imported")
  }

  /// What a line says under the keys that mean something here. The values of others are not even read: in a
  /// file of another app they may be many.
  private struct Line: Decodable {
    static let columns = ["x", "y", "radius", "pressure", "time", "pageSize"].map(JSONKey.init(stringValue:))
    static let others = [
      "page", "kind", "payload", "start", "width", "color", "tool", "flags", "units", "extra", "asset",
      "type",
      "data",
    ].map(JSONKey.init(stringValue:))

    var json: JSONValue

    init(from decoder: any Decoder) throws {
      if let object = try? decoder.container(keyedBy: JSONKey.self) {
        var members: [String: JSONValue] = [:]
        // An array of numbers is what these nearly always are, and asking for one is fast.
        for key in Self.columns where object.contains(key) {
          if let values = try? object.decode([Double].self, forKey: key),
            let array = JSONValue(exactly: values)
          {
            members[key.stringValue] = array
          } else {
            members[key.stringValue] = try object.decode(JSONValue.self, forKey: key)
          }
        }
        for key in Self.others where object.contains(key) {
          members[key.stringValue] = try object.decode(JSONValue.self, forKey: key)
        }
        json = .object(members)
      } else if (try? decoder.unkeyedContainer()) != nil {
        json = .array([])
      } else {
        json = try JSONValue(from: decoder)
      }
    }
  }

  /// The item of one line.
  private static func item(_ json: JSONValue) throws(FormatError) -> ImportItem {
    guard case .object = json else {
      throw FormatError(.malformed, cause: "a line has to be an object, not \(json.kind)")
    }
    if json["asset"] != nil { return try asset(json) }
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

  private static func asset(_ json: JSONValue) throws(FormatError) -> ImportItem {
    guard let id = json["asset"]?.string, let type = json["type"]?.string, !id.isEmpty else {
      throw FormatError(.malformed, cause: "an asset has an id and a type, both strings")
    }
    guard let text = json["data"]?.string, let data = Base64.decoded(text.utf8), !data.isEmpty else {
      throw FormatError(.malformed, cause: "the data of an asset has to be Base64 of at least one byte")
    }
    return .asset(id: id, data: data, type: type)
  }
}
