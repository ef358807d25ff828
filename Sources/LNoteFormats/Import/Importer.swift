// SPDX-License-Identifier: Apache-2.0

/// Reads the files of other note apps: Xournal++ (`.xopp`, `.xoj`, packed or not) and lines of JSON, one
/// stroke each. The format is told by the content, never by the name.
///
/// A value without state; any thread may use it.
public struct Importer: Sendable {
  /// How much a file may hold once it is unpacked.
  public var limit: DecompressionLimit

  /// Makes an importer.
  public init(limit: DecompressionLimit = .standard) {
    self.limit = limit
  }

  /// Hands everything in `bytes` to `yield`, in the order of the file.
  ///
  /// `name` is only for messages. What cannot be imported although the file is sound comes as `.skipped` or
  /// `.simplified`. Throws `.format` where the file is no sound file of a format known here, perhaps after
  /// some items were handed over (so commit at the end, or not at all), and `.caller` with what `yield`
  /// threw. Time and memory are linear in the unpacked file, which `limit` bounds.
  public func read<Failure: Error>(
    _ bytes: [UInt8], name: String, _ yield: (ImportItem) throws(Failure) -> Void
  ) throws(TransferError<Failure>) {
    var failure: TransferError<Failure>?
    func hand(_ item: ImportItem, _ line: Int?) -> Bool {
      do throws(Failure) {
        try yield(item)
        return true
      } catch {
        failure = .caller(error, line: line)
        return false
      }
    }
    do throws(FormatError) { try readItems(bytes, name: name, hand) } catch { throw .format(error) }
    if let failure { throw failure }
  }

  private func readItems(_ packed: [UInt8], name: String, _ sink: ItemSink) throws(FormatError) {
    guard !packed.isEmpty else { throw FormatError(.empty, file: name, cause: "the file is empty") }
    var bytes = packed
    if Gunzip.isGzip(packed) {
      let unpacked = try Gunzip.inflated(packed, file: name, limit: limit)
      bytes = unpacked.bytes
      guard !bytes.isEmpty else {
        throw FormatError(.empty, file: name, cause: "the compressed file holds nothing")
      }
      if unpacked.trailing > 0 {
        let item = ImportItem.skipped(
          what: "\(unpacked.trailing) bytes behind the compressed data", reason: "they belong to nothing",
          page: nil)
        guard sink(item, nil) else { return }
      }
    }
    guard bytes.count <= limit.bytes else {
      throw FormatError(
        .tooLarge, file: name, cause: "the file has \(bytes.count) bytes, and at most \(limit.bytes) are read"
      )
    }
    switch FileKind(bytes) {
    case .xml:
      try XournalReader.read(bytes, file: name, sink)
    case .json:
      var reader = StrokeLinesReader(bytes, file: name)
      while let item = try reader.next() {
        guard sink(item, reader.line) else { return }
      }
    case .foreign(let noun):
      throw FormatError(
        .unsupported, file: name, cause: "this is \(noun), which cannot be imported; \(Self.advice)")
    case .unknown:
      if FileKind.hasNothing(bytes) {
        throw FormatError(.empty, file: name, cause: "there is nothing in this file")
      }
      throw FormatError(
        .unsupported, file: name, cause: "this is no file that can be imported; \(Self.advice)")
    }
  }

  /// What can be imported.
  static let advice = "Xournal++ files (.xopp, .xoj) and lines of JSON strokes can"
}
