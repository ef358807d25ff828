// SPDX-License-Identifier: Apache-2.0

/// Reads the unpacked XML of Xournal and Xournal++ documents, item by item. Layers are merged in their order.
struct XournalReader: ItemSource {
  private var xml: XMLReader
  private let file: String
  private var page = 0
  /// Items of an element that gave more than one, the next one last.
  private var waiting: [ImportItem] = []

  /// Reads as far as the root element; throws where that is another app's, or the file no XML.
  init(_ bytes: [UInt8], file: String) throws(FormatError) {
    xml = XMLReader(bytes, file: file)
    self.file = file
    guard case .start(let root)? = try xml.next() else {
      throw FormatError(.malformed, file: file, cause: "this is no XML document")
    }
    guard root == "xournal" else {
      let noun = FileKind.document(root: root) ?? "an XML document of another kind (<\(root.prefix(40))>)"
      throw FormatError(
        .unsupported, file: file, cause: "this is \(noun), which cannot be imported; \(Importer.advice)")
    }
  }

  var line: Int { xml.line }

  mutating func next() throws(FormatError) -> ImportItem? {
    while true {
      if let item = waiting.popLast() { return item }
      guard let event = try xml.next() else {
        guard page > 0 else { throw FormatError(.empty, file: file, cause: "the document has no pages") }
        return nil
      }
      if case .start(let element) = event { waiting = try items(of: element).reversed() }
    }
  }

  private mutating func items(of element: String) throws(FormatError) -> [ImportItem] {
    switch element {
    case "page": return [try beginPage()]
    case "layer": return []
    case "stroke": return try stroke()
    case "image": return [try image()]
    case "background": return try background()
    case "title": return try title()
    case "preview":
      _ = try content()
      return []
    case "text": return [try skip("text", "typed text is not supported")]
    case "teximage": return [try skip("formula", "formulas are not supported")]
    default: return [try skip("<\(element.prefix(40))>", "this element is not known")]
    }
  }

  private var here: Int? { page > 0 ? page : nil }

  private mutating func skip(_ what: String, _ reason: String) throws(FormatError) -> ImportItem {
    _ = try content()
    return .skipped(what: what, reason: reason, page: here)
  }

  /// The text of the element that just began, up to its end; elements inside of it are passed over.
  private mutating func content() throws(FormatError) -> [UInt8] {
    let outside = xml.depth - 1
    var text: [UInt8] = []
    while let event = try xml.next() {
      switch event {
      case .text(let range, let verbatim):
        if xml.depth == outside + 1 { text += try xml.text(range, verbatim: verbatim) }
      case .end:
        if xml.depth == outside { return text }
      case .start:
        break
      }
    }
    return text
  }

  private mutating func beginPage() throws(FormatError) -> ImportItem {
    page += 1
    guard page <= pageLimit else { throw xml.fault("there are more than \(pageLimit) pages", .tooLarge) }
    guard let width = try number("width"), let height = try number("height"), isPageLength(width),
      isPageLength(height)
    else {
      throw xml.fault("page \(page) has no size, or one that no page has")
    }
    return .pageSize(page: page, width: width, height: height)
  }

  private func number(_ name: StaticString) throws(FormatError) -> Double? {
    guard let text = try xml.attribute(name), let numbers = try? DecimalReading.list(text) else { return nil }
    return numbers.count == 1 ? numbers[0] : nil
  }

  private mutating func stroke() throws(FormatError) -> [ImportItem] {
    var source = XournalStroke.Source(
      tool: try xml.string("tool"), color: try xml.string("color"), width: try xml.attribute("width"),
      pressures: try xml.attribute("pressures"), fill: try xml.string("fill"), style: try xml.string("style"))
    source.points = try content()
    guard page > 0 else {
      return [.skipped(what: "stroke", reason: "it is outside of all pages", page: nil)]
    }
    do {
      let read = try XournalStroke(source)
      return [.stroke(page: page, read.stroke)]
        + read.lost.map { .simplified(what: $0.what, reason: $0.reason, page: page) }
    } catch {
      return [.skipped(what: "stroke", reason: error.reason, page: page)]
    }
  }

  private mutating func image() throws(FormatError) -> ImportItem {
    let left = try number("left")
    let top = try number("top")
    let right = try number("right")
    let bottom = try number("bottom")
    let text = try content()
    guard page > 0, let left, let top, let right, let bottom, right > left, bottom > top else {
      return .skipped(what: "image", reason: "it has no place on a page", page: here)
    }
    guard let data = Base64.decoded(text), !data.isEmpty else {
      return .skipped(what: "image", reason: "its data is not Base64", page: here)
    }
    let placement = ImagePlacement(x: left, y: top, width: right - left, height: bottom - top)
    return .image(page: page, placement, data: data, type: ImageType(detecting: data))
  }

  private mutating func background() throws(FormatError) -> [ImportItem] {
    let type = try xml.string("type") ?? "solid"
    _ = try content()
    switch type {
    case "solid": return []
    case "pdf": return [.skipped(what: "PDF background", reason: "it is in another file", page: here)]
    case "pixmap": return [.skipped(what: "image background", reason: "it is in another file", page: here)]
    default:
      return [.skipped(what: "background \(type.prefix(40))", reason: "this kind is not known", page: here)]
    }
  }

  /// The title, unless it is the sentence that the apps write into every file.
  private mutating func title() throws(FormatError) -> [ImportItem] {
    let text = try content()
    let words = text.split(whereSeparator: isWhiteSpace).map { String(decoding: $0, as: UTF8.self) }
    let title = words.joined(separator: " ")
    let isBoilerplate = title.hasPrefix("Xournal") && title.contains("document - see")
    return title.isEmpty || isBoilerplate ? [] : [.title(title)]
  }
}
