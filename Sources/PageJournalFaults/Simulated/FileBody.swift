// SPDX-License-Identifier: Apache-2.0

/// A change of a file's bytes that no sync has settled yet.
struct PendingChange: Sendable {
  enum Kind: Sendable {
    case write(offset: Int, bytes: [UInt8])
    case resize(Int)
  }
  /// The number of the event that made it; orders changes of all files and names.
  var sequence: UInt64
  var kind: Kind
  /// A sync failed and marked the page clean: no later sync settles it, unless its page is written again.
  var abandoned = false

  /// Does to `bytes` what the change does to the file.
  func apply(to bytes: inout [UInt8]) {
    switch kind {
    case .resize(let size):
      if size < bytes.count {
        bytes.removeLast(bytes.count - size)
      } else {
        bytes.append(contentsOf: repeatElement(0, count: size - bytes.count))
      }
    case .write(let offset, let new):
      if offset > bytes.count { bytes.append(contentsOf: repeatElement(0, count: offset - bytes.count)) }
      if offset == bytes.count {
        bytes.append(contentsOf: new)
      } else {
        bytes.replaceSubrange(offset..<min(offset + new.count, bytes.count), with: new)
      }
    }
  }

  /// The bytes whose content it decides, when the file had `size` bytes before: a gap it leaves counts, a cut
  /// does not.
  func touched(sizeBefore size: Int) -> Range<Int> {
    switch kind {
    case .resize(let new): min(size, new)..<new
    case .write(let offset, let bytes): min(offset, size)..<(offset + bytes.count)
    }
  }
}

/// What a file holds: for everyone who reads it now, on the medium for certain, and what lies between.
struct FileBody: Sendable {
  /// The bytes every power cut leaves, if no change is pending.
  private(set) var durable: [UInt8] = []
  /// The bytes a reader sees.
  private(set) var current: [UInt8] = []
  /// From `durable` to `current`, in order.
  private(set) var changes: [PendingChange] = []
  /// Pages that a failed sync left clean in the cache, not on the medium.
  private var abandonedPages: Set<Int> = []
  /// Changes before this event went along with a rename over an existing file that was settled.
  var carriedBelow: UInt64 = 0
  /// How many names it has.
  var links: UInt64 = 1

  static let pageSize = 4096

  /// A new, empty file.
  init() {}

  /// A file all of which is certain.
  init(certain bytes: [UInt8]) {
    durable = bytes
    current = bytes
  }

  /// What is certain when the changes before an event are, and the changes that are left.
  func split(certainBelow event: UInt64) -> (durable: [UInt8], changes: [PendingChange]) {
    var durable = durable
    let certain = changes.prefix { $0.sequence < event }
    for change in certain { change.apply(to: &durable) }
    return (durable, Array(changes.dropFirst(certain.count)))
  }

  mutating func add(_ change: PendingChange) {
    change.apply(to: &current)
    changes.append(change)
  }

  /// Settles content and size as they were after an event; later changes stay pending, except in a file of which a sync
  /// has failed.
  mutating func synchronize(upTo event: UInt64) {
    guard !changes.isEmpty else { return }
    guard !abandonedPages.isEmpty else {
      // Applied instead of shared with `current`: a shared array would be copied whole by the next write.
      let settled = changes.prefix { $0.sequence <= event }.count
      for change in changes[..<settled] { change.apply(to: &durable) }
      changes.removeFirst(settled)
      return
    }
    guard changes.contains(where: { !$0.abandoned }) else { return }
    var size = durable.count
    for change in changes {
      let touched = change.touched(sizeBefore: size)
      if !change.abandoned { abandonedPages.subtract(pages(of: touched)) }
      size = sizeAfter(change, size)
    }
    settleAroundAbandonedPages(sequence: changes.last?.sequence ?? 0)
  }

  private mutating func settleAroundAbandonedPages(sequence: UInt64) {
    var settled = current
    var rest: [PendingChange] = []
    for page in abandonedPages.sorted() {
      let start = page * Self.pageSize
      let end = min(start + Self.pageSize, current.count)
      guard start < end else {
        abandonedPages.remove(page)
        continue
      }
      var old = start < durable.count ? Array(durable[start..<min(end, durable.count)]) : []
      old.append(contentsOf: repeatElement(0, count: end - start - old.count))
      settled.replaceSubrange(start..<end, with: old)
      rest.append(
        PendingChange(
          sequence: sequence, kind: .write(offset: start, bytes: Array(current[start..<end])), abandoned: true
        ))
    }
    durable = settled
    changes = rest
  }

  /// What a sync that failed leaves behind.
  mutating func failSynchronization(_ failure: SynchronizationFailure) {
    switch failure {
    case .clean, .late:
      var size = durable.count
      for index in changes.indices {
        abandonedPages.formUnion(pages(of: changes[index].touched(sizeBefore: size)))
        size = sizeAfter(changes[index], size)
        changes[index].abandoned = true
      }
    case .reverted:
      current = durable
      changes = []
      abandonedPages = []
    case .lost:
      var size = durable.count
      var lost: [PendingChange] = []
      for change in changes {
        var emptied = change
        if case .write(let offset, let bytes) = change.kind {
          emptied.kind = .write(offset: offset, bytes: [UInt8](repeating: 0, count: bytes.count))
        }
        size = sizeAfter(change, size)
        lost.append(emptied)
      }
      current = durable
      for change in lost { change.apply(to: &current) }
      changes = lost
    }
  }

  private func pages(of range: Range<Int>) -> Range<Int> {
    guard !range.isEmpty else { return 0..<0 }
    return (range.lowerBound / Self.pageSize)..<((range.upperBound - 1) / Self.pageSize + 1)
  }

  private func sizeAfter(_ change: PendingChange, _ size: Int) -> Int {
    switch change.kind {
    case .resize(let new): new
    case .write(let offset, let bytes): max(size, offset + bytes.count)
    }
  }
}
