// SPDX-License-Identifier: Apache-2.0

import Foundation
import InkElements
import LNoteFormats
import PageJournal

/// A line of `lnote apply`, taken apart.
struct ApplyRequest {
  /// The longest line that is taken apart. The greatest commit that a page takes, in base64, is well below it.
  static let lineLimit = 256 << 20

  private let keys: JSONValue
  let op: String

  init(line: [UInt8]) throws(Refusal) {
    let json: JSONValue
    do throws(FormatError) {
      json = try JSONValue(parsing: line)
    } catch {
      throw Refusal(.usage, "the line does not parse: \(error)")
    }
    try self.init(json)
  }

  private init(_ json: JSONValue) throws(Refusal) {
    guard case .object = json else { throw Refusal(.usage, "the line is not a JSON object") }
    guard let op = json["op"]?.string else { throw Refusal(.usage, "“op” is missing or no string") }
    keys = json
    self.op = op
  }

  func has(_ key: String) -> Bool { keys[key] != nil }

  func page() throws(Refusal) -> PageID {
    let text = try text("page")
    guard let id = PageID(text) else { throw Refusal(.noSuchPage, "“\(text)” is no page id") }
    return id
  }

  func number(_ key: String) throws(Refusal) -> Double {
    guard let value = keys[key]?.double else { throw Refusal(.usage, "“\(key)” is missing or no number") }
    return value
  }

  func index(_ key: String) throws(Refusal) -> Int {
    guard let value = keys[key]?.int, value >= 0, let index = Int(exactly: value) else {
      throw Refusal(.usage, "“\(key)” is missing or no whole number from 0")
    }
    return index
  }

  func text(_ key: String) throws(Refusal) -> String {
    guard let value = keys[key]?.string else { throw Refusal(.usage, "“\(key)” is missing or no string") }
    return value
  }

  func bytes(_ key: String) throws(Refusal) -> [UInt8] { try Self.bytes(keys, key) }

  private static func bytes(_ json: JSONValue, _ key: String) throws(Refusal) -> [UInt8] {
    guard let text = json[key]?.string else { throw Refusal(.usage, "“\(key)” is missing or no string") }
    guard let data = Data(base64Encoded: text) else { throw Refusal(.badPayload, "“\(key)” is not base64") }
    return [UInt8](data)
  }

  private static func element(_ json: JSONValue) throws(Refusal) -> NewElement {
    guard let kind = json["kind"]?.int, let kind = UInt8(exactly: kind), kind > 0 else {
      throw Refusal(.usage, "“kind” is missing or no whole number in 1–255")
    }
    let payload = try bytes(json, "payload")
    guard payload.count <= PageLimits.elementPayload else {
      throw Refusal(
        .tooLarge, "the payload has \(payload.count) bytes, \(PageLimits.elementPayload) are allowed")
    }
    return NewElement(kind: kind, payload: payload)
  }

  private func id() throws(Refusal) -> UInt64 {
    guard let value = keys["id"]?.double, value == value.rounded() else {
      throw Refusal(.usage, "“id” is missing or no whole number")
    }
    guard let id = keys["id"]?.int, id > 0 else {
      throw Refusal(
        .noSuchElement, "the page has no element \(keys["id"]?.int.map { "\($0)" } ?? "\(value)")")
    }
    return UInt64(id)
  }

  /// The change of a page that the operation is, or nil when it is none.
  func operation() throws(Refusal) -> PageJournal.Operation? {
    switch op {
    case "append":
      let element = try Self.element(keys)
      return .append(kind: element.kind, payload: element.payload)
    case "insert":
      let place = try index("at")
      let element = try Self.element(keys)
      return .insert(at: place, kind: element.kind, payload: element.payload)
    case "replace":
      guard let list = keys["with"]?.array, !list.isEmpty else {
        throw Refusal(.usage, "“with” is missing, empty or no list")
      }
      var elements: [NewElement] = []
      for entry in list {
        guard case .object = entry else {
          throw Refusal(.usage, "“with” holds something that is no object")
        }
        elements.append(try Self.element(entry))
      }
      return .replace(id: try id(), with: elements)
    case "remove": return .remove(id: try id())
    case "move": return .move(id: try id(), to: try index("to"))
    case "set":
      let key = try text("key")
      guard case .object(let members) = keys, let value = members["value"] else {
        throw Refusal(.usage, "“value” is missing: base64, or null to remove")
      }
      return .set(key: key, value: value == .null ? nil : try bytes("value"))
    case "stroke":
      return .append(kind: InkKind.stroke, payload: try strokePayload())
    default: return nil
    }
  }

  private func strokePayload() throws(Refusal) -> [UInt8] {
    // The stroke's own fields stand in the operation, or under "stroke".
    let stroke: Stroke
    do throws(FormatError) {
      stroke = try Stroke(json: keys["stroke"] ?? keys)
    } catch {
      throw Refusal(.badPayload, error.description)
    }
    do throws(InkError) {
      return try stroke.encoded()
    } catch {
      throw Refusal(.badPayload, error.description)
    }
  }

  /// The operations of a batch, all on its page.
  func parts() throws(Refusal) -> [PageJournal.Operation] {
    let page = try page()
    guard let list = keys["ops"]?.array, !list.isEmpty else {
      throw Refusal(.usage, "“ops” is missing, empty or no list")
    }
    var operations: [PageJournal.Operation] = []
    for (index, entry) in list.enumerated() {
      do throws(Refusal) {
        guard case .object = entry else { throw Refusal(.usage, "it is not a JSON object") }
        let part = try ApplyRequest(entry)
        if part.has("page"), try part.page() != page {
          throw Refusal(.usage, "its page is not the batch's")
        }
        guard let operation = try part.operation() else {
          throw Refusal(.usage, "“\(part.op)” cannot be part of a batch")
        }
        operations.append(operation)
      } catch {
        throw Refusal(error.code, "part \(index + 1) of the batch: \(error.message)")
      }
    }
    return operations
  }
}
