// SPDX-License-Identifier: Apache-2.0

import Foundation
import InkElements
import LNoteFormats

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// What an import found: sound, storable or refused in a sentence, and equal after an export and another import.
struct TransferTrial {
  private struct Content: Equatable {
    var pages: [Int: Page] = [:]
    var assets: [[UInt8]] = []
  }

  private struct Page: Equatable {
    var width = 100.0
    var height = 200.0
    var items: [Item] = []
  }

  private enum Item: Equatable {
    case stroke(Stroke)
    case element(UInt8, [UInt8])
  }

  private let items: [ImportItem]

  init(_ items: [ImportItem]) { self.items = items }

  func run() throws {
    let found = try content(items)
    let lines = try export(found)
    let again = try content(try ImportEntries.read(lines))
    let linesAgain = try export(again)
    try require(lines == linesAgain, "exported, imported and exported again, the lines differ")
    // From here on strokes are as a page stores them, and no digit of these may get lost.
    let stored = try stored(again)
    let third = try content(try ImportEntries.read(try export(stored)))
    try require(third == stored, "what was stored does not come back from an export")
    try draw(stored)
  }

  private func content(_ items: [ImportItem]) throws(BrokenProperty) -> Content {
    var content = Content()
    for item in items {
      switch item {
      case .title(let title): try requireSentence(title)
      case .pageSize(let page, let width, let height):
        try requirePage(page)
        try require(width > 0 && height > 0 && width.isFinite && height.isFinite, "\(width) × \(height)")
        content.pages[page, default: Page()].width = width
        content.pages[page, default: Page()].height = height
      case .stroke(let page, let stroke):
        try requirePage(page)
        try check(stroke)
        content.pages[page, default: Page()].items.append(.stroke(stroke))
      case .element(let page, let kind, let payload):
        try requirePage(page)
        try require(kind > 0, "kind 0")
        content.pages[page, default: Page()].items.append(.element(kind, payload))
      case .image(let page, let place, let data, let type):
        try requirePage(page)
        try require(!data.isEmpty && type == ImageType(detecting: data), "an image of \(data.count) bytes")
        try require(place.width > 0 && place.height > 0, "an image of \(place.width) × \(place.height)")
        content.assets.append(data)
        let image = ImageElement(
          assetHigh: 0, assetLow: UInt64(content.assets.count), x: place.x, y: place.y, width: place.width,
          height: place.height)
        guard let payload = try? image.encoded() else { continue }
        content.pages[page, default: Page()].items.append(.element(InkKind.image, payload))
      case .asset(_, let data, _):
        try require(!data.isEmpty, "an asset without bytes")
        content.assets.append(data)
      case .simplified(let what, let reason, let page), .skipped(let what, let reason, let page):
        if let page { try requirePage(page) }
        try requireSentence(what)
        try requireSentence(reason)
      }
    }
    return content
  }

  private func requirePage(_ page: Int) throws(BrokenProperty) {
    try require((1...100_000).contains(page), "page \(page)")
  }

  private func check(_ stroke: Stroke) throws(BrokenProperty) {
    try require(
      !stroke.x.isEmpty && stroke.x.count == stroke.y.count, "a stroke of \(stroke.x.count) samples")
    for column in [stroke.x, stroke.y, stroke.radius ?? [], stroke.pressure ?? [], [stroke.width]] {
      try require(column.allSatisfy(\.isFinite), "a number that is not finite")
    }
    for count in [stroke.radius?.count, stroke.pressure?.count, stroke.time?.count] {
      try require(count == nil || count == stroke.x.count, "columns of different lengths")
    }
  }

  private func export(_ content: Content) throws -> [UInt8] {
    var lines: [UInt8] = []
    var exporter = NDJSONExporter<Never> { lines += $0 }
    for (index, data) in content.assets.enumerated() {
      try exporter.addAsset(id: "asset\(index)", type: "png", data: data)
    }
    for (number, page) in content.pages.sorted(by: { $0.key < $1.key }) {
      try exporter.beginPage(ExportPage(number: number, width: page.width, height: page.height))
      for item in page.items { try exporter.add(exported(item)) }
    }
    // An import refuses a file without a line.
    if lines.isEmpty { try exporter.beginPage(ExportPage(number: 1, width: 1, height: 1)) }
    return lines
  }

  private func exported(_ item: Item) -> ExportItem {
    switch item {
    case .stroke(let stroke): return .stroke(stroke)
    case .element(let kind, let payload):
      if kind == InkKind.image, let image = try? ImageElement(decoding: payload) {
        return .image(image, payload: payload)
      }
      return .element(kind: kind, payload: payload)
    }
  }

  /// The same, with every stroke as it comes out of a page; those that no page takes are left out.
  private func stored(_ content: Content) throws -> Content {
    var stored = content
    for number in content.pages.keys {
      stored.pages[number]?.items = []
      for item in content.pages[number]?.items ?? [] {
        guard case .stroke(let stroke) = item else {
          stored.pages[number]?.items.append(item)
          continue
        }
        do {
          let payload = try stroke.encoded()
          stored.pages[number]?.items.append(.stroke(try Stroke(decoding: payload)))
        } catch {
          try require(error.code != .malformed && error.code != .newerEncoding, "written, it does not decode")
          try requireSentence(error.description)
        }
      }
    }
    return stored
  }

  /// A drawing is well-formed XML, or refused in a sentence.
  private func draw(_ content: Content) throws {
    let pages = content.pages.sorted { $0.key < $1.key }.prefix(20)
    var drawing: [UInt8] = []
    var exporter = SVGExporter<Never>(
      pages: pages.map { ExportPage(number: $0.key, width: $0.value.width, height: $0.value.height) },
      images: { image in
        let index = Int(clamping: image.assetLow) - 1
        guard content.assets.indices.contains(index) else { return nil }
        return ImageType(detecting: content.assets[index]).map { (content.assets[index], $0) }
      }, to: { drawing += $0 })
    for (_, page) in pages {
      do { try exporter.beginPage() } catch { return try requireSentence(error.description) }
      for item in page.items {
        do { try exporter.add(exported(item)) } catch { try requireSentence(error.description) }
      }
    }
    try exporter.finish()
    try require(XMLParser(data: Data(drawing)).parse(), "a drawing is no well-formed XML")
  }
}
