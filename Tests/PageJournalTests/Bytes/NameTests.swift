// SPDX-License-Identifier: Apache-2.0

import PageJournalFaults
import Testing

@testable import PageJournal

@Suite struct PageIDTests {
  private let text = "01234567-89ab-4cde-8f01-23456789abcd"

  @Test func theCanonicalFormComesBackAsItWas() throws {
    let id = try #require(PageID(text))
    #expect(id.high == 0x0123_4567_89ab_4cde)
    #expect(id.low == 0x8f01_2345_6789_abcd)
    #expect(id.description == text)
    var random = SplitMix64(seed: 11)
    for _ in 0..<200 {
      let id = PageID(random: random.next(), random.next())
      #expect(PageID(id.description) == id)
      #expect(Array(id.description)[14] == "4")
      #expect("89ab".contains(Array(id.description)[19]))
    }
  }

  @Test func everythingElseIsRefused() {
    let bad = [
      "", "x", text.uppercased(), text + "0", text + "\n", " " + text, String(text.dropLast()),
      String(text.dropFirst()), "{" + text + "}", "../" + text, text + "/", "/" + text,
      text.replacing("-", with: ""), text.replacing("-", with: "_"), "0123456-789ab-4cde-8f01-23456789abcd",
      "01234567-89ab-4cde-8f01-23456789abc\0", "01234567-89ab-4cde-8f01-23456789abcg",
      "٠1234567-89ab-4cde-8f01-23456789abcd", "01234567-89ab-4cde-8f01-23456789ab/d",
      String(repeating: "-", count: 36), String(repeating: "0", count: 36),
      String(repeating: "0", count: 32),
    ]
    for name in bad { #expect(PageID(name) == nil, "\(name.debugDescription)") }
    for index in text.indices {
      var changed = text
      changed.replaceSubrange(index...index, with: text[index] == "-" ? "0" : "-")
      #expect(PageID(changed) == nil, "\(changed)")
    }
  }

  @Test func theOrderIsThatOfTheText() {
    var random = SplitMix64(seed: 12)
    let ids = (0..<50).map { _ in PageID(high: random.next(), low: random.next()) }
    #expect(ids.sorted().map(\.description) == ids.map(\.description).sorted())
  }
}

@Suite struct PageFileNameTests {
  private let page = PageID(high: 0x0123_4567_89ab_4cde, low: 0x8f01_2345_6789_abcd)

  @Test func everyNameThatIsWrittenIsRead() {
    let names: [PageFileName] = [
      .snapshot(page), .removed(page), .temporary(page), .journal(page, generation: 0),
      .journal(page, generation: 7), .journal(page, generation: .max),
      .quarantine(page, generation: 0, offset: 0), .quarantine(page, generation: 12, offset: 80),
    ]
    for name in names {
      #expect(PageFileName(name.text) == name)
      #expect(name.page == page)
    }
    #expect(PageFileName("\(page).3.journal.tmp") == .temporary(page))
  }

  @Test func foreignNamesAreNotOurs() {
    let bad = [
      "", ".", "..", "manifest.json", "\(page)", "\(page).", ".content", "\(page).CONTENT",
      "\(page).content.bak", "\(page).content~", "\(page).journal", "\(page)..journal", "\(page).00.journal",
      "\(page).01.journal", "\(page).+1.journal", "\(page).-1.journal", "\(page). 1.journal",
      "\(page).1 .journal", "\(page).0x1.journal", "\(page).1e3.journal", "\(page).١.journal",
      "\(page).18446744073709551616.journal", "\(page).1.2.journal", "\(page).1.quarantine",
      "\(page).1.02.quarantine", "\(page).1.2.3.quarantine", "\(page).tmp", "a/\(page).content",
      "\(page.description.uppercased()).content", "\(page).content\0", "\(page).1.journal ",
    ]
    for name in bad { #expect(PageFileName(name) == nil, "\(name.debugDescription)") }
  }
}
