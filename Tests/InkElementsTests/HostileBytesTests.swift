// SPDX-License-Identifier: Apache-2.0

import InkElements
import Testing

@Suite struct HostileBytes {
  private static let samples: [[UInt8]] = {
    var strokes = [
      fullStroke(samples: 1), fullStroke(samples: 2), fullStroke(samples: 37), fullStroke(samples: 200),
      Stroke(width: 2, x: [1, 2, 3], y: [5, 5, 5]),
      Stroke(
        width: 2, x: [Double](repeating: 1, count: 64), y: [Double](repeating: 1, count: 64),
        pressure: [Double](repeating: 1, count: 64)),
      Stroke(
        width: 2_147_483, x: [214_748_364, -214_748_364, 0], y: [0, 214_748_364, 9], time: [0, 1 << 53, -7]),
    ]
    strokes[2].extra = []
    return strokes.compactMap { try? $0.encoded() }
  }()

  /// Decodes bytes that may be anything. What decodes has to keep to the stated bound and to be stable when
  /// it is written again.
  @discardableResult
  private func probe(_ bytes: [UInt8], _ note: @autoclosure () -> String) -> InkError? {
    do {
      let stroke = try Stroke(decoding: bytes)
      let columns =
        2 + [stroke.radius == nil, stroke.pressure == nil, stroke.time == nil].filter { !$0 }.count
      let allocated = stroke.x.count * 8 * columns + stroke.extra.count
      #expect(allocated <= bytes.count * InkLimits.decodedBytesPerByte, "\(note())")
      let again = try stroke.encoded()
      #expect(try Stroke(decoding: again) == stroke, "\(note())")
      return nil
    } catch let error as InkError {
      #expect(error.code == .malformed || error.code == .newerEncoding, "\(note()): \(error)")
      return error
    } catch {
      Issue.record("\(note()): \(error)")
      return nil
    }
  }

  @Test func everyTruncationIsAnErrorOrAShorterExtra() throws {
    #expect(Self.samples.count == 7)
    for bytes in Self.samples {
      let extra = try Stroke(decoding: bytes).extra.count
      for length in 0..<bytes.count {
        let error = probe(Array(bytes.prefix(length)), "cut to \(length) of \(bytes)")
        #expect((error == nil) == (length >= bytes.count - extra), "cut to \(length) of \(bytes.count)")
      }
    }
  }

  @Test func everyFlippedBitIsHarmless() {
    for bytes in Self.samples {
      for bit in 0..<bytes.count * 8 {
        var flipped = bytes
        flipped[bit / 8] ^= 1 << (bit % 8)
        probe(flipped, "bit \(bit) of \(bytes)")
      }
    }
  }

  @Test func everyByteSetToEveryValueOfAShortPayloadIsHarmless() {
    for bytes in Self.samples where bytes.count < 100 {
      for index in 0..<bytes.count {
        for value in UInt8.min...UInt8.max {
          var changed = bytes
          changed[index] = value
          probe(changed, "byte \(index) = \(value) of \(bytes)")
        }
      }
    }
  }

  @Test func everyPayloadOfUpToTwoBytesBehindTheEncodingIsHarmless() {
    probe([], "nothing")
    for first in UInt8.min...UInt8.max {
      probe([first], "\(first)")
      probe([1, first], "1 \(first)")
      for second in UInt8.min...UInt8.max { probe([1, first, second], "1 \(first) \(second)") }
    }
  }

  @Test func seededRandomBytesAreHarmless() {
    var random = SeededRandom(seed: runSeed)
    for round in 0..<40_000 {
      var bytes = (0..<Int.random(in: 0...48, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      // A plausible head, so that most rounds reach the columns.
      if round % 4 != 0, bytes.count > 5 {
        bytes.replaceSubrange(0..<1, with: [1])
        bytes[1] &= 0x7F
        bytes[2] &= 0x57
        bytes[3] &= 0x1F
      }
      probe(bytes, "INK_SEED=\(runSeed) round \(round): \(bytes)")
    }
  }

  @Test func seededRandomDamageIsHarmless() {
    var random = SeededRandom(seed: runSeed)
    for round in 0..<20_000 {
      var bytes = Self.samples[round % Self.samples.count]
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
        case 2 where bytes.count > 1: bytes.remove(at: place)
        default: bytes[place] = 0xFF
        }
      }
      probe(bytes, "INK_SEED=\(runSeed) round \(round): \(bytes)")
    }
  }

  @Test func aHugeCountInFewBytesIsRefusedBeforeAnythingIsAllocated() {
    let header: [UInt8] = [1, 0, 4]
    for count in [[0xFF, 0xFF, 0xFF, 7], [0x80, 0x80, 0x80, 8], [UInt8](repeating: 0xFF, count: 9) + [1]] {
      let error = probe(header + count + [1] + [UInt8](repeating: 0, count: 12), "count \(count)")
      #expect(error?.column == "sample count")
    }
  }

  @Test func differencesThatOverflowAreRefused() {
    // x = 2^63 − 1 as 22 groups, which is outside the column's range; then one group too many.
    let longest: [UInt8] = [0xEE] + [UInt8](repeating: 0xFF, count: 9) + [0x1F]
    #expect(probe([1, 0, 0, 1, 0] + longest + [0], "longest")?.column == "x")
    let tooLong = [UInt8](repeating: 0xFF, count: 12)
    #expect(probe([1, 0, 0, 1, 0] + tooLong + [0], "too long")?.column == "x")
    // Times that step by 2^62 and wrap on the way.
    #expect(probe([1, 4, 32, 3, 0, 0, 0, 0] + longest + longest + longest, "time")?.column == "time")
  }

  @Test func aValueOfMoreThanSixtyFourBitsIsRefusedAndNotCutToZero() throws {
    let zeros = [UInt8](repeating: 0x88, count: 10)
    #expect(probe([1, 0, 0, 1, 0] + zeros + [0x28, 0], "bit 64")?.column == "x")
    #expect(probe([1, 0, 0, 1, 0] + zeros + [0x18, 0], "bit 63")?.column == "x")
    #expect(try Stroke(decoding: [1, 0, 0, 1, 0] + zeros + [0x08, 0]).x == [0])
  }

  @Test func aPaddingGroupThatIsNotZeroIsRefused() throws {
    // One sample: a group each for x, y and pressure, so that half a byte is left.
    #expect(try Stroke(decoding: [1, 2, 0, 1, 0, 0x00, 0x00]).pressure == [0])
    #expect(probe([1, 2, 0, 1, 0, 0x00, 0x10], "padding")?.column == "padding")
  }

  @Test func whatOnlyANewerVersionExplainsIsNewerAndNotMalformed() throws {
    let bytes = try Stroke(width: 1, x: [1], y: [1]).encoded()
    #expect(probe([2] + bytes.dropFirst(), "encoding")?.code == .newerEncoding)
    #expect(probe([1, 0x80, 2] + bytes.dropFirst(2), "field bit 8")?.code == .newerEncoding)
    #expect(probe([1, 0, 6] + bytes.dropFirst(3), "mode 3 of y")?.code == .newerEncoding)
    #expect(probe([1, 0, 0x80, 4] + bytes.dropFirst(3), "mode bit 9")?.code == .newerEncoding)
    #expect(probe([1, 0, 8] + bytes.dropFirst(3), "mode of an absent column")?.code == .malformed)
    #expect(probe([0] + bytes.dropFirst(), "encoding 0")?.code == .malformed)
    #expect(probe([1, 0, 0, 0] + bytes.dropFirst(4), "no samples")?.code == .malformed)
  }
}
