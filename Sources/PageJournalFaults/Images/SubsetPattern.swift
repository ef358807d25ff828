// SPDX-License-Identifier: Apache-2.0

/// Which of a number of pending pieces were written, by their place among the pending ones.
enum SubsetPattern {
  case mask(UInt64)
  case only(Int)
  case allBut(Int)
  case first(Int)
  case from(Int)

  func contains(_ place: Int) -> Bool {
    switch self {
    case .mask(let bits): bits >> UInt64(place) & 1 == 1
    case .only(let one): place == one
    case .allBut(let one): place != one
    case .first(let count): place < count
    case .from(let start): place >= start
    }
  }

  /// All subsets of up to `complete` pieces; of more, those that differ from nothing or all by one piece, and the
  /// prefixes and suffixes.
  static func patterns(of count: Int, complete: Int) -> [SubsetPattern] {
    if count <= complete { return (0..<(UInt64(1) << UInt64(count))).map { .mask($0) } }
    var patterns: [SubsetPattern] = [.first(0), .first(count)]
    for place in places(in: count) {
      patterns += [.only(place), .allBut(place), .first(place), .from(place)]
    }
    return patterns
  }

  /// All places, or where there are more than 16, the first and last four and eight between, at the edges of
  /// pages where there are some.
  static func places(in count: Int) -> [Int] {
    guard count > 16 else { return Array(0..<count) }
    var places = Set(0..<4).union((count - 4)..<count)
    for step in 1...8 {
      let place = count * step / 9
      places.insert(count > 64 ? place & ~7 : place)
    }
    return places.sorted()
  }

  /// Which of `count` pending changes to look at with subsets: all up to 8, else the first, the last and some
  /// between.
  static func sampledChanges(_ count: Int) -> Set<Int> {
    guard count > 8 else { return Set(0..<count) }
    return [0, 1, count / 4, count / 2, count * 3 / 4, count - 3, count - 2, count - 1]
  }
}
