// SPDX-License-Identifier: Apache-2.0

/// The elements and attributes of a page at one commit, to read.
///
/// A value: it does not change when the page goes on, and may be kept and passed between threads. Keeping one
/// across a commit costs the page one copy of its tables (not of its payloads).
public struct PageView: Sendable {
  let state: PageState
  /// The generation whose journal continues this state.
  public let generation: UInt64

  init(_ state: PageState, generation: UInt64) {
    self.state = state
    self.generation = generation
  }

  /// An element without its payload.
  public struct Element: Sendable, Equatable {
    /// 1 and up, never reused on this page.
    public var id: UInt64
    /// 1–255.
    public var kind: UInt8
    /// Payload bytes.
    public var length: Int
  }

  /// Elements on the page.
  public var count: Int { state.count }
  /// Commits since the page was made.
  public var commit: UInt64 { state.commit }
  /// The id that the next element gets.
  public var nextID: UInt64 { state.nextID }
  /// The attributes. Of keys that are the same characters in other bytes, one is in here; `attributeList` has all.
  public var attributes: [String: [UInt8]] {
    Dictionary(attributeList.map { ($0.key, $0.value) }) { _, last in last }
  }

  /// The attributes, ordered by the bytes of their keys.
  public var attributeList: [(key: String, value: [UInt8])] {
    Array(state.attributes).ordered { $0.key < $1.key }.map { ($0.key.text, $0.value) }
  }
  /// Payload bytes of all elements.
  public var payloadBytes: Int { state.liveBytes }

  /// The element at a place, or nil. Costs in proportion to count / 512.
  public func element(at place: Int) -> Element? { state.record(at: place).map(Element.init) }

  /// The element with an id, or nil.
  public func element(_ id: UInt64) -> Element? { state.record(id).map(Element.init) }

  /// The place of an element, or nil. Costs in proportion to count / 512.
  public func place(of id: UInt64) -> Int? { state.place(of: id) }

  /// A copy of an element's payload, or nil when there is no such element.
  public func payload(of id: UInt64) -> [UInt8]? { state.record(id).map { state.arena.bytes($0.payload) } }

  /// Gives an element's payload to `body` without copying it; nil when there is no such element.
  public func withPayload<Result, Failure: Error>(
    of id: UInt64, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    guard let record = state.record(id) else { return nil }
    return try state.arena.withBytes(record.payload, body)
  }

  /// Gives every element, in page order, with its payload, to `body`.
  public func forEach(_ body: (Element, Span<UInt8>) -> Void) {
    state.forEach { record in
      state.arena.withBytes(record.payload) { body(Element(record), $0) }
    }
  }

  /// All elements in page order.
  public var elements: [Element] {
    var all: [Element] = []
    all.reserveCapacity(count)
    state.forEach { all.append(Element($0)) }
    return all
  }
}

extension PageView.Element {
  init(_ record: ElementRecord) {
    self.init(id: record.id, kind: record.kind, length: record.payload.length)
  }
}
