// SPDX-License-Identifier: Apache-2.0

import Foundation
import InkElements
import LNote
import LNoteFormats
import PageJournal

/// A line of `lnote apply`, taken apart.
struct ApplyRequest {
  private let keys: [String: JSON]
  let op: String

  init(_ json: JSON?) throws(Refusal) {
    guard let keys = json?.object else { throw Refusal(.usage, "the line is not a JSON object") }
    guard let op = keys["op"]?.string else { throw Refusal(.usage, "“op” is missing") }
    self.keys = keys
    self.op = op
  }

  func has(_ key: String) -> Bool { keys[key] != nil }

  func page() throws(Refusal) -> PageID {
    guard let text = keys["page"]?.string else { throw Refusal(.usage, "“page” is missing or no string") }
    guard let id = PageID(text) else { throw Refusal(.noSuchPage, "“\(text)” is no page id") }
    return id
  }

  func number(_ key: String) throws(Refusal) -> Double {
    guard let value = keys[key]?.number else { throw Refusal(.usage, "“\(key)” is missing or no number") }
    return value
  }

  func index(_ key: String) throws(Refusal) -> Int {
    guard let value = keys[key]?.integer, value >= 0, let index = Int(exactly: value) else {
      throw Refusal(.usage, "“\(key)” is missing or no whole number from 0")
    }
    return index
  }

  func text(_ key: String) throws(Refusal) -> String {
    guard let value = keys[key]?.string else { throw Refusal(.usage, "“\(key)” is missing or no string") }
    return value
  }

  func bytes(_ key: String) throws(Refusal) -> [UInt8] {
    try Self.bytes(keys[key], key)
  }

  private static func bytes(_ json: JSON?, _ key: String) throws(Refusal) -> [UInt8] {
    guard let text = json?.string else { throw Refusal(.usage, "“\(key)” is missing or no string") }
    guard let data = Data(base64Encoded: text) else { throw Refusal(.badPayload, "“\(key)” is not base64") }
    return [UInt8](data)
  }

  private static func element(_ keys: [String: JSON]) throws(Refusal) -> NewElement {
    guard let kind = keys["kind"]?.integer, let kind = UInt8(exactly: kind), kind > 0 else {
      throw Refusal(.usage, "“kind” is missing or not in 1–255")
    }
    let payload = try bytes(keys["payload"], "payload")
    guard payload.count <= PageLimits.elementPayload else {
      throw Refusal(
        .tooLarge, "the payload has \(payload.count) bytes, \(PageLimits.elementPayload) are allowed")
    }
    return NewElement(kind: kind, payload: payload)
  }

  private func id() throws(Refusal) -> UInt64 {
    guard let value = keys["id"]?.integer else { throw Refusal(.usage, "“id” is missing or no whole number") }
    guard value > 0 else { throw Refusal(.noSuchElement, "the page has no element \(value)") }
    return UInt64(value)
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
        guard let keys = entry.object else {
          throw Refusal(.usage, "“with” holds something that is no object")
        }
        elements.append(try Self.element(keys))
      }
      return .replace(id: try id(), with: elements)
    case "remove": return .remove(id: try id())
    case "move": return .move(id: try id(), to: try index("to"))
    case "set":
      let key = try text("key")
      guard let value = keys["value"] else {
        throw Refusal(.usage, "“value” is missing: base64, or null to remove")
      }
      return .set(key: key, value: value == .null ? nil : try Self.bytes(value, "value"))
    case "stroke":
      return .append(kind: InkKind.stroke, payload: try strokePayload())
    default: return nil
    }
  }

  private func strokePayload() throws(Refusal) -> [UInt8] {
    // The stroke's own fields stand in the operation, or under "stroke".
    var fields = keys["stroke"]?.object ?? keys
    for key in ["op", "page"] { fields[key] = nil }
    do {
      let record = try JSONDecoder().decode(
        StrokeRecord.self, from: Data(JSON.object(fields).text(pretty: false)))
      return try record.stroke.encoded()
    } catch let error as DecodingError {
      throw Refusal(.badPayload, Self.sentence(error))
    } catch {
      throw Refusal(.badPayload, "\(error)")
    }
  }

  private static func sentence(_ error: DecodingError) -> String {
    switch error {
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
      .dataCorrupted(let context):
      (context.underlyingError as (any Error)?).map { "\($0)" } ?? context.debugDescription
    @unknown default: "the stroke does not decode"
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

/// Why an operation was not done, or did not reach its durability.
struct Refusal: Error {
  enum Code: String {
    case usage, noSuchPage, noSuchElement, badPayload, tooLarge, readOnly, noSpace, io, locked, damaged,
      newerVersion
    case `internal`
  }
  var code: Code
  var message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  init(_ error: StorageError) {
    let code: Code
    switch error.code {
    case .usage, .closed, .alreadyExists: code = .usage
    case .notFound: code = error.page == nil ? .io : .noSuchPage
    case .noSuchElement: code = .noSuchElement
    case .badPayload: code = .badPayload
    case .tooLarge: code = .tooLarge
    case .readOnly, .readOnlyVolume: code = .readOnly
    case .noSpace: code = .noSpace
    case .io, .accessDenied, .tooManyOpenFiles, .wrongKind: code = .io
    case .locked, .lockUnsupported: code = .locked
    case .damaged: code = .damaged
    case .newerVersion: code = .newerVersion
    case .internal: code = .internal
    }
    self.init(code, error.description)
  }

  var json: JSON { .object(["code": .string(code.rawValue), "message": .string(message)]) }
}
