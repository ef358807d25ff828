// SPDX-License-Identifier: Apache-2.0

/// A snapshot read by SPEC.md §5 once more, plainly: an array of elements, no limits, no deflated blocks.
struct PlainSnapshot {
  private struct Malformed: Error {}

  private var elements: [PageContent.Element] = []
  private var takenOut: [UInt64: PageContent.Element] = [:]
  private var attributes: [(key: [UInt8], value: [UInt8])] = []
  private var isDeflated = false

  /// Compares what the engine shows of a whole snapshot with what stands in it. Snapshots with deflated blocks are left
  /// out.
  static func compare(
    _ bytes: [UInt8], _ frames: [FrameBytes.Found], with content: PageContent
  ) throws(BrokenProperty) {
    var page = PlainSnapshot()
    for frame in frames where frame.typeByte & 0x40 == 0 {
      var reader = PlainReader(bytes, frame.payload)
      do {
        try page.apply(frame.typeByte & 0x3F, &reader)
      } catch {
        throw BrokenProperty("the frame at \(frame.offset) does not decode, and the page is clean")
      }
      if page.isDeflated { return }
    }
    try require(page.elements == content.elements, "other elements than the snapshot holds")
    let sorted = page.attributes.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    try require(
      sorted.flatMap { [$0.key, $0.value] } == content.attributes, "other attributes than the snapshot holds")
  }

  private mutating func apply(_ type: UInt8, _ reader: inout PlainReader) throws {
    switch type {
    case 16: try place(&reader)
    case 17: try takeOut(&reader)
    case 18: try setAttributes(&reader)
    case 19: takenOut = [:]
    default: throw Malformed()
    }
  }

  private mutating func takeOut(_ reader: inout PlainReader) throws {
    var id: UInt64 = 0
    for _ in 0..<(try reader.count()) {
      id &+= try reader.varint()
      guard let index = elements.firstIndex(where: { $0.id == id }) else { throw Malformed() }
      takenOut[id] = elements.remove(at: index)
    }
  }

  private mutating func place(_ reader: inout PlainReader) throws {
    guard try reader.byte() == 0 else {
      isDeflated = true
      return
    }
    var block = try reader.block(try reader.count())
    let anchor = try block.varint()
    let count = try block.count()
    var ids: [UInt64] = []
    for _ in 0..<count {
      let code = try block.varint()
      let difference = Int64(bitPattern: code >> 1) ^ -Int64(bitPattern: code & 1)
      ids.append((ids.last ?? 0) &+ 1 &+ UInt64(bitPattern: difference))
    }
    let kinds = try (0..<count).map { _ in try block.byte() }
    let lengths = try (0..<count).map { _ in try block.varint() }
    var placed: [PageContent.Element] = []
    for index in 0..<count {
      if lengths[index] == 0 {
        guard let element = takenOut.removeValue(forKey: ids[index]) else { throw Malformed() }
        placed.append(element)
      } else {
        let payload = try block.bytes(Int(clamping: lengths[index] - 1))
        placed.append(.init(id: ids[index], kind: kinds[index], payload: payload))
      }
    }
    switch anchor {
    case 0: elements += placed
    case 1: elements.insert(contentsOf: placed, at: 0)
    default:
      guard let index = elements.firstIndex(where: { $0.id == anchor - 1 }) else { throw Malformed() }
      elements.insert(contentsOf: placed, at: index + 1)
    }
  }

  private mutating func setAttributes(_ reader: inout PlainReader) throws {
    for _ in 0..<(try reader.count()) {
      let key = try reader.bytes(try reader.count())
      let length = try reader.varint()
      attributes.removeAll { $0.key == key }
      if length > 0 { attributes.append((key, try reader.bytes(Int(clamping: length - 1)))) }
    }
  }
}

/// Reads numbers and bytes of a range.
private struct PlainReader {
  private struct End: Error {}

  private let source: [UInt8]
  private var place: Int
  private let end: Int

  init(_ source: [UInt8], _ range: Range<Int>) {
    self.source = source
    place = range.lowerBound
    end = range.upperBound
  }

  mutating func byte() throws -> UInt8 {
    guard place < end else { throw End() }
    place += 1
    return source[place - 1]
  }

  mutating func varint() throws -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 70, by: 7) {
      let next = try byte()
      value |= UInt64(next & 0x7F) << shift
      if next & 0x80 == 0 { return value }
    }
    throw End()
  }

  /// A number of things that take at least a byte each, so that no loop is long.
  mutating func count() throws -> Int {
    let count = try varint()
    guard count <= UInt64(end - place) else { throw End() }
    return Int(count)
  }

  mutating func bytes(_ count: Int) throws -> [UInt8] {
    guard count <= end - place else { throw End() }
    place += count
    return Array(source[(place - count)..<place])
  }

  mutating func block(_ count: Int) throws -> PlainReader {
    _ = try bytes(count)
    return PlainReader(source, (place - count)..<place)
  }
}
