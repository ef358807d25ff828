// SPDX-License-Identifier: Apache-2.0

import Foundation
import PageJournalFaults

/// A change of a page, alone or as part of a batch.
enum KillChange {
  case append(kind: Int, String)
  case insert(at: Int, kind: Int, String)
  case replace(Int, [(kind: Int, payload: String)])
  case remove(Int)
  case move(Int, to: Int)
  case set(String, String?)

  var fields: [String: Any] {
    switch self {
    case .append(let kind, let payload): ["op": "append", "kind": kind, "payload": payload]
    case .insert(let place, let kind, let payload):
      ["op": "insert", "at": place, "kind": kind, "payload": payload]
    case .replace(let id, let with):
      [
        "op": "replace", "id": id,
        "with": with.map { ["kind": $0.kind, "payload": $0.payload] as [String: Any] },
      ]
    case .remove(let id): ["op": "remove", "id": id]
    case .move(let id, let to): ["op": "move", "id": id, "to": to]
    case .set(let key, let value): ["op": "set", "key": key, "value": value ?? NSNull()]
    }
  }
}

/// A line for `lnote apply`. Pages stand by their numbers.
enum KillOperation {
  case addPage(Int, width: Int)
  case removePage(Int)
  case movePage(Int, to: Int)
  case addAsset([UInt8])
  case commit(Int, [KillChange], isBatch: Bool)
  case sync(Int?)
  case compact(Int?)

  var name: String {
    switch self {
    case .addPage: "addPage"
    case .removePage: "removePage"
    case .movePage: "movePage"
    case .addAsset: "addAsset"
    case .commit(_, _, let isBatch): isBatch ? "batch" : "commit"
    case .sync: "sync"
    case .compact: "compact"
    }
  }

  /// - Parameter ids: the ids of the pages, by number.
  func line(_ ids: [Int: String]) throws -> String {
    var fields: [String: Any]
    var page: Int?
    switch self {
    case .addPage(_, let width): fields = ["op": "addPage", "width": width, "height": 792]
    case .removePage(let number): (fields, page) = (["op": "removePage"], number)
    case .movePage(let number, let to): (fields, page) = (["op": "movePage", "to": to], number)
    case .addAsset(let bytes):
      fields = ["op": "addAsset", "type": "png", "data": Data(bytes).base64EncodedString()]
    case .commit(let number, let changes, let isBatch):
      page = number
      fields = isBatch ? ["op": "batch", "ops": changes.map(\.fields)] : changes.first?.fields ?? [:]
    case .sync(let number): (fields, page) = (["op": "sync"], number)
    case .compact(let number): (fields, page) = (["op": "compact"], number)
    }
    if let page { fields["page"] = ids[page] }
    return String(
      decoding: try JSONSerialization.data(withJSONObject: fields, options: [.sortedKeys]), as: UTF8.self)
  }
}

/// Makes operations by chance, each valid on the document as it is when the earlier ones were done.
struct KillDice {
  var random: SplitMix64
  /// The most pages.
  private let most = 4

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  /// - Parameters:
  ///   - known: the pages whose ids are known.
  ///   - assets: those that may be named, by their ids.
  ///   - number: that of the next page.
  mutating func operation(
    on document: KillDocument, known: Set<Int>, assets: [String], nextPage number: Int
  ) -> KillOperation {
    let pages = document.pages.filter { known.contains($0.number) }
    guard let page = pages.randomElement(using: &random) else {
      return document.pages.count < most ? .addPage(number, width: self.number(1...999)) : .sync(nil)
    }
    // Two pages soon: one says nothing about the others.
    if document.pages.count < 2, self.number(0...1) == 0 {
      return .addPage(number, width: self.number(1...999))
    }
    switch self.number(0...99) {
    case 0..<3 where document.pages.count < most: return .addPage(number, width: self.number(1...999))
    case 3..<5 where pages.count > 1: return .removePage(page.number)
    case 5..<8: return .movePage(page.number, to: self.number(0...document.pages.count - 1))
    case 8..<11: return .addAsset(random.bytes(self.number(1...900)))
    case 11..<13: return .sync(Bool.random(using: &random) ? page.number : nil)
    case 13..<15: return .compact(Bool.random(using: &random) ? page.number : nil)
    case 15..<30:
      var scratch = page
      let changes = (0...self.number(1...4)).map { _ in
        let change = self.change(on: scratch, assets)
        scratch.apply(change)
        return change
      }
      return .commit(page.number, changes, isBatch: true)
    default: return .commit(page.number, [change(on: page, assets)], isBatch: false)
    }
  }

  private mutating func change(on page: KillDocument.Page, _ assets: [String]) -> KillChange {
    guard let element = page.elements.randomElement(using: &random) else {
      return .append(kind: 3, payload())
    }
    switch number(0...15) {
    case 0: return .insert(at: number(0...page.elements.count), kind: 128, payload())
    case 1: return .replace(element.id, (0...number(0...2)).map { _ in (kind: 255, payload: payload()) })
    case 2, 3: return .remove(element.id)
    case 4: return .move(element.id, to: number(0...page.elements.count - 1))
    case 5, 6:
      let key = ["paper", "grid", "ü"][number(0...2)]
      return .set(key, [nil, "", payload()][number(0...2)])
    case 7, 8:
      if let asset = assets.randomElement(using: &random) {
        return .append(kind: KillAssets.kind, KillAssets.payload(naming: asset))
      }
      return .append(kind: 1, payload())
    default: return .append(kind: 3, payload())
    }
  }

  private mutating func payload() -> String {
    let size = [0, 3, 40, 90, 400, number(0...100) == 0 ? 30_000 : 60][number(0...5)]
    return Data(random.bytes(size)).base64EncodedString()
  }
}

/// How an element names an asset (docs/ink-payload.md), written anew.
enum KillAssets {
  /// The kind of images.
  static let kind = 2

  static func payload(naming asset: String) -> String {
    var bytes: [UInt8] = [1, 0]
    let digits = asset.utf8.filter { $0 != UInt8(ascii: "-") }
    for place in stride(from: 0, to: digits.count - 1, by: 2) {
      bytes.append(UInt8(String(decoding: digits[place...place + 1], as: UTF8.self), radix: 16) ?? 0)
    }
    for number in [1.0, 2, 30, 40] {
      withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes += Array($0) }
    }
    return Data(bytes).base64EncodedString()
  }

  /// The ids of the assets that the pages name.
  static func named(by document: KillDocument, _ assets: some Sequence<String>) -> Set<String> {
    let payloads = Set(document.pages.flatMap(\.elements).filter { $0.kind == kind }.map(\.payload))
    return Set(assets.filter { payloads.contains(payload(naming: $0)) })
  }
}
