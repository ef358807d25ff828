// SPDX-License-Identifier: Apache-2.0

import Foundation
import LNoteFormats
import Testing

/// A running `lnote apply` that is spoken to line by line.
final class ApplyProcess {
  let process = Process()
  private let requests = Pipe()
  private let responses = Pipe()
  private var rest = Data()

  init(_ document: String, _ options: String...) throws {
    process.executableURL = URL(filePath: Command.binary)
    process.arguments = ["apply", document] + options
    process.standardInput = requests
    process.standardOutput = responses
    process.standardError = FileHandle.nullDevice
    try process.run()
    // Whatever hangs ends as a failure of the test, not as a test that never ends.
    let watched = process
    DispatchQueue.global().asyncAfter(deadline: .now() + 60) {
      if watched.isRunning { watched.terminate() }
    }
  }

  /// Sends a line and waits for its answer before anything more is sent.
  func ask(_ line: String) throws -> JSONValue {
    try requests.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    while true {
      if let end = rest.firstIndex(of: 0x0A) {
        let answer = Data(rest[..<end])
        rest = Data(rest[(end + 1)...])
        return try JSONValue(parsing: [UInt8](answer))
      }
      let more = responses.fileHandleForReading.availableData
      if more.isEmpty { throw Silence() }
      rest += more
    }
  }

  struct Silence: Error {}

  /// Ends the input and waits.
  func end() throws -> Int32 {
    try requests.fileHandleForWriting.close()
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Ends the process as `kill -9` does.
  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}

/// A document with one page, made by the binary.
struct Fixture {
  let scratch: Scratch
  let page: String
  var document: String { scratch / "d.lnote" }

  init(strokes: Int = 0) throws {
    scratch = try Scratch()
    var lines = [#"{"op":"addPage","width":612,"height":792}"#]
    let made = try Command.run("apply", scratch / "d.lnote", "--create", input: lines[0])
    page = try #require(try made.answers().first?["page"]?.string)
    guard strokes > 0 else { return }
    lines = (0..<strokes).map { append(200, "stroke \($0)") }
    let filled = try Command.run(
      "apply", document, "--durability", "buffered", input: lines.joined(separator: "\n"))
    #expect(filled.code == 0 && filled.lines.count == strokes)
  }

  func append(_ kind: Int, _ payload: String) -> String {
    let text = Data(payload.utf8).base64EncodedString()
    return #"{"op":"append","page":"\#(page)","kind":\#(kind),"payload":"\#(text)"}"#
  }

  /// `fields` of an operation on the page.
  func line(_ operation: String, _ fields: String = "") -> String {
    #"{"op":"\#(operation)","page":"\#(page)"\#(fields.isEmpty ? "" : ",")\#(fields)}"#
  }

  func apply(_ lines: [String], _ options: String...) throws -> Run {
    try Command.run(["apply", document] + options, input: Data(lines.joined(separator: "\n").utf8))
  }

  /// The page as `dump` shows it.
  func dump(_ options: String...) throws -> JSONValue {
    let run = try Command.run(["dump", document] + options)
    #expect(run.code == 0, "\(run.errors)")
    return try #require(try run.json()["pages"]?.array?.first)
  }

  /// Payloads as text, in page order.
  func payloads() throws -> [String] {
    try #require(try dump()["elements"]?.array).map { element in
      let data = try #require(element["payload"]?.string.flatMap { Data(base64Encoded: $0) })
      return String(decoding: data, as: UTF8.self)
    }
  }

  func ids() throws -> [Int64] { try #require(try dump()["elements"]?.array).compactMap { $0["id"]?.int } }

  var pageFiles: [String] { get throws { try scratch.names("d.lnote/pages") } }
}

extension JSONValue {
  var isOK: Bool { self["ok"] == .bool(true) }
  var errorCode: String? { self["error"]?["code"]?.string }
}
