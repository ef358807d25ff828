// SPDX-License-Identifier: Apache-2.0

import LNote
import PageJournal

enum FramesVerb: Verb {
  static let name = "frames"
  static let summary = "list the frames of a page's file"
  static let help = """
    usage: lnote frames FILE [--json]

    FILE is a snapshot (.content) or a journal. A line for each frame: offset, payload length, crc, type, whether it
    carries the synced mark, and the first bytes of its payload. What is not a frame is said, and whole frames behind it
    are listed.
    """
  static let flags: Set<String> = ["--json"]
  static let options: Set<String> = []

  static func run(_ arguments: Arguments) throws(Failure) -> ExitCode {
    let path = try arguments.only("file")
    let bytes = try attempt { () throws(StorageError) in
      try PosixFileSystem().contents(of: path, limit: PageLimits.file)
    }
    let listing = FrameListing(bytes)
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
        Output.line(
          "\(listing.stopOffset): crc bad or no frame; \(bytes.count - listing.stopOffset) bytes to the end")
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

  private static func line(_ frame: Frame, _ bytes: [UInt8]) -> String {
    let first = firstBytes(frame, bytes)
    return
      "\(frame.offset): length \(frame.payload.count), crc ok, \(name(frame))\(frame.isMarked ? ", marked" : "")"
      + (first.isEmpty ? "" : ": \(first)\(frame.payload.count > 16 ? " …" : "")")
  }

  private static func name(_ frame: Frame) -> String {
    if let type = frame.type { return "\(type)" }
    return "unknown type \(frame.typeByte & FrameLayout.typeMask)\(frame.isSkippable ? " (skippable)" : "")"
  }

  private static func firstBytes(_ frame: Frame, _ bytes: [UInt8]) -> String {
    bytes[frame.payload].prefix(16).map { byte in
      let text = String(byte, radix: 16)
      return text.count == 1 ? "0" + text : text
    }.joined(separator: " ")
  }

  private static func json(_ listing: FrameListing, _ bytes: [UInt8]) -> JSON {
    .object([
      "schema": .integer(1), "kind": .string(listing.kind.rawValue), "header": .string(listing.header),
      "frames": .array(
        listing.frames.map { frame in
          .object([
            "offset": .integer(Int64(frame.offset)), "length": .integer(Int64(frame.payload.count)),
            "crc": .string("ok"), "type": .string(name(frame)), "marked": .bool(frame.isMarked),
            "first": .string(firstBytes(frame, bytes)),
          ])
        }),
      "stop": .object([
        "offset": .integer(Int64(listing.stopOffset)),
        "what": .string(listing.stop == .end ? "end" : listing.stop == .zeros ? "zeros" : "bad"),
      ]),
      "behind": .array(
        listing.behind.map { run in
          .object([
            "offset": .integer(Int64(run.start)), "end": .integer(Int64(run.end)),
            "frames": .integer(Int64(run.frames)), "marked": .bool(run.isMarked),
          ])
        }),
    ])
  }
}
