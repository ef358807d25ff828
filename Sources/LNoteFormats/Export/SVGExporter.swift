// SPDX-License-Identifier: Apache-2.0

public import InkElements

/// Draws pages as one SVG document, below one another.
///
/// Call `beginPage` for each page that was given to `init`, in that order, `add` for its elements, and
/// `finish` at the end. Only a page's own output is ever in memory. Coordinates have at most two decimals.
/// Elements that have no picture are counted in a comment. Not for use by several threads at once.
public struct SVGExporter<Failure: Error> {
  /// The bytes of an image's file, and their type; nil where they cannot be had.
  public typealias ImageSource = (ImageElement) -> (data: [UInt8], type: ImageType)?

  private let sink: ([UInt8]) throws(Failure) -> Void
  private let images: ImageSource
  private let pages: [ExportPage]
  private let title: String
  private let layout: SVGLayout
  private var index = -1
  private var unseen: [UInt8: Int] = [:]
  private var buffer: [UInt8] = []

  /// Makes an exporter that hands UTF-8 text to `sink`, about 64 KiB at a time.
  ///
  /// `gap` points of room separate the pages. An image is a dashed frame with its asset's id where `images`
  /// has no bytes for it.
  public init(
    pages: [ExportPage], title: String = "", gap: Double = 24, images: @escaping ImageSource = { _ in nil },
    to sink: @escaping ([UInt8]) throws(Failure) -> Void
  ) {
    self.pages = pages
    self.title = title
    self.images = images
    self.sink = sink
    layout = SVGLayout(pages, gap: gap)
  }

  /// Begins the next page. Throws `.format` (unsupported) for one page too many or one whose size cannot be
  /// drawn.
  public mutating func beginPage() throws(TransferError<Failure>) {
    if index < 0 { begin() } else { endPage() }
    guard index + 1 < pages.count else {
      throw .format(FormatError(.unsupported, cause: "more pages were begun than the drawing was made for"))
    }
    index += 1
    let page = pages[index]
    guard let width = SVGLength.hundredths(page.width), let height = SVGLength.hundredths(page.height),
      width > 0, height > 0, let top = SVGLength.hundredths(layout.tops[index])
    else {
      throw .format(
        FormatError(.unsupported, cause: "the size of page \(page.number) or its place cannot be drawn"))
    }
    write("<g id=\"page\(page.number)\" transform=\"translate(0 \(SVGLength.text(top)))\">\n")
    write("<rect width=\"\(SVGLength.text(width))\" height=\"\(SVGLength.text(height))\"")
    write(" fill=\"#fff\" stroke=\"#bbb\" stroke-width=\".5\"/>\n")
    try drain(above: 1 << 16)
  }

  /// Draws an element on the page. Throws `.format` (unsupported) for values that cannot be drawn or where no
  /// page was begun; nothing of the element is drawn then, and the drawing can go on.
  public mutating func add(_ item: ExportItem) throws(TransferError<Failure>) {
    guard index >= 0 else {
      throw .format(FormatError(.unsupported, cause: "an element was drawn before its page was begun"))
    }
    switch item {
    case .stroke(let stroke):
      do throws(FormatError) {
        try SVGStroke.append(stroke, page: pages[index].number, to: &buffer)
      } catch {
        throw .format(error)
      }
    case .image(let image, _):
      do throws(FormatError) {
        buffer += try SVGImage.element(image, data: images(image), page: pages[index].number)
      } catch {
        throw .format(error)
      }
    case .element(let kind, _):
      unseen[kind, default: 0] += 1
    }
    try drain(above: 1 << 16)
  }

  /// Ends the document. Pages that were not begun stay empty space.
  public mutating func finish() throws(TransferError<Failure>) {
    if index < 0 { begin() } else { endPage() }
    write("</g>\n</svg>\n")
    try drain(above: 0)
  }

  private mutating func begin() {
    let size = "width=\"\(layout.width)pt\" height=\"\(layout.height)pt\""
    write("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
    write("<svg xmlns=\"http://www.w3.org/2000/svg\" \(size) viewBox=\"\(layout.viewBox)\">\n")
    if !title.isEmpty { write("<title>\(XMLText.escaped(title))</title>\n") }
    write("<g fill=\"none\" stroke=\"#000\" stroke-linecap=\"round\" stroke-linejoin=\"round\">\n")
  }

  private mutating func endPage() {
    for (kind, count) in unseen.sorted(by: { $0.key < $1.key }) {
      write("<!-- not drawn: \(count) element\(count == 1 ? "" : "s") of kind \(kind) -->\n")
    }
    unseen.removeAll()
    write("</g>\n")
  }

  private mutating func write(_ text: String) { buffer += text.utf8 }

  private mutating func drain(above size: Int) throws(TransferError<Failure>) {
    guard buffer.count > size else { return }
    do throws(Failure) { try sink(buffer) } catch { throw .caller(error, line: nil) }
    buffer.removeAll(keepingCapacity: true)
  }
}

/// Where the pages of a drawing are.
struct SVGLayout {
  /// The top edge of each page, in points.
  private(set) var tops: [Double] = []
  private var left = 0.0, right = 1.0, bottom = 0.0

  init(_ pages: [ExportPage], gap: Double) {
    let gap = gap.isFinite ? max(gap, 0) : 0
    for (index, page) in pages.enumerated() {
      if index > 0 { bottom += gap }
      let ink = page.ink.flatMap { $0.isEmpty ? nil : $0 }
      let above = max(-(ink?.minY ?? 0), 0).rounded(.up)
      tops.append(bottom + above)
      bottom += above + max(page.height, ink?.maxY ?? 0)
      left = min(left, (ink?.minX ?? 0).rounded(.down))
      right = max(right, page.width, ink?.maxX ?? 0)
    }
  }

  /// All texts are lengths with at most two decimals; sizes that cannot be drawn count as 1 here, and
  /// their pages are refused.
  var width: String { Self.text(right - left) }
  var height: String { Self.text(max(bottom, 1)) }
  var viewBox: String { "\(Self.text(left, or: 0)) 0 \(width) \(height)" }

  private static func text(_ value: Double, or other: Int64 = 100) -> String {
    SVGLength.text(SVGLength.hundredths(value) ?? other)
  }
}
