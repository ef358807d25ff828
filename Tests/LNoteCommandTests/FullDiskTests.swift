// SPDX-License-Identifier: Apache-2.0

import Foundation
import LNoteFormats
import Testing

@Suite struct FullDiskTests {
  /// Runs on a volume of 256 KB that goes afterwards; says so when there is no right to make one.
  private func onSmallVolume(_ body: (Scratch) throws -> Void) throws {
    let scratch = try Scratch()
    let mounted = try Command.shell("mount -t tmpfs -o size=256k none .", in: scratch)
    guard mounted.code == 0 else {
      print("skipped: no right to mount a small volume")
      return
    }
    defer { _ = try? Command.shell("umount -l '\(scratch.path)'", in: Scratch()) }
    try body(scratch)
  }

  private func fill(_ scratch: Scratch, leaving bytes: Int) throws {
    let run = try Command.shell(
      "dd if=/dev/zero of=filler bs=4096 2>/dev/null; truncate -s -\(bytes) filler; stat -c %s filler",
      in: scratch)
    #expect(run.code == 0, "\(run.errors)")
  }

  @Test func whatCouldNotBeMadeDurableKeepsItsPlaceAndIsCoveredByALaterSync() throws {
    try onSmallVolume { volume in
      let document = volume / "d.lnote"
      let session = try ApplyProcess(document, "--create")
      let page = try #require(try session.ask(#"{"op":"addPage","width":1,"height":1}"#)["page"]?.string)
      try fill(volume, leaving: 16_384)
      var random = SeededGenerator(state: seed)
      var expected: [String] = []
      var acknowledged = 0
      var failed = 0
      for index in 1...200 {
        let payload = Data(random.bytes(300)).base64EncodedString()
        let answer = try session.ask(#"{"op":"append","page":"\#(page)","kind":200,"payload":"\#(payload)"}"#)
        // The page has it in either case, under the next id and commit.
        #expect(
          answer["id"]?.int == Int64(index) && answer["commit"]?.int == Int64(index),
          "seed \(seed): \(answer)")
        expected.append(payload)
        if answer.isOK {
          acknowledged = index
        } else {
          failed += 1
          #expect(answer["applied"] == .bool(true) && answer.errorCode == "noSpace", "\(answer)")
        }
      }
      #expect(acknowledged > 0 && failed > 20)
      #expect(try session.ask(#"{"op":"sync"}"#).errorCode == "noSpace")
      let page2 = try session.ask(#"{"op":"addPage","width":1,"height":1}"#)
      #expect(page2.errorCode == "noSpace" && page2["applied"] == .bool(false), "\(page2)")
      // Another process sees what was acknowledged, and perhaps a little more.
      let seen = try payloads(document)
      #expect(seen.count >= acknowledged && seen == Array(expected.prefix(seen.count)), "seed \(seed)")

      try FileManager.default.removeItem(atPath: volume / "filler")
      #expect(try session.ask(#"{"op":"sync","page":"\#(page)"}"#)["durable"]?.int == 200)
      session.kill()
      #expect(try payloads(document) == expected)
      #expect(try Command.run("check", document).code == 0)
    }
  }

  @Test func whatDoesNotFitLeavesNothingBehind() throws {
    try onSmallVolume { volume in
      let elsewhere = try Scratch()
      var random = SeededGenerator(state: seed)
      let lines = (0..<40).map { _ in
        #"{"kind":200,"payload":"\#(Data(random.bytes(9_000)).base64EncodedString())"}"#
      }
      try elsewhere.write("in.ndjson", lines.joined(separator: "\n"))
      expectSentence(
        try Command.run("import", elsewhere / "in.ndjson", "-o", volume / "x.lnote"), 74, "no space left")
      #expect(try volume.names().isEmpty)

      #expect(try Command.run("import", elsewhere / "in.ndjson", "-o", elsewhere / "x.lnote").code == 0)
      expectSentence(
        try Command.run("export", elsewhere / "x.lnote", "-o", volume / "x.ndjson"), 74, "no space left")
      #expect(try volume.names().isEmpty)
    }
  }

  private func payloads(_ document: String) throws -> [String] {
    let page = try #require(try Command.run("dump", document).json()["pages"]?.array?.first)
    return (page["elements"]?.array ?? []).compactMap { $0["payload"]?.string }
  }
}
