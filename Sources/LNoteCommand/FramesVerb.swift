// SPDX-License-Identifier: Apache-2.0

import LNote
import PageJournal

enum FramesVerb: Verb {
  static let name = "frames"
  static let summary = "list the frames of a page's file"
  static let help = """
    usage: lnote frames FILE [--json]

    FILE is a snapshot (.content) or a journal. A line for each frame: offset, payload length, crc, type,
    whether it carries the synced mark, and the first bytes of its payload. Where the frames end before
    the file does, the line says what stands there instead, and whole frames behind it are listed.
    Exits 65 when there is damage.
    """
  static let flags: Set<String> = ["--json"]
  static let options: Set<String> = []

  static func run(_ arguments: Arguments) throws(Failure) -> ExitCode {
    let path = try arguments.input("the file")
    let bytes = try attempt { () throws(StorageError) in
      try PosixFileSystem().contents(of: path, limit: PageLimits.file)
    }
    let listing = FrameListing(bytes)
    guard listing.kind != .unknown || isNamedLikePageFile(path) else {
      throw Failure(.noInput, "\(path): \(listing.header)")
    }
    if arguments.has("--json") {
      Output.json(json(listing, bytes), pretty: true)
    } else {
      Output.line(listing.header)
      for frame in listing.frames { Output.line(line(frame, bytes)) }
      switch listing.stop {
      case .end: break
      case .zeros:
        Output.line("\(listing.stopOffset): zeros to the end of the file, \(bytes.count)")
      case .bad:
        if listing.kind != .unknown { Output.line(BadFrame(bytes, listing.stopOffset).line) }
        Output.line(
          "\(listing.stopOffset): \(Output.count(bytes.count - listing.stopOffset, "byte")) to the end that are no "
            + "valid frames")
      }
      for run in listing.behind {
        Output.line(
          "\(run.start): \(Output.count(run.frames, "whole frame")) behind the damage, to \(run.end)"
            + (run.isMarked ? ", with a synced mark" : ""))
      }
      if listing.searchGaveUp { Output.line("the search behind the damage was ended early") }
    }
    return listing.stop == .bad || (listing.kind == .unknown && listing.stop != .zeros) ? .damaged : .ok
  }

  private static func isNamedLikePageFile(_ path: String) -> Bool {
    let name = path.split(separator: "/").last ?? ""
    return PageID(name.prefix(36)) != nil
  }

  private static func line(_ frame: Frame, _ bytes: [UInt8]) -> String {
    let first = firstBytes(frame.payload, bytes)
    return
      "\(frame.offset): length \(frame.payload.count), crc ok, \(name(frame))\(frame.isMarked ? ", marked" : "")"
      + (first.isEmpty ? "" : ": \(first)\(frame.payload.count > 16 ? " …" : "")")
  }

  /// What stands where a frame should be.
  private struct BadFrame {
    let line: String
    let value: Value

    init(_ bytes: [UInt8], _ offset: Int) {
      let left = bytes.count - offset
      guard left >= FrameLayout.prefix else {
        line = "\(offset): \(Output.count(left, "byte")), too few for a frame"
        value = .object([("offset", .integer(offset)), ("crc", .text("bad"))])
        return
      }
      var length = 0
      for place in (0..<4).reversed() { length = length << 8 | Int(bytes[offset + place]) }
      let type = bytes[offset + 8]
      let isMarked = type & FrameLayout.syncedMark != 0
      let begin = offset + FrameLayout.prefix
      let first = firstBytes(begin..<min(begin + length, bytes.count), bytes)
      let kind = FramesVerb.name(type)
      line =
        "\(offset): length \(length)\(length > left - FrameLayout.prefix ? " (past the end)" : ""), crc bad, \(kind)"
        + "\(isMarked ? ", marked" : "")\(first.isEmpty ? "" : ": \(first)\(length > 16 ? " …" : "")")"
      value = .object([
        ("offset", .integer(offset)), ("length", .integer(length)), ("crc", .text("bad")),
        ("type", .text(kind)), ("marked", .bool(isMarked)), ("first", .text(first)),
      ])
    }
  }

  private static func name(_ frame: Frame) -> String { name(frame.typeByte) }

  private static func name(_ typeByte: UInt8) -> String {
    let isSkippable = typeByte & FrameLayout.skippable != 0
    let number = typeByte & FrameLayout.typeMask
    if !isSkippable, let type = FrameType(rawValue: number) { return "\(type)" }
    return "unknown type \(number)\(isSkippable ? " (skippable)" : "")"
  }

  private static func firstBytes(_ range: Range<Int>, _ bytes: [UInt8]) -> String {
    bytes[range].prefix(16).map { byte in
      let text = String(byte, radix: 16)
      return text.utf8.count == 1 ? "0" + text : text
    }.joined(separator: " ")
  }

  private static func json(_ listing: FrameListing, _ bytes: [UInt8]) -> Value {
    var frames = listing.frames.map { frame in
      Value.object([
        ("offset", .integer(frame.offset)), ("length", .integer(frame.payload.count)), ("crc", .text("ok")),
        ("type", .text(name(frame))), ("marked", .bool(frame.isMarked)),
        ("first", .text(firstBytes(frame.payload, bytes))),
      ])
    }
    if listing.stop == .bad, listing.kind != .unknown {
      frames.append(BadFrame(bytes, listing.stopOffset).value)
    }
    let behind = listing.behind.map { run in
      Value.object([
        ("offset", .integer(run.start)), ("end", .integer(run.end)), ("frames", .integer(run.frames)),
        ("marked", .bool(run.isMarked)),
      ])
    }
    let stop = listing.stop == .end ? "end" : listing.stop == .zeros ? "zeros" : "bad"
    return .object([
      ("schema", .integer(1)), ("kind", .text(listing.kind.rawValue)), ("header", .text(listing.header)),
      ("frames", .list(frames)),
      ("stop", .object([("offset", .integer(listing.stopOffset)), ("what", .text(stop))])),
      ("behind", .list(behind)),
    ])
  }
}
