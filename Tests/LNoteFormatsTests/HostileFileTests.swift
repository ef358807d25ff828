// SPDX-License-Identifier: Apache-2.0

import LNoteFormats
import Testing

@Suite struct HostileFileTests {
  @Test func anEmptyFileIsCalledEmpty() {
    #expect(importError([])?.code == .empty)
    #expect(importError(" \n\t\n")?.code == .empty)
    #expect(importError(gzip([]))?.code == .empty)
    #expect(importError("<xournal></xournal>")?.code == .empty)
    #expect(importError("\u{FEFF}")?.code == .empty)
  }

  @Test func aTruncatedGzipFileIsCalledTruncatedAtEveryLength() throws {
    let packed = gzip(Array(xournal("<stroke width=\"1\">1 2 3 4</stroke>").utf8))
    #expect(try importAll(packed).strokes.count == 1)
    for length in 2..<packed.count {
      let error = importError(Array(packed[..<length]))
      #expect(error?.code == .malformed, "\(length)")
      #expect(error?.cause == "the compressed data ends too early", "\(length)")
    }
  }

  @Test func aDamagedGzipFileIsRefused() {
    let packed = gzip(Array(xournal("<stroke width=\"1\">1 2 3 4</stroke>").utf8))
    for index in (packed.count - 8)..<packed.count {
      var damaged = packed
      damaged[index] ^= 1
      #expect(importError(damaged)?.cause == "the compressed data is damaged")
    }
  }

  @Test func gzipMembersAreJoinedAndWhatFollowsThemIsReported() throws {
    let text = Array(xournal("<stroke width=\"1\">1 2 3 4</stroke>").utf8)
    let members = gzip(Array(text[..<50])) + gzip([]) + gzip(Array(text[50...]))
    #expect(try importAll(members) == importAll(text))
    #expect(try importAll(members + [0, 0, 0, 0]) == importAll(text))
    let items = try importAll(members + Array("junk".utf8))
    #expect(items.skipped.first?.hasPrefix("4 bytes") == true)
    #expect(items.strokes.count == 1)
    #expect(importError(members + [0x1F, 0x8B, 0x08])?.code == .malformed)
  }

  @Test func aBombIsRefusedByRatioAndByBytes() {
    let bomb = gzip([UInt8](repeating: UInt8(ascii: " "), count: 20 << 20))
    #expect(bomb.count < 25_000)
    #expect(importError(bomb)?.code == .tooLarge)
    #expect(importError(bomb, limit: DecompressionLimit(bytes: 1 << 20, ratio: 2000))?.code == .tooLarge)
    let small = gzip([UInt8](repeating: UInt8(ascii: " "), count: 1 << 20))
    #expect(importError(small, limit: DecompressionLimit(free: 1 << 19))?.code == .tooLarge)
    #expect(importError(small, limit: DecompressionLimit(ratio: 2000, free: 1 << 19))?.code == .empty)
    #expect(importError(small)?.code == .empty)
    let plain = Array(xournal("").utf8)
    #expect(importError(plain, limit: DecompressionLimit(bytes: plain.count - 1))?.code == .tooLarge)
    #expect(importError(plain, limit: DecompressionLimit(bytes: plain.count)) == nil)
    #expect(importError(gzip(gzip(plain)))?.code == .unsupported)
  }

  @Test func entitiesAreNeitherDeclaredNorFetched() {
    let laughs = """
      <?xml version="1.0"?><!DOCTYPE xournal [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>
      <xournal><title>&b;</title></xournal>
      """
    #expect(importError(laughs)?.code == .unsupported)
    let external = "<!DOCTYPE xournal SYSTEM \"file:///etc/passwd\"><xournal><title>&b;</title></xournal>"
    #expect(importError(external)?.code == .malformed)
    #expect(importError(xournal("<stroke width=\"&w;\">1 2</stroke>"))?.code == .malformed)
  }

  @Test(arguments: [
    "<xournal", "<xournal>", "<xournal><page width=\"1\" height=\"1\">", "<xournal></page>", "<xournal a=1/>",
    "<xournal a=\"1\" a=\"2\"/>", "<xournal a=\"1\"b=\"2\"/>", "<xournal a=\"<\"/>", "<xournal/><xournal/>",
    "<xournal/>text", "<xournal><!-- </xournal>", "<xournal><![CDATA[ </xournal>", "<xournal><?pi </xournal>",
    "<?xml", "<!-- only -->", "<>", "< xournal/>", "<xournal><page/></xournal>", "<xournal></ xournal>",
    "<xournal><page width=\"0\" height=\"1\"/></xournal>",
    "<xournal><page width=\"x\" height=\"1\"/></xournal>",
    "<xournal><page width=\"1e300\" height=\"1\"/></xournal>",
  ])
  func malformedXMLIsRefusedWithItsLine(text: String) {
    let error = importError("\n" + text)
    #expect(error?.code == .malformed, "\(text): \(String(describing: error))")
    #expect(error?.line != nil)
  }

  @Test func deepXMLAndOtherEncodingsAreRefused() {
    let deep = "<xournal>" + String(repeating: "<a>", count: 100_000)
    #expect(importError(deep)?.code == .tooLarge)
    #expect(importError("<?xml version='1.0' encoding='ISO-8859-1'?><xournal/>")?.code == .unsupported)
    #expect(importError("<?xml version='1.0' encoding='UTF-8'?><xournal/>")?.code == .empty)
    #expect(importError([0xFF, 0xFE, 0x3C, 0])?.code == .unsupported)
  }

  @Test func deepJSONIsRefused() {
    #expect(importError(String(repeating: "[", count: 1_000_000))?.code == .malformed)
    #expect(importError("{\"x\":" + String(repeating: "[", count: 200))?.code == .malformed)
  }

  @Test func randomBytesGiveAnErrorAndNeverMore() {
    let seed: UInt64 = 20_240_611
    var random = SeededGenerator(seed: seed)
    for round in 0..<2_000 {
      let bytes = (0..<Int.random(in: 1...300, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      #expect(importError(bytes) != nil, "seed \(seed), round \(round)")
      #expect(importError([0x1F, 0x8B, 8, 0] + bytes) != nil, "seed \(seed), round \(round)")
    }
  }

  @Test func damagedDocumentsGiveItemsOrAnErrorAndNeverMore() {
    let seed: UInt64 = 77
    var random = SeededGenerator(seed: seed)
    let documents = [
      xournal(
        "<stroke tool=\"pen\" color=\"#00ff00ff\" width=\"1 2 3\">1 2 3 4 5 6</stroke><text>a&amp;b</text>"
      ),
      "{\"width\":2,\"x\":[1,2],\"y\":[1.5,2e1],\"pressure\":[0.5,1],\"time\":[0,5],\"tool\":\"pen\"}\n"
        + "{\"pageSize\":[10,20],\"page\":2}\n{\"kind\":130,\"payload\":\"AAEC\"}\n",
    ].map { Array($0.utf8) }
    var failures = 0
    for round in 0..<6_000 {
      var bytes = documents[round % 2]
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: index)
        case 2: bytes.insert(bytes[Int.random(in: 0..<bytes.count, using: &random)], at: index)
        default: bytes.removeSubrange(index..<min(bytes.count, index + 20))
        }
        if bytes.isEmpty { bytes = [0] }
      }
      guard let error = importError(bytes) else { continue }
      failures += 1
      #expect(!error.cause.isEmpty, "seed \(seed), round \(round)")
    }
    #expect(failures > 1_000, "seed \(seed)")
  }
}
