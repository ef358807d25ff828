// SPDX-License-Identifier: Apache-2.0

import Foundation
import InkElements

/// SplitMix64: the same seed gives the same run.
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}

/// One seed a run: that of the environment (`INK_SEED`) or a new one; every failure prints it.
let runSeed: UInt64 =
  ProcessInfo.processInfo.environment["INK_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 1...UInt64.max)

/// The root of the package, from this file's place.
let packageRoot = URL(fileURLWithPath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

/// What `body` throws as an `InkError`; nil when it does not throw.
func inkError(_ body: () throws(InkError) -> Void) -> InkError? {
  do {
    try body()
    return nil
  } catch {
    return error
  }
}

/// Stored numbers as they come back: rounded to a step, half a step away from zero.
func stepped(_ values: [Double], _ scale: Double) -> [Double] {
  values.map { ($0 * scale).rounded(.toNearestOrAwayFromZero) / scale + 0 }
}

/// A stroke with every field set, made up here.
func fullStroke(samples: Int = 40, seed: UInt64 = 7) -> Stroke {
  var random = SeededRandom(seed: seed)
  var x = [72.0]
  var y = [-12.5]
  for _ in 1..<max(samples, 2) {
    x.append(x[x.count - 1] + Double.random(in: -3...5, using: &random))
    y.append(y[y.count - 1] + Double.random(in: -4...4, using: &random))
  }
  return Stroke(
    tool: .pencil, color: 0x1A2B_3C80, width: 1.41, flags: 0xDEAD_BEEF, start: 123_456,
    x: Array(x.prefix(samples)), y: Array(y.prefix(samples)),
    radius: (0..<samples).map { _ in Double.random(in: 0.2...2, using: &random) },
    pressure: (0..<samples).map { _ in Double.random(in: 0...1.717, using: &random) },
    time: (0..<samples).map { Int64($0 * 8) + Int64.random(in: 0...3, using: &random) },
    extra: [0xFE, 0, 1])
}
