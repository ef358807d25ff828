// SPDX-License-Identifier: Apache-2.0

import Foundation
import LNote
import PageJournalFaults
import Testing

@Suite struct JSONTests {
  private func parsed(_ text: String) -> JSON? { JSON(parsing: [UInt8](text.utf8)) }

  @Test func valuesAreRead() {
    #expect(parsed(" null ") == .null)
    #expect(parsed("[true,false]") == .array([.bool(true), .bool(false)]))
    #expect(parsed("{}") == .object([:]))
    #expect(parsed("-9223372036854775808") == .integer(.min))
    #expect(parsed("9223372036854775808") == .decimal("9223372036854775808"))
    #expect(parsed("9.223372036854776e+18") == .number(9_223_372_036_854_775_808))
    #expect(parsed("9223372036854775807.0") == .integer(.max))
    #expect(parsed("18446744073709551615") == .decimal("18446744073709551615"))
    #expect(parsed("0.1") == .number(0.1))
    #expect(parsed("1e300") == .number(1e300))
    #expect(parsed("5.0")?.integer == 5)
    #expect(parsed("-0.5e1")?.number == -5)
    #expect(parsed(#""\u00e4\ud83d\ude00\/\b""#) == .string("ä😀/\u{8}"))
  }

  @Test func whatIsNoJSONIsRefused() {
    let bad = [
      "", " ", "nul", "truefalse", "01", "1.", ".5", "+1", "-", "1e", "1e400", "NaN", "[1 2]", "[",
      "{",
      "{\"a\"}", "{a:1}", "\"", "\"\\\"", "\"\\x\"", "\"\\u12\"",
      "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"\n\"", "1 1", "[1]]",
    ]
    for text in bad { #expect(parsed(text) == nil, "\(text)") }
    #expect(JSON(parsing: [0x22, 0xFF, 0x22]) == nil)
    #expect(parsed(String(repeating: "[", count: 100_000)) == nil)
  }

  /// A record keeps keys of newer programs, whatever numbers these use.
  @Test func noDigitIsLostThatADecimalHolds() {
    for text in [
      "18446744073709551615", "-9007199254740993", "9007199254740993.5", "0.12345678901234567890123",
      "12345678901234567890123456789012345678",
    ] {
      let value = parsed(text)
      #expect(value?.text(pretty: false) == [UInt8](text.utf8))
      #expect(value?.number == Double(text))
    }
    #expect(JSON.decimal("x").text(pretty: false) == [])
  }

  @Test func aNumberThatJSONCannotHoldIsNoText() {
    #expect(JSON.array([.number(.infinity)]).text(pretty: false) == [])
    #expect(JSON.array([.number(1)]).text(pretty: false) == [UInt8]("[1]".utf8))
  }

  @Test func randomValuesComeBackAndReadTheSameElsewhere() throws {
    let seed: UInt64 = 0x1DEA
    var random = SplitMix64(seed: seed)
    for _ in 0..<300 {
      let value = Self.value(&random, depth: 0)
      for pretty in [false, true] {
        let text = value.text(pretty: pretty)
        #expect(JSON(parsing: text) == value, "seed \(seed): \(value)")
        #expect(throws: Never.self, "seed \(seed): \(value)") {
          try JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed)
        }
      }
    }
  }

  @Test func changedBytesNeverTrap() {
    let seed: UInt64 = 0xBAD
    var random = SplitMix64(seed: seed)
    for _ in 0..<300 {
      var text = Self.value(&random, depth: 0).text(pretty: false)
      for _ in 0..<3 {
        text[Int.random(in: 0..<text.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if let value = JSON(parsing: text) {
        #expect(JSON(parsing: value.text(pretty: true)) == value, "seed \(seed)")
      }
    }
  }

  private static func value(_ random: inout SplitMix64, depth: Int) -> JSON {
    switch Int.random(in: 0..<(depth < 4 ? 8 : 5), using: &random) {
    case 0: return Bool.random(using: &random) ? .null : .bool(Bool.random(using: &random))
    case 1: return .integer(Int64(bitPattern: random.next() >> UInt64.random(in: 0..<64, using: &random)))
    case 2:
      let number = Double(bitPattern: random.next())
      // What has no fraction and fits comes back as an integer.
      return number.isFinite && Int64(exactly: number) == nil ? .number(number) : .number(0.25)
    case 3, 4: return .string(text(&random))
    case 5, 6:
      return .array((0..<Int.random(in: 0..<4, using: &random)).map { _ in value(&random, depth: depth + 1) })
    default:
      var keys: [String: JSON] = [:]
      for _ in 0..<Int.random(in: 0..<4, using: &random) {
        keys[text(&random)] = value(&random, depth: depth + 1)
      }
      return .object(keys)
    }
  }

  private static func text(_ random: inout SplitMix64) -> String {
    let all = ["a", "\"", "\\", "\n", "\u{1}", "\u{1f}", "/", "é", "😀", "\u{2028}", "\u{7f}", "ß", "0"]
    return (0..<Int.random(in: 0..<6, using: &random)).map { _ in all.randomElement(using: &random) ?? "" }
      .joined()
  }
}
