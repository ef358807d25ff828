// SPDX-License-Identifier: Apache-2.0

import InkElements
import Testing

@Suite struct StrokeRefusals {
  private func refusal(_ stroke: Stroke, sourceLocation: SourceLocation = #_sourceLocation) -> InkError? {
    var bytes: [UInt8] = [1, 2, 3]
    let error = inkError { () throws(InkError) in try stroke.encode(into: &bytes) }
    #expect(bytes == [1, 2, 3], "a refused stroke leaves the bytes alone", sourceLocation: sourceLocation)
    return error
  }

  @Test func nonFiniteValuesAreRefusedWithColumnAndSample() throws {
    for bad in [Double.nan, .infinity, -.infinity, .signalingNaN] {
      for name in ["x", "y", "radius", "pressure"] {
        for sample in [0, 7, 19] {
          var stroke = fullStroke(samples: 20)
          switch name {
          case "x": stroke.x[sample] = bad
          case "y": stroke.y[sample] = bad
          case "radius": stroke.radius?[sample] = bad
          default: stroke.pressure?[sample] = bad
          }
          let error = try #require(refusal(stroke))
          #expect(error.code == .nonFinite)
          #expect(error.column == name)
          #expect(error.sample == sample)
        }
      }
      var stroke = fullStroke()
      stroke.width = bad
      #expect(refusal(stroke)?.code == .nonFinite)
      #expect(refusal(stroke)?.column == "width")
    }
  }

  @Test func valuesOutOfRangeAreRefusedAndNotClamped() throws {
    let first = [1.0, 1, 1]
    for bad in [214_748_364.75, -214_748_364.86, 1e300, -1e300, Double.greatestFiniteMagnitude] {
      let error = try #require(refusal(Stroke(width: 1, x: [1, 1, bad], y: first)))
      #expect(error.code == .unstorable)
      #expect(error.column == "x")
      #expect(error.sample == 2)
      #expect(refusal(Stroke(width: 1, x: first, y: first, radius: [bad, 1, 1]))?.column == "radius")
    }
    #expect(refusal(Stroke(width: 1, x: first, y: first, pressure: [1, 1_000_000.1, 1]))?.sample == 1)
    for bad: Int64 in [.max, .min, InkLimits.milliseconds + 1, -InkLimits.milliseconds - 1] {
      #expect(refusal(Stroke(width: 1, x: first, y: first, time: [0, 1, bad]))?.column == "time")
      #expect(refusal(Stroke(width: 1, start: bad, x: first, y: first))?.column == "start")
    }
    for bad in [-0.001, -1, 2_147_483.648, 1e300] {
      #expect(refusal(Stroke(width: bad, x: first, y: first))?.column == "width")
    }
    for bad in [UInt32(0), 1_000_001, .max] {
      #expect(refusal(Stroke(width: 1, x: first, y: first, unitsPerPoint: bad))?.column == "unitsPerPoint")
    }
  }

  @Test func aStrokeWithoutSamplesIsRefused() {
    #expect(refusal(Stroke(width: 1, x: [], y: []))?.code == .empty)
  }

  @Test func columnsOfDifferentLengthsAreRefused() {
    let two = [1.0, 2]
    #expect(refusal(Stroke(width: 1, x: two, y: [1]))?.column == "y")
    #expect(refusal(Stroke(width: 1, x: two, y: two, radius: []))?.column == "radius")
    #expect(refusal(Stroke(width: 1, x: two, y: two, pressure: [1, 2, 3]))?.column == "pressure")
    #expect(refusal(Stroke(width: 1, x: two, y: two, time: [1]))?.column == "time")
    #expect(refusal(Stroke(width: 1, x: two, y: two, time: [1]))?.code == .shapeMismatch)
  }

  @Test func moreSamplesThanTheLimitAreRefused() {
    let many = [Double](repeating: 0, count: InkLimits.samples + 1)
    #expect(refusal(Stroke(width: 1, x: many, y: many))?.code == .tooLarge)
  }

  @Test func theSentenceNamesStrokeSampleAndColumn() throws {
    let error = try #require(refusal(Stroke(width: 1, x: [0, .nan], y: [0, 0]))).on(stroke: 3)
    #expect(error.stroke == 3)
    #expect(error.description == "cannot store ink: x of sample 1 of stroke 3 is nan, not a finite number")
    #expect(error.on(stroke: 9).stroke == 3)
    #expect(InkError(.empty, "has no samples").description == "cannot store ink: the element has no samples")
  }
}
