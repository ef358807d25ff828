// SPDX-License-Identifier: Apache-2.0

/// The orders in which the pending changes of a file may have happened to the medium: as they were made and,
/// where the profile lets cuts move, without the cuts and with all cuts first.
struct ChangeHistories {
  /// At least one; the first is the order in which they were made.
  private(set) var all: [[PendingChange.Kind]]
  private let durableSize: Int

  init(durableSize: Int, changes: [PendingChange], profile: CrashProfile) {
    self.durableSize = durableSize
    all = [changes.map(\.kind)]
    guard profile.reordersShrinks else { return }
    var size = durableSize
    var cuts: [Int] = []
    var others: [PendingChange.Kind] = []
    for change in changes {
      switch change.kind {
      case .resize(let new):
        if new < size { cuts.append(new) } else { others.append(change.kind) }
        size = new
      case .write(let offset, let bytes):
        others.append(change.kind)
        size = max(size, offset + bytes.count)
      }
    }
    guard !cuts.isEmpty, !others.isEmpty else { return }
    all.append(Self.withoutCuts(others, from: durableSize))
    var lowest = durableSize
    var early: [PendingChange.Kind] = []
    for cut in cuts where cut < lowest {
      early.append(.resize(cut))
      lowest = cut
    }
    all.append(early + Self.withoutCuts(others, from: lowest))
  }

  /// Drops the extensions that the file, longer now than it was, has passed already.
  private static func withoutCuts(_ kinds: [PendingChange.Kind], from start: Int) -> [PendingChange.Kind] {
    var size = start
    var kept: [PendingChange.Kind] = []
    for kind in kinds {
      switch kind {
      case .resize(let new):
        guard new > size else { continue }
        size = new
      case .write(let offset, let bytes): size = max(size, offset + bytes.count)
      }
      kept.append(kind)
    }
    return kept
  }

  /// The numbers of the pieces whose bytes depend on what survives, sorted.
  func touchedPieces(unit: Int) -> [Int] {
    var touched: Set<Int> = []
    for history in all {
      var size = durableSize
      for kind in history {
        let change = PendingChange(sequence: 0, kind: kind)
        let range = change.touched(sizeBefore: size)
        if !range.isEmpty { touched.formUnion((range.lowerBound / unit)...((range.upperBound - 1) / unit)) }
        switch kind {
        case .resize(let new): size = new
        case .write: size = max(size, range.upperBound)
        }
      }
    }
    return touched.sorted()
  }
}
