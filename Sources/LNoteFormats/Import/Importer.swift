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
    var opened: (source: any ItemSource, trailing: Int)
    do throws(FormatError) {
      opened = try open(bytes, name: name)
    } catch {
      throw .format(error)
    }
    if opened.trailing > 0 {
      let item = ImportItem.skipped(
        what: "\(opened.trailing) bytes behind the compressed data", reason: "they belong to nothing",
        page: nil)
      do throws(Failure) { try yield(item) } catch { throw .caller(error, line: nil) }
    }
    while true {
      let item: ImportItem?
      do throws(FormatError) { item = try opened.source.next() } catch { throw .format(error) }
      guard let item else { return }
      do throws(Failure) { try yield(item) } catch { throw .caller(error, line: opened.source.line) }
    }
  }

  private func open(
    _ packed: [UInt8], name: String
  ) throws(FormatError) -> (source: any ItemSource, trailing: Int) {
    guard !packed.isEmpty else { throw FormatError(.empty, file: name, cause: "the file is empty") }
    var bytes = packed
    var trailing = 0
    if Gunzip.isGzip(packed) {
      (bytes, trailing) = try Gunzip.inflated(packed, file: name, limit: limit)
      guard !bytes.isEmpty else {
        throw FormatError(.empty, file: name, cause: "the compressed file holds nothing")
      }
    }
    guard bytes.count <= limit.bytes else {
      throw FormatError(
        .tooLarge, file: name, cause: "the file has \(bytes.count) bytes, and at most \(limit.bytes) are read"
      )
    }
    switch FileKind(bytes) {
    case .xml:
      return (try XournalReader(bytes, file: name), trailing)
    case .json:
      return (StrokeLinesReader(bytes, file: name), trailing)
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
