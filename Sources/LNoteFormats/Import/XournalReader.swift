// SPDX-License-Identifier: Apache-2.0

internal import PageJournal
import InkElements

/// Reads the unpacked XML of Xournal and Xournal++ documents, item by item. Layers are merged in their order.
final class XournalReader: XMLHandler {
  /// An element whose text or end has to be seen before it means anything.
  private struct Leaf {
    var name: String
    var attributes: [String: String]
    /// How many elements are open outside of it.
    var depth: Int
    /// Text directly inside of it, where that is wanted.
    var text: [UInt8] = []
  }

  private let file: String
  private var sink: ItemSink?
  private(set) var wantsMore = true
  private var depth = 0
  private var page = 0
  /// Layers of the present page that hold something.
  private var layers = 0
  private var layerIsEmpty = true
  private var leaf: Leaf?

  private init(file: String, sink: @escaping ItemSink) {
    self.file = file
    self.sink = sink
  }

  /// Hands every item to the sink. Throws where the file is another app's, or no sound XML.
  static func read(_ bytes: [UInt8], file: String, _ sink: ItemSink) throws(FormatError) {
    try withoutActuallyEscaping(sink) { (sink) throws(FormatError) in
      let reader = XournalReader(file: file, sink: sink)
      // Nothing may hold the closure any longer, not even a parser that lets go of its delegate late.
      defer { reader.sink = nil }
      try XMLReader.read(bytes, file: file, into: reader)
      guard reader.page > 0 || !reader.wantsMore else {
        throw FormatError(.empty, file: file, cause: "the document has no pages")
      }
    }
  }

  func begin(_ element: String, _ attributes: [String: String], line: Int) throws(FormatError) {
    defer { depth += 1 }
    guard depth > 0 else { return try root(element, line: line) }
    guard leaf == nil else { return }
    switch element {
    case "page": try beginPage(attributes, line: line)
    case "layer": layerIsEmpty = true
    default: leaf = Leaf(name: element, attributes: attributes, depth: depth)
    }
  }

  func text(_ piece: some Sequence<UInt8>) {
    guard let name = leaf?.name, leaf?.depth == depth - 1 else { return }
    // Typed text and previews may be long, and nobody reads them.
    if ["stroke", "image", "title"].contains(name) { leaf?.text += piece }
  }

  func end(_ element: String, line: Int) throws(FormatError) {
    depth -= 1
    if let ended = leaf {
      guard ended.depth == depth else { return }
      leaf = nil
      if ["stroke", "image", "text", "teximage"].contains(ended.name) { countLayer() }
      for item in items(of: ended) { hand(item, line) }
    } else if element == "page", layers > 1 {
      hand(.simplified(what: "\(layers) layers", reason: "pages here have one", page: page), line)
    }
  }

  private func countLayer() {
    if layerIsEmpty { layers += 1 }
    layerIsEmpty = false
  }

  private func hand(_ item: ImportItem, _ line: Int) {
    if wantsMore, let sink { wantsMore = sink(item, line) }
  }

  private func root(_ element: String, line: Int) throws(FormatError) {
    // MrWriter writes what Xournal does, under a name of its own.
    guard element != "xournal", element != "MrWriter" else { return }
    let noun = FileKind.document(root: element) ?? "an XML document of another kind (<\(element.prefix(40))>)"
    throw FormatError(
      .unsupported, file: file, cause: "this is \(noun), which cannot be imported; \(Importer.advice)")
  }

  private func beginPage(_ attributes: [String: String], line: Int) throws(FormatError) {
    page += 1
    layers = 0
    layerIsEmpty = true
    guard page <= pageLimit else {
      throw FormatError(.tooLarge, file: file, line: line, cause: "there are more than \(pageLimit) pages")
    }
    guard let width = Self.number(attributes["width"]), let height = Self.number(attributes["height"]),
      isPageLength(width), isPageLength(height)
    else {
      throw FormatError(
        .malformed, file: file, line: line, cause: "page \(page) has no size, or one that no page has")
    }
    hand(.pageSize(page: page, width: width, height: height), line)
  }

  private static func number(_ text: String?) -> Double? {
    guard let text, let numbers = try? DecimalReading.list(Array(text.utf8)) else { return nil }
    return numbers.count == 1 ? numbers[0] : nil
  }

  private var here: Int? { page > 0 ? page : nil }

  private func items(of leaf: Leaf) -> [ImportItem] {
    switch leaf.name {
    case "stroke": return stroke(leaf)
    case "image": return [image(leaf)]
    case "background": return background(leaf.attributes)
    case "title": return title(leaf.text)
    case "preview": return []
    case "text": return [skipped("text", "typed text is not supported")]
    case "teximage": return [skipped("formula", "formulas are not supported")]
    case "audio", "timestamp": return [skipped("recording", "sound is not supported")]
    default: return [skipped("<\(leaf.name.prefix(40))>", "this element is not known")]
    }
  }

  private func skipped(_ what: String, _ reason: String) -> ImportItem {
    .skipped(what: what.plainLine, reason: reason.plainLine, page: here)
  }

  private func stroke(_ leaf: Leaf) -> [ImportItem] {
    guard page > 0 else { return [skipped("stroke", "it is outside of all pages")] }
    do {
      let read = try XournalStroke(leaf.attributes, points: leaf.text)
      return [.stroke(page: page, read.stroke)]
        + read.lost.map { .simplified(what: $0.what, reason: $0.reason, page: page) }
    } catch {
      return [skipped("stroke", error.reason)]
    }
  }

  private func image(_ leaf: Leaf) -> ImportItem {
    let edges = ["left", "top", "right", "bottom"].compactMap { Self.number(leaf.attributes[$0]) }
    guard page > 0, edges.count == 4, edges[0] != edges[2], edges[1] != edges[3] else {
      return skipped("image", "it has no place on a page")
    }
    guard let data = Base64.decoded(leaf.text) else { return skipped("image", "its data is not Base64") }
    guard !data.isEmpty else { return skipped("image", "its data is not in this file") }
    // An image that was pulled over its own edge stands the wrong way round.
    let placement = ImagePlacement(
      x: min(edges[0], edges[2]), y: min(edges[1], edges[3]), width: abs(edges[2] - edges[0]),
      height: abs(edges[3] - edges[1]))
    return .image(page: page, placement, data: data, type: ImageType(detecting: data))
  }

  private func background(_ attributes: [String: String]) -> [ImportItem] {
    let type = attributes["type"] ?? "solid"
    switch type {
    case "solid": return []
    case "pdf": return [skipped("PDF background", "it is in another file")]
    case "pixmap": return [skipped("image background", "it is in another file")]
    default: return [skipped("background \(type.prefix(40))", "this kind is not known")]
    }
  }

  /// The title, unless it is the sentence that the apps write into every file.
  private func title(_ text: [UInt8]) -> [ImportItem] {
    let words = text.split(whereSeparator: isWhiteSpace).map { String(decoding: $0, as: UTF8.self) }
    let title = words.joined(separator: " ")
    return title.isEmpty || title.contains("document - see") ? [] : [.title(title)]
  }
}
