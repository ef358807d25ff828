// SPDX-License-Identifier: Apache-2.0

import InkElements

/// Writes pages as lines of JSON that `Importer` reads back without loss: a line for each page's size, each
/// stroke, and each other element (its payload as Base64).
///
/// Numbers have as many digits as they need. What was stored comes back equal; a value within four units in
/// the last place of a decimal with six places counts as that decimal. Not for use by several threads at
/// once.
public struct NDJSONExporter<Failure: Error> {
  private let sink: ([UInt8]) throws(Failure) -> Void
  private var page = 1
  private var buffer: [UInt8] = []

  /// Makes an exporter that hands each line (UTF-8, with its line feed) to `sink`.
  public init(to sink: @escaping ([UInt8]) throws(Failure) -> Void) {
    self.sink = sink
  }

  /// Writes the size of a page; the elements that follow are on it.
  public mutating func beginPage(_ page: ExportPage) throws(TransferError<Failure>) {
    self.page = page.number
    guard page.width.isFinite, page.height.isFinite else {
      throw .format(Self.nonFinite("the size", page.number))
    }
    begin()
    write(",\"pageSize\":[")
    DecimalWriting.appendShortest(page.width, to: &buffer)
    write(",")
    DecimalWriting.appendShortest(page.height, to: &buffer)
    write("]")
    try end()
  }

  /// Writes an element. Throws `.format` (unsupported) for a value that is not finite or columns of different
  /// lengths, and `.caller` with what the sink threw; nothing of the element is written then.
  public mutating func add(_ item: ExportItem) throws(TransferError<Failure>) {
    begin()
    switch item {
    case .stroke(let stroke):
      do throws(FormatError) { try write(stroke) } catch { throw .format(error) }
    case .image(_, let payload):
      write(kind: InkKind.image, payload)
    case .element(let kind, let payload):
      write(kind: kind, payload)
    }
    try end()
  }

  /// Writes the bytes of a file that image elements name; before them, so that an import can give it a new id.
  public mutating func addAsset(id: String, type: String, data: [UInt8]) throws(TransferError<Failure>) {
    buffer.removeAll(keepingCapacity: true)
    write("{\"asset\":\"\(id)\",\"type\":\"\(type)\",\"data\":\"")
    buffer.append(contentsOf: Base64.encoded(data))
    write("\"")
    try end()
  }

  private mutating func begin() {
    buffer.removeAll(keepingCapacity: true)
    write("{\"page\":\(page)")
  }

  private mutating func end() throws(TransferError<Failure>) {
    write("}\n")
    do throws(Failure) { try sink(buffer) } catch { throw .caller(error, line: nil) }
  }

  private mutating func write(_ text: String) { buffer += text.utf8 }

  private mutating func write(kind: UInt8, _ payload: [UInt8]) {
    write(",\"kind\":\(kind),\"payload\":\"")
    buffer += Base64.encoded(payload)
    write("\"")
  }

  private mutating func write(_ stroke: Stroke) throws(FormatError) {
    if let start = stroke.start { write(",\"start\":\(start)") }
    guard stroke.width.isFinite else { throw Self.nonFinite("the width of a stroke", page) }
    write(",\"width\":")
    DecimalWriting.appendShortest(stroke.width, to: &buffer)
    if let color = stroke.color { write(",\"color\":\"\(InkColor.text(color))\"") }
    if stroke.tool != .pen {
      write(stroke.tool.name.map { ",\"tool\":\"\($0)\"" } ?? ",\"tool\":\(stroke.tool.rawValue)")
    }
    if stroke.flags != 0 { write(",\"flags\":\(stroke.flags)") }
    if stroke.unitsPerPoint != InkLimits.defaultUnitsPerPoint { write(",\"units\":\(stroke.unitsPerPoint)") }
    let count = stroke.x.count
    try write("x", stroke.x, count: count)
    try write("y", stroke.y, count: count)
    if let radius = stroke.radius { try write("radius", radius, count: count) }
    if let pressure = stroke.pressure { try write("pressure", pressure, count: count) }
    if let time = stroke.time {
      guard time.count == count else { throw Self.shape("time", page) }
      write(",\"time\":[")
      for (index, value) in time.enumerated() {
        if index > 0 { buffer.append(UInt8(ascii: ",")) }
        DecimalWriting.append(value, to: &buffer)
      }
      write("]")
    }
    if !stroke.extra.isEmpty {
      write(",\"extra\":\"")
      buffer += Base64.encoded(stroke.extra)
      write("\"")
    }
  }

  private mutating func write(_ key: String, _ values: [Double], count: Int) throws(FormatError) {
    guard values.count == count else { throw Self.shape(key, page) }
    write(",\"\(key)\":[")
    for (index, value) in values.enumerated() {
      guard value.isFinite else { throw Self.nonFinite("\(key)[\(index)] of a stroke", page) }
      if index > 0 { buffer.append(UInt8(ascii: ",")) }
      DecimalWriting.appendShortest(value, to: &buffer)
    }
    write("]")
  }

  private static func nonFinite(_ what: String, _ page: Int) -> FormatError {
    FormatError(.unsupported, cause: "\(what) on page \(page) is not finite, which JSON cannot say")
  }

  private static func shape(_ key: String, _ page: Int) -> FormatError {
    FormatError(.unsupported, cause: "a stroke on page \(page) has another number of \(key) than of x")
  }
}
