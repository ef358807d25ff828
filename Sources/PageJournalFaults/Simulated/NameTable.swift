// SPDX-License-Identifier: Apache-2.0

/// The names in a directory and the inodes they lead to, sorted by name. Directories of a simulation are small and
/// looked at millions of times a second: comparing a few names costs less than hashing one.
struct NameTable: Sequence, Sendable, Equatable {
  private struct Entry: Sendable, Equatable {
    var name: String
    var inode: UInt64
  }

  private var entries: [Entry] = []

  /// Nothing.
  init() {}

  var isEmpty: Bool { entries.isEmpty }

  /// Sorted.
  var names: [String] { entries.map(\.name) }

  func leads(to inode: UInt64) -> Bool { entries.contains { $0.inode == inode } }

  func makeIterator() -> some IteratorProtocol<(name: String, inode: UInt64)> {
    entries.lazy.map { (name: $0.name, inode: $0.inode) }.makeIterator()
  }

  /// O(log n) to look up, O(n) to change.
  subscript(name: String) -> UInt64? {
    get {
      let place = place(of: name)
      guard place < entries.count, entries[place].name == name else { return nil }
      return entries[place].inode
    }
    set {
      let place = place(of: name)
      let isKnown = place < entries.count && entries[place].name == name
      switch (newValue, isKnown) {
      case (let inode?, true): entries[place].inode = inode
      case (let inode?, false): entries.insert(Entry(name: name, inode: inode), at: place)
      case (nil, true): entries.remove(at: place)
      case (nil, false): break
      }
    }
  }

  private func place(of name: String) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].name < name { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
