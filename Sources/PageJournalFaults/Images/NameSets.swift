// SPDX-License-Identifier: Apache-2.0

/// Which sets of pending name operations may survive together.
struct NameSets {
  /// Each set once, as flags in the order of the operations. The first is the smallest that is allowed, the second,
  /// if any, has all.
  let sets: [[Bool]]
  let isSampled: Bool

  init(_ operations: [PendingName], latestSettled: UInt64, profile: CrashProfile) {
    let count = operations.count
    switch profile.nameOrder {
    case .prefix:
      let certain = operations.prefix { $0.sequence < latestSettled }.count
      sets = Self.extremesFirst((certain...count).map { length in (0..<count).map { $0 < length } })
      isSampled = false
    case .anyPerName:
      let needs = Self.needs(operations)
      if count <= profile.completeNames {
        sets = Self.extremesFirst(Self.allSets(needs))
        isSampled = false
      } else {
        sets = Self.extremesFirst(Self.someSets(needs))
        isSampled = true
      }
    }
  }

  /// For each operation the earlier ones that it cannot survive without: the latest on each of its names.
  static func needs(_ operations: [PendingName]) -> [[Int]] {
    var latest: [NameSlot: Int] = [:]
    var needs: [[Int]] = []
    for (number, operation) in operations.enumerated() {
      needs.append(operation.effects.compactMap { latest[$0.slot] })
      for effect in operation.effects { latest[effect.slot] = number }
    }
    return needs
  }

  private static func allSets(_ needs: [[Int]]) -> [[Bool]] {
    var sets: [[Bool]] = [[]]
    for before in needs {
      var longer: [[Bool]] = []
      for set in sets {
        longer.append(set + [false])
        if before.allSatisfy({ set[$0] }) { longer.append(set + [true]) }
      }
      sets = longer
    }
    return sets
  }

  /// Prefixes; each operation alone, with what it needs; all but one, without what needs it.
  private static func someSets(_ needs: [[Int]]) -> [[Bool]] {
    let count = needs.count
    var sets = (0...count).map { length in (0..<count).map { $0 < length } }
    for one in 0..<count {
      var alone = (0..<count).map { $0 == one }
      for number in stride(from: one, through: 0, by: -1) where alone[number] {
        for before in needs[number] { alone[before] = true }
      }
      var without = (0..<count).map { $0 != one }
      for number in 0..<count where needs[number].contains(where: { !without[$0] }) {
        without[number] = false
      }
      sets.append(alone)
      sets.append(without)
    }
    var seen: Set<[Bool]> = []
    return sets.filter { seen.insert($0).inserted }
  }

  private static func extremesFirst(_ sets: [[Bool]]) -> [[Bool]] {
    var sorted = sets
    if let least = sorted.firstIndex(where: { set in !set.contains(true) }) { sorted.swapAt(0, least) }
    if sorted.count > 1, let all = sorted.lastIndex(where: { set in !set.contains(false) }) {
      sorted.swapAt(1, all)
    }
    return sorted
  }
}
