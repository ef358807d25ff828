// SPDX-License-Identifier: Apache-2.0

import InkElements
import LNote
import LNoteFormats
import PageJournal

/// A document that is filled from files.
struct ImportSession {
  let document: NoteDocument
  private var pages: [Page] = []
  /// Pages of files before this one.
  private var offset = 0
  private var file = ""
  private var strokes = 0
  private var samples = 0
  private var images = 0
  private var elements = 0
  /// What rewriting the page at every stroke would have written, at 16 bytes a sample.
  private var rewriteBytes = 0
  private var samplesOfPage: [PageID: Int] = [:]
  private var assets: [PageID: PageID] = [:]
  /// Pages whose size no line stated, and what is on them.
  private var unsized: [PageID: InkExtent] = [:]
  private var notes: [String: Int] = [:]
  private var noteOrder: [String] = []

  /// More pages than this come from a mistake in a page number.
  private static let pageLimit = 10_000
  /// More pages than this between one that has something on it and the next come from one too.
  private static let gapLimit = 1_000
  /// A4, for files that state no size.
  private static let standardSize = (width: 595.28, height: 841.89)
  private static let margin = 18.0

  init(_ document: NoteDocument) { self.document = document }

  var hasContent: Bool { !pages.isEmpty }

  mutating func beginFile(_ path: String) {
    file = path
    offset = pages.count
  }

  /// Ends a file: pages whose size it did not state grow to hold their ink.
  mutating func endFile() throws(Failure) {
    for (page, ink) in unsized where !ink.isEmpty {
      let width = max(Self.standardSize.width, (ink.maxX + Self.margin).rounded(.up))
      let height = max(Self.standardSize.height, (ink.maxY + Self.margin).rounded(.up))
      guard width > Self.standardSize.width || height > Self.standardSize.height else { continue }
      let (shownWidth, shownHeight) = (min(width, 1e6), min(height, 1e6))
      try attempt { () throws(StorageError) in
        try document.setPageSize(page, width: shownWidth, height: shownHeight)
      }
    }
    unsized = [:]
    for note in noteOrder {
      let count = notes[note] ?? 0
      Output.error("\(file): \(note)\(count > 1 ? " (\(count) times)" : "")")
    }
    notes = [:]
    noteOrder = []
  }

  mutating func add(_ item: ImportItem) throws(Failure) {
    switch item {
    case .title(let title):
      if document.title.isEmpty { try attempt { () throws(StorageError) in try document.setTitle(title) } }
    case .pageSize(let number, let width, let height):
      try setSize(number, width, height)
    case .stroke(let number, let stroke):
      let payload: [UInt8]
      do throws(InkError) {
        payload = try stroke.encoded()
      } catch {
        throw Failure(.damaged, "stroke \(strokes + 1): \(error.description)")
      }
      let page = try page(number)
      try write(page, InkKind.stroke, payload)
      unsized[page.id]?.add(stroke)
      strokes += 1
      samples += stroke.x.count
      samplesOfPage[page.id, default: 0] += stroke.x.count
      rewriteBytes += 16 * (samplesOfPage[page.id] ?? 0)
      if strokes % 50 == 0 { Output.progress("\(file): \(Output.count(strokes, "stroke"))") }
    case .element(let number, let kind, let payload):
      try addElement(number, kind, payload)
    case .image(let number, let placement, let data, let type):
      try addImage(number, placement, data, type)
    case .asset(let text, let data, let type):
      guard let id = PageID(text) else {
        throw Failure(.damaged, "the id of an asset, “\(text)”, is no lower-case UUID")
      }
      do throws(StorageError) {
        assets[id] = try document.addAsset(data, type: type)
      } catch {
        throw error.code == .usage ? Failure(.damaged, error.description) : Failure(error)
      }
    case .simplified(let what, let reason, let page):
      note("\(what) simplified", reason, page)
    case .skipped(let what, let reason, let page):
      note("\(what) skipped", reason, page)
    }
  }

  private mutating func note(_ what: String, _ reason: String, _ page: Int?) {
    let text = "\(page.map { "page \($0): " } ?? "")\(what): \(reason)"
    if notes[text] == nil { noteOrder.append(text) }
    notes[text, default: 0] += 1
  }

  private func write(_ page: Page, _ kind: UInt8, _ payload: [UInt8]) throws(Failure) {
    try attempt { () throws(StorageError) in
      _ = try page.append(kind: kind, payload: payload.span)
      try page.write()
    }
  }

  private mutating func addElement(_ number: Int, _ kind: UInt8, _ payload: [UInt8]) throws(Failure) {
    if kind == InkKind.image, let image = try? ImageElement(decoding: payload) {
      let id = PageID(high: image.assetHigh, low: image.assetLow)
      guard let asset = assets[id] else {
        note("image skipped", "the file does not have the bytes of its asset \(id)", number)
        return
      }
      var moved = image
      moved.assetHigh = asset.high
      moved.assetLow = asset.low
      try writeImage(number, moved)
      return
    }
    try write(try page(number), kind, payload)
    elements += 1
  }

  private mutating func addImage(
    _ number: Int, _ placement: ImagePlacement, _ data: [UInt8], _ type: ImageType?
  ) throws(Failure) {
    guard let type else {
      note("image skipped", "its bytes are of no known type", number)
      return
    }
    let asset = try attempt { () throws(StorageError) in try document.addAsset(data, type: type.fileExtension)
    }
    try writeImage(
      number,
      ImageElement(
        assetHigh: asset.high, assetLow: asset.low, x: placement.x, y: placement.y, width: placement.width,
        height: placement.height))
  }

  private mutating func writeImage(_ number: Int, _ image: ImageElement) throws(Failure) {
    let payload: [UInt8]
    do throws(InkError) {
      payload = try image.encoded()
    } catch {
      note("image skipped", error.description, number)
      return
    }
    try write(try page(number), InkKind.image, payload)
    images += 1
  }

  private mutating func setSize(_ number: Int, _ width: Double, _ height: Double) throws(Failure) {
    let isNew = offset + number > pages.count
    if isNew, number > 1, offset + number - 1 > pages.count { _ = try page(number - 1) }
    try addPages(upTo: number, width: width, height: height)
    let page = pages[offset + number - 1]
    unsized[page.id] = nil
    guard !isNew else { return }
    do throws(StorageError) {
      try document.setPageSize(page.id, width: width, height: height)
    } catch {
      throw Failure(error.code == .usage ? .damaged : .io, error.sentence)
    }
  }

  private mutating func page(_ number: Int) throws(Failure) -> Page {
    let known = pages.count
    try addPages(upTo: number, width: Self.standardSize.width, height: Self.standardSize.height)
    for page in pages[known...] { unsized[page.id] = InkExtent() }
    return pages[offset + number - 1]
  }

  private mutating func addPages(upTo number: Int, width: Double, height: Double) throws(Failure) {
    guard number >= 1, offset + number <= Self.pageLimit else {
      throw Failure(.damaged, "page \(number) of \(file): at most \(Self.pageLimit) pages are imported")
    }
    guard offset + number - pages.count <= Self.gapLimit else {
      throw Failure(
        .damaged,
        "page \(number) of \(file) follows page \(pages.count - offset): at most \(Self.gapLimit) pages are left empty"
      )
    }
    while pages.count < offset + number {
      try Interruption.check()
      do throws(StorageError) {
        pages.append(try document.addPage(width: width, height: height))
      } catch {
        throw error.code == .usage ? Failure(.damaged, error.sentence) : Failure(error)
      }
    }
  }

  // MARK: Summary

  func printSummary(_ output: String, journalBytes: Int, written: MeteredFileSystem.Count) {
    var parts = [Output.count(strokes, "stroke"), Output.count(samples, "sample")]
    if images > 0 { parts.append(Output.count(images, "image")) }
    if elements > 0 { parts.append(Output.count(elements, "other element")) }
    Output.line("\(output): \(parts.joined(separator: ", ")) on \(Output.count(pages.count, "page"))")
    let atRest = FolderSize.bytes("\(output)/pages")
    Output.line("pages at rest: \(Output.count(atRest, "byte"))\(perSample(atRest))")
    Output.line(
      "written: \(Output.count(journalBytes, "byte")) of journal\(perSample(journalBytes)), "
        + "\(Output.count(written.snapshot, "byte")) of snapshot at the close")
    let total = written.journal + written.snapshot
    guard rewriteBytes > 0, total > 0 else { return }
    let times = rewriteBytes / total
    Output.line(
      "rewriting the page at every stroke, at 16 bytes a sample: \(Output.count(rewriteBytes, "byte"))"
        + (times > 1 ? ", \(Output.grouped(times)) times as many" : ""))
  }

  private func perSample(_ bytes: Int) -> String {
    guard samples > 0 else { return "" }
    let hundredths = bytes * 100 / samples
    let fraction = hundredths % 100
    return " (\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) a sample)"
  }
}
