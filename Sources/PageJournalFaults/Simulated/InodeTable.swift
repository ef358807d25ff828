// SPDX-License-Identifier: Apache-2.0

/// What belongs to each inode. Numbers are given out one after the other, so that they index an array: simulations
/// look inodes up millions of times a second.
struct InodeTable<Body: Sendable>: Sendable {
  private var slots: [Body?] = []

  subscript(inode: UInt64) -> Body? {
    get { inode < UInt64(slots.count) ? slots[Int(inode)] : nil }
    _modify {
      while UInt64(slots.count) <= inode { slots.append(nil) }
      yield &slots[Int(inode)]
    }
  }

  /// All that there are, with their inodes, in order.
  var all: some Sequence<(inode: UInt64, body: Body)> {
    slots.enumerated().lazy.compactMap { inode, body in body.map { (UInt64(inode), $0) } }
  }

  func contains(where isWanted: (Body) -> Bool) -> Bool {
    slots.contains { $0.map(isWanted) ?? false }
  }

  mutating func forget(where isUnwanted: (UInt64, Body) -> Bool) {
    for index in slots.indices {
      if let body = slots[index], isUnwanted(UInt64(index), body) { slots[index] = nil }
    }
  }
}
