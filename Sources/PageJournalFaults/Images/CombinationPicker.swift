// SPDX-License-Identifier: Apache-2.0

/// Picks combinations of a tree of names and a content for each of its files, each combination at most once.
///
/// All of them in order when they are within the limit; else the two extremes and then as evenly as a
/// step that has no divisor in common with the total goes round.
struct CombinationPicker {
  private let sizes: [[UInt64]]
  /// For each layout the number of combinations before it.
  private let before: [UInt64]
  /// All combinations, at most `CrashLayouts.most`.
  let total: UInt64
  /// Whether every combination was picked.
  private(set) var isExhausted = false

  private var extremes: [UInt64]
  private let firstPicks: Set<UInt64>
  private var position: UInt64
  private let step: UInt64
  private var left: UInt64
  private var isExact: Bool
  private var generator = SplitMix64(seed: 0x7061_6765)
  private var drawn: Set<[Int]> = []

  init(_ source: CrashLayouts, limit: Int?) {
    sizes = source.layouts.map { layout in layout.slots.map { UInt64(source.contents[$0.contents].count) } }
    var sum: UInt64 = 0
    var before: [UInt64] = []
    for layout in source.layouts {
      before.append(sum)
      sum = min(CrashLayouts.most, sum + layout.combinations)
    }
    self.before = before
    total = sum
    left = sum
    position = 0
    let isAll = limit.map { sum <= UInt64(clamping: $0) } ?? true
    step = isAll ? 1 : Self.step(around: sum)
    isExact = isAll || sum < CrashLayouts.most
    extremes = []
    if !isAll, isExact, let last = sizes.indices.prefix(2).last {
      // The first tree lost all that may be lost, the second nothing; likewise the contents of each file.
      var place = before[last]
      var weight: UInt64 = 1
      for size in sizes[last].reversed() {
        if size > 1 { place += weight }
        weight *= size
      }
      extremes = place == 0 ? [0] : [place, 0]
    }
    firstPicks = Set(extremes)
  }

  /// The next layout and the content of each of its files.
  mutating func next() -> (layout: Int, digits: [Int])? {
    guard isExact else { return draw() }
    if let extreme = extremes.popLast() { return decode(extreme) }
    while left > 0 {
      let place = position
      left -= 1
      position = (position + step) % total
      if firstPicks.isEmpty || !firstPicks.contains(place) { return decode(place) }
    }
    isExhausted = true
    return nil
  }

  private func decode(_ place: UInt64) -> (layout: Int, digits: [Int]) {
    var low = 0
    var high = before.count
    while low + 1 < high {
      let middle = (low + high) / 2
      if before[middle] <= place { low = middle } else { high = middle }
    }
    var rest = place - before[low]
    var digits = [Int](repeating: 0, count: sizes[low].count)
    for index in digits.indices.reversed() {
      let size = sizes[low][index]
      guard size > 1 else { continue }
      digits[index] = Int(rest % size)
      rest /= size
    }
    return (low, digits)
  }

  /// Too many to be numbered: extremes first, then by seeded chance, without repetition.
  private mutating func draw() -> (layout: Int, digits: [Int])? {
    while true {
      let layout: Int
      var digits: [Int]
      if drawn.isEmpty {
        layout = 0
        digits = [Int](repeating: 0, count: sizes[0].count)
      } else if drawn.count == 1 {
        layout = min(1, sizes.count - 1)
        digits = sizes[layout].map { $0 > 1 ? 1 : 0 }
      } else {
        layout = Int(generator.next() % UInt64(sizes.count))
        digits = sizes[layout].map { Int(generator.next() % max(1, $0)) }
      }
      if drawn.insert([layout] + digits).inserted { return (layout, digits) }
    }
  }

  private static func step(around total: UInt64) -> UInt64 {
    var step = max(1, total / 1000 * 618 + total % 1000 * 618 / 1000)
    while greatestCommonDivisor(step, total) != 1 { step += 1 }
    return step
  }

  private static func greatestCommonDivisor(_ first: UInt64, _ second: UInt64) -> UInt64 {
    var (larger, smaller) = (first, second)
    while smaller != 0 { (larger, smaller) = (smaller, larger % smaller) }
    return larger
  }
}
