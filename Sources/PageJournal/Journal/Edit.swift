// SPDX-License-Identifier: Apache-2.0

/// A change of a page, as a program states it.
public enum Operation: Sendable, Equatable {
  /// A new element at the end.
  case append(kind: UInt8, payload: [UInt8])
  /// A new element at a place, 0…count.
  case insert(at: Int, kind: UInt8, payload: [UInt8])
  /// One element replaced, at its place, by one or several new ones.
  case replace(id: UInt64, with: [NewElement])
  /// An element removed.
  case remove(id: UInt64)
  /// An element moved; `to` is its place afterwards, 0..<count.
  case move(id: UInt64, to: Int)
  /// A page attribute set, or removed with nil.
  case set(key: String, value: [UInt8]?)
}

/// Kind and payload of an element that has no id yet.
public struct NewElement: Sendable, Equatable {
  /// 1–255; 128–255 are the app's own.
  public var kind: UInt8
  /// At most 64 MiB.
  public var payload: [UInt8]

  /// Makes an element to be given an id.
  public init(kind: UInt8, payload: [UInt8]) {
    self.kind = kind
    self.payload = payload
  }
}

/// A change whose payloads are in the arena already.
enum Edit: Sendable {
  struct Content: Sendable {
    var kind: UInt8
    var payload: PayloadRef
  }

  case append(Content)
  case insert(Content, at: Int)
  case replace(UInt64, with: [Content])
  case remove(UInt64)
  case move(UInt64, to: Int)
  case set(String, [UInt8]?)

  var frameType: FrameType {
    switch self {
    case .append: .append
    case .insert: .insert
    case .replace: .replace
    case .remove: .remove
    case .move: .move
    case .set: .set
    }
  }
}

/// The payloads of commit frames (SPEC.md §4.2). A field that a newer minor version adds stands behind the known
/// ones and is skipped here.
enum EditCodec {
  static func encode(_ edit: Edit, _ arena: Arena, into bytes: inout [UInt8]) {
    switch edit {
    case .append(let content):
      encode(content, arena, into: &bytes)
    case .insert(let content, let place):
      bytes.appendVarint(UInt64(place))
      encode(content, arena, into: &bytes)
    case .replace(let id, let contents):
      bytes.appendVarint(id)
      bytes.appendVarint(UInt64(contents.count))
      for content in contents { encode(content, arena, into: &bytes) }
    case .remove(let id):
      bytes.appendVarint(id)
    case .move(let id, let place):
      bytes.appendVarint(id)
      bytes.appendVarint(UInt64(place))
    case .set(let key, let value):
      bytes.appendAttribute(key, value)
    }
  }

  static func encodedLength(_ edit: Edit) -> Int {
    switch edit {
    case .append(let content): length(content)
    case .insert(let content, _): 10 + length(content)
    case .replace(_, let contents): contents.reduce(20) { $0 + length($1) }
    case .remove: 10
    case .move: 20
    case .set(let key, let value): 24 + key.utf8.count + (value?.count ?? 0)
    }
  }

  private static func length(_ content: Edit.Content) -> Int { 11 + content.payload.length }

  private static func encode(_ content: Edit.Content, _ arena: Arena, into bytes: inout [UInt8]) {
    bytes.append(content.kind)
    bytes.appendVarint(UInt64(content.payload.length))
    arena.withBytes(content.payload) { bytes.append(copying: $0) }
  }

  /// Reads one edit of a frame's payload; nil when it does not decode.
  static func decode(_ type: FrameType, _ reader: inout ByteReader, chunk: Int32) -> Edit? {
    switch type {
    case .append:
      guard let content = content(&reader, chunk) else { return nil }
      return .append(content)
    case .insert:
      guard let place = reader.count(atMost: PageLimits.elements), let content = content(&reader, chunk)
      else { return nil }
      return .insert(content, at: place)
    case .replace:
      guard let id = reader.varint(), let count = reader.count(atMost: reader.remaining / 2), count > 0
      else { return nil }
      var contents: [Edit.Content] = []
      for _ in 0..<count {
        guard let content = content(&reader, chunk) else { return nil }
        contents.append(content)
      }
      return .replace(id, with: contents)
    case .remove:
      guard let id = reader.varint() else { return nil }
      return .remove(id)
    case .move:
      guard let id = reader.varint(), let place = reader.count(atMost: PageLimits.elements) else {
        return nil
      }
      return .move(id, to: place)
    case .set:
      guard let (key, value) = reader.attribute() else { return nil }
      return .set(key, value)
    default:
      return nil
    }
  }

  /// Reads all edits of a commit frame, one or a batch; nil when any does not decode.
  static func decodeCommit(_ frame: Frame, _ bytes: [UInt8], chunk: Int32) -> [Edit]? {
    guard let type = frame.type else { return nil }
    var reader = ByteReader(bytes, frame.payload)
    guard type == .batch else {
      return decode(type, &reader, chunk: chunk).map { [$0] }
    }
    guard let count = reader.count(atMost: reader.remaining / 2) else { return nil }
    var edits: [Edit] = []
    for _ in 0..<count {
      #if Mutants
        if Mutant.isOn(.halfABatchIsReplayed), 2 * edits.count >= count { break }
      #endif
      guard let raw = reader.byte(), let type = FrameType(rawValue: raw), type.isCommit, type != .batch,
        let length = reader.count(atMost: reader.remaining), let range = reader.range(length)
      else { return nil }
      var part = ByteReader(bytes, range)
      guard let edit = decode(type, &part, chunk: chunk) else { return nil }
      edits.append(edit)
    }
    return edits
  }

  private static func content(_ reader: inout ByteReader, _ chunk: Int32) -> Edit.Content? {
    guard let kind = reader.byte(), kind != 0, let length = reader.count(atMost: PageLimits.elementPayload),
      let range = reader.range(length)
    else { return nil }
    let ref = length == 0 ? .empty : PayloadRef(chunk: chunk, offset: range.lowerBound, length: length)
    return Edit.Content(kind: kind, payload: ref)
  }
}

extension Array where Element == UInt8 {
  /// Key length, key, 1 + value length (0 = removed), value.
  mutating func appendAttribute(_ key: String, _ value: [UInt8]?) {
    appendVarint(UInt64(key.utf8.count))
    append(contentsOf: key.utf8)
    if let value {
      appendVarint(UInt64(value.count) + 1)
      append(copying: value.span)
    } else {
      append(0)
    }
  }
}

extension ByteReader {
  /// See `appendAttribute`. The key is valid UTF-8 of 1–255 bytes.
  mutating func attribute() -> (String, [UInt8]?)? {
    guard let length = count(atMost: PageLimits.attributeKey), length > 0, let range = range(length),
      let key = String(validating: bytes[range], as: UTF8.self),
      let code = count(atMost: PageLimits.attributeValue + 1)
    else { return nil }
    guard code > 0 else { return (key, nil) }
    guard let value = self.range(code - 1) else { return nil }
    return (key, [UInt8](copying: bytes.span.extracting(value)))
  }
}
