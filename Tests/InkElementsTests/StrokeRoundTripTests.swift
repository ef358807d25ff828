// SPDX-License-Identifier: Apache-2.0

import InkElements
import Testing

@Suite struct StrokeRoundTrips {
  /// Encodes, decodes, encodes again; the second bytes have to be the first.
  private func roundTrip(
    _ stroke: Stroke, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Stroke {
    let bytes = try stroke.encoded()
    let back = try Stroke(decoding: bytes)
    #expect(try back.encoded() == bytes, sourceLocation: sourceLocation)
    return back
  }

  @Test func everyFieldComesBack() throws {
    let stroke = fullStroke()
    var expected = stroke
    expected.x = stepped(stroke.x, 10)
    expected.y = stepped(stroke.y, 10)
    expected.radius = stepped(stroke.radius ?? [], 10)
    expected.pressure = stepped(stroke.pressure ?? [], 1000)
    #expect(try roundTrip(stroke) == expected)
  }

  @Test func everySetOfOptionalFieldsComesBack() throws {
    let full = try roundTrip(fullStroke(samples: 5))
    for mask in 0..<512 {
      var stroke = full
      if mask & 1 == 0 { stroke.start = nil }
      if mask & 2 == 0 { stroke.color = nil }
      if mask & 4 == 0 { stroke.radius = nil }
      if mask & 8 == 0 { stroke.pressure = nil }
      if mask & 16 == 0 { stroke.time = nil }
      if mask & 32 == 0 { stroke.tool = .pen }
      if mask & 64 == 0 { stroke.flags = 0 }
      if mask & 128 == 0 { stroke.extra = [] }
      if mask & 256 != 0 { stroke.unitsPerPoint = 100 }
      #expect(try roundTrip(stroke) == stroke, "mask \(mask)")
    }
  }

  @Test func unknownColumnsStayUnknownAndAreNotZero() throws {
    let bare = try roundTrip(Stroke(width: 1, x: [1, 2], y: [3, 4]))
    #expect(bare.radius == nil && bare.pressure == nil && bare.time == nil)
    #expect(bare.start == nil && bare.color == nil)
    let zero = try roundTrip(
      Stroke(
        color: 0, width: 0, start: 0, x: [0, 0], y: [0, 0], radius: [0, 0], pressure: [0, 0], time: [0, 0]))
    #expect(zero.radius == [0, 0] && zero.pressure == [0, 0] && zero.time == [0, 0])
    #expect(zero.start == 0 && zero.color == 0)
  }

  @Test func widthsKeepTwoDecimals() throws {
    for hundredths in 0...5000 {
      let width = Double(hundredths) / 100
      let back = try Stroke(decoding: Stroke(width: width, x: [0], y: [0]).encoded())
      #expect(back.width == width)
    }
  }

  @Test func pressuresAtAndBelowZeroAreZeroAndDoNotSplitTheStroke() throws {
    let pressures = [-1.7e-16, -0.0, 0, -3, -1e300, 0.0004, 1.717, 6.667, 1e6]
    let zeros = [Double](repeating: 1, count: pressures.count)
    let back = try roundTrip(Stroke(width: 1, x: zeros, y: zeros, pressure: pressures))
    #expect(back.pressure == [0, 0, 0, 0, 0, 0, 1.717, 6.667, 1e6])
    #expect(back.pressure?.allSatisfy { $0.sign == .plus } == true)
  }

  @Test func timesPastSixteenBitsEqualAndBackwardSurvive() throws {
    let times: [Int64] = [0, 65_535, 65_536, 65_536, 14_400_000, 12, -5, 1 << 53, -(1 << 53), 0]
    let zeros = [Double](repeating: 0, count: times.count)
    for start in [Int64(0), -1, 1 << 53, -(1 << 53)] {
      let back = try roundTrip(Stroke(width: 1, start: start, x: zeros, y: zeros, time: times))
      #expect(back.time == times)
      #expect(back.start == start)
    }
  }

  @Test func extremeCoordinatesSurvive() throws {
    let low = -214_748_364.8
    let high = 214_748_364.7
    let stroke = Stroke(
      width: 2_147_483.647, flags: .max, x: [low, high, low, low, high], y: [high, low, high, high, 0],
      radius: [high, 0, low, high, high])
    #expect(try roundTrip(stroke) == stroke)
    for units in [UInt32(1), 3, 7, 10, 72, 100, 254, 999_983, 1_000_000] {
      let scale = Double(units)
      let x = [-2_147_483_648 / scale, 2_147_483_647 / scale, -0.0, 1 / scale]
      let back = try roundTrip(Stroke(width: 1, x: x, y: x, unitsPerPoint: units))
      #expect(back.x == x.map { $0 + 0 })
      #expect(back.unitsPerPoint == units)
    }
  }

  @Test(arguments: [1, 2, 3, 65_535, 65_536, 65_537, 1_000_000])
  func strokesOfThisManySamplesWork(count: Int) throws {
    let x = (0..<count).map { Double(($0 &* 7919) % 5000) / 10 }
    let still = [Double](repeating: 1, count: count)
    let drawn = Stroke(width: 1, x: x, y: still, time: (0..<count).map { Int64($0) * 4 })
    #expect(try roundTrip(drawn) == drawn)
    // All columns constant: the bytes are fewest and the count is bounded by them.
    let resting = Stroke(
      width: 1, x: still, y: still, radius: still, pressure: still, time: [Int64](repeating: 9, count: count))
    let bytes = try resting.encoded()
    #expect(bytes.count >= count / 2)
    #expect(bytes.count <= count / 2 + 24)
    #expect(try roundTrip(resting) == resting)
  }

  @Test func extraBytesOfANewerVersionAreKept() throws {
    for count in 1...4 {
      for extra in [[UInt8](), [0], [0x80], [UInt8](0...255)] {
        var stroke = fullStroke(samples: count)
        stroke.extra = extra
        #expect(try roundTrip(stroke).extra == extra)
      }
    }
  }

  @Test func aPayloadInTheMiddleOfAnArrayIsReadFromItsRange() throws {
    let stroke = try roundTrip(fullStroke())
    var bytes: [UInt8] = [9, 9, 9]
    try stroke.encode(into: &bytes)
    let range = 3..<bytes.count
    bytes += [7, 7]
    #expect(try Stroke(decoding: bytes, range: range) == stroke)
    #expect(Array(bytes[range]) == (try stroke.encoded()))
  }

  @Test func aRangeOutsideTheArrayIsAnErrorAndNoTrap() {
    #expect(
      inkError { () throws(InkError) in _ = try Stroke(decoding: [1], range: 5..<9) }?.code == .malformed)
    #expect(
      inkError { () throws(InkError) in _ = try Stroke(decoding: [], range: -4..<9) }?.code == .malformed)
  }

  @Test func seededRandomStrokesSurvive() throws {
    var random = SeededRandom(seed: runSeed)
    for round in 0..<2000 {
      let count = Int.random(in: 1...(round % 50 == 0 ? 3000 : 60), using: &random)
      let allUnits: [UInt32] = [10, 10, 10, 100, 1, 1_000_000]
      let units = allUnits[Int.random(in: 0..<6, using: &random)]
      let reaches: [Double] = [0.05, 5, 500, 2000]
      let reach = reaches[Int.random(in: 0..<4, using: &random)]
      func column(_ range: ClosedRange<Double>) -> [Double] {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: return [Double](repeating: Double.random(in: range, using: &random), count: count)
        case 1:
          let step = Double.random(in: range, using: &random) / Double(count)
          return (0..<count).map { Double($0) * step }
        default: return (0..<count).map { _ in Double.random(in: range, using: &random) }
        }
      }
      var stroke = Stroke(
        tool: Tool(rawValue: UInt8.random(in: 0...4, using: &random)), width: column(0...99)[0],
        x: column(-reach...reach), y: column(-reach...reach), unitsPerPoint: units)
      if Bool.random(using: &random) { stroke.pressure = column(0...2) }
      if Bool.random(using: &random) { stroke.radius = column(0...9) }
      if Bool.random(using: &random) {
        stroke.time = column(-1e5...1e6).map { Int64($0) }
        stroke.start = Int64.random(in: -(1 << 53)...(1 << 53), using: &random)
      }
      stroke.extra = (0..<Int.random(in: 0...3, using: &random)).map { _ in random.next() & 1 == 0 ? 0 : 0xFF
      }
      let back = try roundTrip(stroke)
      let scale = Double(units)
      #expect(back.x == stepped(stroke.x, scale), "INK_SEED=\(runSeed) round \(round)")
      #expect(back.y == stepped(stroke.y, scale), "INK_SEED=\(runSeed) round \(round)")
      #expect(back.radius == stroke.radius.map { stepped($0, scale) }, "INK_SEED=\(runSeed) round \(round)")
      #expect(
        back.pressure == stroke.pressure.map { stepped($0, 1000) }, "INK_SEED=\(runSeed) round \(round)")
      #expect(back.time == stroke.time && back.start == stroke.start, "INK_SEED=\(runSeed) round \(round)")
      #expect(back.extra == stroke.extra && back.tool == stroke.tool, "INK_SEED=\(runSeed) round \(round)")
      #expect(abs(back.width - stroke.width) <= 0.000_500_001, "INK_SEED=\(runSeed) round \(round)")
    }
  }
}
