// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PageJournal

@Suite struct VarintTests {
  /// Values around every power of two: every length from 1 to 10 bytes, and both sides of each border.
  private var values: [UInt64] {
    var values: [UInt64] = [0, .max, .max - 1]
    for shift in 0..<64 {
      let power = UInt64(1) << UInt64(shift)
      values += [power, power &- 1, power &+ 1]
    }
    return values
  }

  @Test func everyLengthComesBackAsItWas() {
    for value in values {
      var bytes: [UInt8] = []
      bytes.appendVarint(value)
      #expect(bytes.count == varintLength(value), "\(value)")
      #expect(bytes.count == max(1, (64 - value.leadingZeroBitCount + 6) / 7), "\(value)")
      var reader = ByteReader(bytes)
      #expect(reader.varint() == value)
      #expect(reader.remaining == 0)
    }
  }

  @Test func everyCutVarintIsRefused() {
    for value in values {
      var bytes: [UInt8] = []
      bytes.appendVarint(value)
      for count in 0..<bytes.count {
        var reader = ByteReader(Array(bytes[..<count]))
        #expect(reader.varint() == nil, "\(value) cut to \(count)")
      }
    }
  }

  @Test func zigzagMapsSmallMagnitudesToShortForms() {
    for (value, expected) in [(Int64(0), UInt8(0)), (-1, 1), (1, 2), (-2, 3), (63, 126), (-64, 127)] {
      var bytes: [UInt8] = []
      bytes.appendZigzag(value)
      #expect(bytes == [expected])
    }
    for value in values.map({ Int64(bitPattern: $0) }) + [.min, .max, -1] {
      var bytes: [UInt8] = []
      bytes.appendZigzag(value)
      var reader = ByteReader(bytes)
      #expect(reader.zigzag() == value)
    }
  }

  @Test func paddingIsReadButNothingAboveSixtyFourBits() {
    func read(_ bytes: [UInt8]) -> UInt64? {
      var reader = ByteReader(bytes)
      return reader.varint()
    }
    #expect(read([0x80, 0x00]) == 0)
    #expect(read([0x85, 0x80, 0x80, 0x00]) == 5)
    let nine = [UInt8](repeating: 0xFF, count: 9)
    #expect(read(nine + [0x01]) == .max)
    #expect(read(nine + [0x02]) == nil)
    #expect(read(nine + [0x7F]) == nil)
    #expect(read(nine + [0x81, 0x00]) == nil)
    #expect(read([UInt8](repeating: 0x80, count: 9) + [0x00]) == 0)
    #expect(read([UInt8](repeating: 0x80, count: 10) + [0x00]) == nil)
  }
}

@Suite struct ByteReaderTests {
  @Test func readingStopsAtTheRangeAndNotAtTheArray() {
    let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9]
    var reader = ByteReader(bytes, 1..<5)
    #expect(reader.uint32() == 0x0504_0302)
    #expect(reader.byte() == nil)
    #expect(reader.remaining == 0)
    var short = ByteReader(bytes, 6..<9)
    #expect(short.uint32() == nil)
    var eight = ByteReader(bytes, 0..<8)
    #expect(eight.uint64() == 0x0807_0605_0403_0201)
    var seven = ByteReader(bytes, 0..<7)
    #expect(seven.uint64() == nil)
  }

  @Test func aRangeOutsideTheArrayIsClamped() {
    #expect(ByteReader([1, 2], 1..<900).remaining == 1)
    #expect(ByteReader([1, 2], 5..<900).remaining == 0)
    #expect(ByteReader([], 0..<1).remaining == 0)
  }

  @Test func aRangeIsGivenOnlyWhenItIsThere() {
    var reader = ByteReader([1, 2, 3])
    #expect(reader.range(-1) == nil)
    #expect(reader.range(4) == nil)
    #expect(reader.range(.max) == nil)
    #expect(reader.range(2) == 0..<2)
    #expect(reader.range(0) == 2..<2)
    #expect(reader.range(1) == 2..<3)
    #expect(reader.range(1) == nil)
  }

  @Test func aCountAboveItsLimitIsRefused() {
    var bytes: [UInt8] = []
    for value in [UInt64(5), 6, .max, UInt64(Int.max) + 1] { bytes.appendVarint(value) }
    var reader = ByteReader(bytes)
    #expect(reader.count(atMost: 5) == 5)
    #expect(reader.count(atMost: 5) == nil)
    #expect(reader.count(atMost: .max) == nil)
    #expect(reader.count(atMost: .max) == nil)
    var negative = ByteReader([0, 1])
    #expect(negative.count(atMost: -3) == 0)
    #expect(negative.count(atMost: -3) == nil)
  }

  @Test func attributesAreReadOnlyWithAKeyOfRightLengthAndValidText() {
    func read(_ bytes: [UInt8]) -> (String, [UInt8]?)? {
      var reader = ByteReader(bytes)
      return reader.attribute()
    }
    var bytes: [UInt8] = []
    bytes.appendAttribute("paper", [1, 2])
    #expect(read(bytes)?.0 == "paper")
    #expect(read(bytes)?.1 == [1, 2])
    for count in bytes.indices { #expect(read(Array(bytes[..<count])) == nil) }
    #expect(read([0, 0]) == nil, "no key")
    #expect(read([1, 0xFF, 0]) == nil, "not UTF-8")
    #expect(read([1, 65, 0])?.1 == nil)
    #expect(read([1, 65, 1])?.1 == [])
    var long: [UInt8] = []
    long.appendAttribute(String(repeating: "k", count: 256), nil)
    #expect(read(long) == nil)
    var huge: [UInt8] = [1, 65]
    huge.appendVarint(UInt64(PageLimits.attributeValue) + 2)
    #expect(read(huge) == nil)
  }
}
