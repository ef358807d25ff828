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

  @Test(arguments: [
    "<!DOCTYPE xournal [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;&a;\">]><xournal><title>&b;</title></xournal>",
    "<!DOCTYPE xournal SYSTEM \"file:///etc/passwd\"><xournal><title>&b;</title></xournal>",
    "<!DOCTYPE xournal [<!ENTITY a SYSTEM \"file:///etc/hostname\">]><xournal><title>&a;</title></xournal>",
    "<!DOCTYPE xournal [<!ENTITY % a SYSTEM \"file:///etc/hostname\">%a;]><xournal/>",
    "<!DOCTYPE xournal [<!ATTLIST page width CDATA \"10\" height CDATA \"10\">]><xournal><page/></xournal>",
    "<!DOCTYPE xournal><xournal><page width=\"1\" height=\"1\"/></xournal>",
  ])
  func documentTypesAreRefusedBeforeAnyEntityCounts(text: String) {
    for start in ["", "<?xml version=\"1.0\" standalone=\"no\"?>", "<!-- <xournal> -->"] {
      let error = importError(start + "\n" + text)
      #expect(error?.code == .unsupported, "\(start)")
      #expect(error?.line == 2)
      #expect(error?.cause.contains("DOCTYPE") == true)
    }
  }

  @Test(arguments: ["<title>&w;</title>", "<page width=\"&w;\" height=\"1\"/>", "<title>a & b</title>"])
  func entitiesThatNobodyDeclaredAreRefused(content: String) {
    let error = importError("<?xml version=\"1.0\" standalone=\"no\"?>\n<xournal>\n\(content)</xournal>")
    #expect(error?.code == .malformed)
    #expect(error?.line == 3)
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

  @Test func deepXMLIsRefused() {
    let deep = "<xournal>" + String(repeating: "<a>", count: 100_000)
    #expect(importError(deep)?.code == .tooLarge)
  }

  @Test func aTagWithVeryManyAttributesIsRefusedInLinearTime() {
    let many = (0..<500_000).map { "a\($0) = '1'" }.joined(separator: " ")
    let error = importError("<xournal>\n<page \(many)/></xournal>")
    #expect(error?.code == .tooLarge)
    #expect(error?.line == 2)
    let few = (0..<4_000).map { "a\($0)=\"1\"" }.joined(separator: " ")
    #expect(importError("<xournal><page \(few) width=\"1\" height=\"1\"/></xournal>") == nil)
  }

  @Test func encodingsThatHoldASCIIAreReadAndOthersRefused() throws {
    let document = "<xournal><title>caf#</title><page width='1' height='1'/></xournal>"
    func bytes(_ encoding: String, _ character: [UInt8]) -> [UInt8] {
      let parts = document.split(separator: "#").map { Array($0.utf8) }
      return Array("<?xml version='1.0' encoding='\(encoding)'?>".utf8) + parts[0] + character + parts[1]
    }
    for (encoding, character) in [("ISO-8859-1", [0xE9]), ("utf-8", [0xC3, 0xA9])] as [(String, [UInt8])] {
      #expect(try importAll(bytes(encoding, character)).first == .title("café"), "\(encoding)")
    }
    #expect(importError(bytes("UTF-8", [0xE9]))?.code == .malformed)
    for encoding in ["UTF-7", "UTF-16", "EBCDIC-CP-US", "Klingon", ""] {
      #expect(importError(bytes(encoding, []))?.code == .unsupported, "\(encoding)")
    }
    #expect(importError([0xFF, 0xFE, 0x3C, 0])?.code == .unsupported)
    #expect(importError([0x3C, 0, 0x61, 0, 0x2F, 0, 0x3E, 0])?.code == .unsupported)
  }

  @Test func aTokenThatTheParserCannotHoldIsRefusedAndNotLost() {
    let long = String(repeating: "1.25 ", count: 2_200_000)
    let stroke = "<stroke tool=\"pen\" color=\"black\" width=\"\(long)\">1 2 3 4</stroke>"
    for content in [stroke, "<!--\(long)-->", "<title><![CDATA[\(long)]]></title>"] {
      let error = importError(xournal(content))
      #expect(error?.code == .tooLarge)
      #expect(error?.cause.contains("longer than") == true)
      #expect(error?.line != nil)
    }
  }

  @Test func nothingThatFollowsAnErrorIsImported() throws {
    var items: [ImportItem] = []
    let text = xournal("<stroke width=\"1\">1 2</stroke>\n</stroke><stroke width=\"1\">3 4</stroke>")
    let error = #expect(throws: TransferError<Never>.self) {
      try Importer().read(Array(text.utf8), name: "a.xopp") { items.append($0) }
    }
    #expect(items.strokes.map(\.x) == [[1]])
    #expect(
      error?.description == "a.xopp, line 4: an end tag does not fit the element that is open here, <layer>")
  }

  @Test func deepJSONIsRefused() {
    #expect(importError(String(repeating: "[", count: 1_000_000))?.code == .malformed)
    #expect(importError("{\"x\":" + String(repeating: "[", count: 200))?.code == .malformed)
  }

  @Test func aLineOfJSONThatWouldTakeTooMuchMemoryIsRefused() {
    let line = "{\"x\":[" + String(repeating: "1,", count: 33 << 20)
    let error = importError("{\"width\":1,\"x\":[1],\"y\":[1]}\n" + line)
    #expect(error?.code == .tooLarge)
    #expect(error?.line == 2)
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

  /// Foundation's parser ends the process at one of these.
  @Test func anInstructionOfNothingButItsNameIsRefused() {
    for text in ["<?x?>", "<?x?><xournal/>", "<xournal><?x?><page width=\"1\" height=\"1\"/></xournal>"] {
      #expect(importError(text)?.code == .unsupported, "\(text)")
      #expect(importError(text)?.cause.contains("instruction") == true, "\(text)")
    }
    let sound = "<?xml version=\"1.0\"?><?x y?><xournal><?z ?><page width=\"1\" height=\"1\"/></xournal>"
    #expect(importError(sound) == nil)
  }

  @Test func noMessagePassesOnControlCharactersOfAFile() throws {
    let message = try #require(importError([UInt8]("{\"page\":\"\\u".utf8) + [0, 0x1B, 0, 0, 0x22, 0x7D]))
    #expect(!message.description.unicodeScalars.contains { $0.value < 0x20 }, "\(message)")
    let items = try importAll(
      Array(xournal("<stroke width=\"1\" style=\"a&#10;b&#133;\" tool=\"&#9;\">1 2</stroke>").utf8))
    #expect(items.simplified == ["tool \\t", "line style a\\nb\\u{0085}"])
  }
}
