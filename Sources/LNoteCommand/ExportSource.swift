// SPDX-License-Identifier: Apache-2.0

import InkElements
import LNote
import LNoteFormats
import PageJournal

/// The pages of a document as an exporter takes them.
struct ExportSource {
  private let inspection: NoteInspection
  private let selection: PageSelection
  private var pages: [(page: ExportPage, items: [ExportItem])] = []

  init(_ inspection: NoteInspection, _ selection: PageSelection) {
    self.inspection = inspection
    self.selection = selection
  }

  /// Reads the chosen pages; `notice` is told of each that is not healthy.
  mutating func load(_ notice: (PageID, RecoveryReport) -> Void) throws(Failure) {
    for index in selection.indices {
      let id = inspection.pages[index]
      let opened = inspection.inspect(id)
      if !opened.report.verdict.isHealthy { notice(id, opened.report) }
      let record = inspection.pageRecord(id)
      var page = ExportPage(number: index + 1, width: record?.width ?? 0, height: record?.height ?? 0)
      let items = opened.view.map(Self.items) ?? []
      var ink = InkExtent()
      for item in items {
        switch item {
        case .stroke(let stroke): ink.add(stroke)
        case .image(let image, _): ink.add(image)
        case .element: break
        }
      }
      if !ink.isEmpty { page.ink = ink }
      if page.width <= 0 || page.height <= 0 {
        // The document could not say: the page is as large as what is on it.
        page.width = max(1, ink.isEmpty ? 595 : ink.maxX)
        page.height = max(1, ink.isEmpty ? 842 : ink.maxY)
      }
      pages.append((page, items))
    }
  }

  private static func items(_ view: PageView) -> [ExportItem] {
    var items: [ExportItem] = []
    view.forEach { element, payload in
      let bytes = [UInt8](copying: payload)
      switch try? InkElement(kind: element.kind, decoding: bytes) {
      case .stroke(let stroke)?: items.append(.stroke(stroke))
      case .image(let image)?: items.append(.image(image, payload: bytes))
      // What does not decode here is carried as it is.
      case .opaque?, nil: items.append(.element(kind: element.kind, payload: bytes))
      }
    }
    return items
  }

  func writeSVG(to file: OutputFile) throws(Failure) {
    var title = ""
    if case .success(let record) = inspection.record { title = record.title }
    let inspection = inspection
    let images: SVGExporter<Failure>.ImageSource = { image in
      guard let asset = try? inspection.asset(PageID(high: image.assetHigh, low: image.assetLow)),
        let type = ImageType(detecting: asset.bytes)
      else { return nil }
      return (asset.bytes, type)
    }
    try Self.translating { () throws(TransferError<Failure>) in
      var exporter = SVGExporter<Failure>(pages: pages.map(\.page), title: title, images: images) {
        (bytes) throws(Failure) in try file.write(bytes)
      }
      for (_, items) in pages {
        try exporter.beginPage()
        for item in items { try exporter.add(item) }
      }
      try exporter.finish()
    }
  }

  func writeNDJSON(to file: OutputFile) throws(Failure) {
    var written: Set<PageID> = []
    try Self.translating { () throws(TransferError<Failure>) in
      var exporter = NDJSONExporter<Failure> { (bytes) throws(Failure) in try file.write(bytes) }
      for (page, items) in pages {
        try exporter.beginPage(page)
        for item in items {
          if case .image(let image, _) = item {
            let id = PageID(high: image.assetHigh, low: image.assetLow)
            if written.insert(id).inserted { try writeAsset(id, &exporter) }
          }
          try exporter.add(item)
        }
      }
    }
  }

  /// The bytes of an asset; one that is missing is said, and its references stay as they are.
  private func writeAsset(
    _ id: PageID, _ exporter: inout NDJSONExporter<Failure>
  ) throws(TransferError<Failure>) {
    let asset: (bytes: [UInt8], fileExtension: String)
    do throws(StorageError) {
      asset = try inspection.asset(id)
    } catch {
      Output.error("lnote export: \(error)")
      return
    }
    let isPlain = asset.fileExtension.utf8.allSatisfy { (48...57).contains($0) || (97...122).contains($0) }
    try exporter.addAsset(id: id.description, type: isPlain ? asset.fileExtension : "bin", data: asset.bytes)
  }

  private static func translating(_ body: () throws(TransferError<Failure>) -> Void) throws(Failure) {
    do throws(TransferError<Failure>) {
      try body()
    } catch {
      switch error {
      case .format(let error): throw Failure(.damaged, "cannot export: \(error)")
      case .caller(let failure, _): throw failure
      }
    }
  }
}
