// SPDX-License-Identifier: Apache-2.0

/// The order of a page's elements, as numbers of records.
///
/// Runs of at most `runLimit` records, and the runs' order. A place is found by adding up the lengths of the
/// runs before it: at 100,000 elements some 400 additions. No operation touches more than one run's
/// records, or two at a split.
struct ElementSequence: Sendable {
  private static let runLimit = 512

  private var runs: [[Int32]] = []
  /// Numbers of runs that were emptied, with their memory, to be used again.
  private var emptied: [Int32] = []
  /// Numbers of runs in page order, and how long each is.
  private var order: [Int32] = []
  private var lengths: [Int32] = []
  /// The run of each record, by record number.
  private var home: [Int32] = []
  private(set) var count = 0

  /// Runs in use; what an operation on the order costs is proportional to it.
  var runCount: Int { order.count }
  /// Runs that have memory, in use or not.
  var runsHeld: Int { runs.count }

  mutating func append(_ record: Int32) {
    if let last = order.last, runs[Int(last)].count < Self.runLimit {
      runs[Int(last)].append(record)
      lengths[lengths.count - 1] += 1
      setHome(record, last)
    } else {
      insertRun([record], at: order.count)
    }
    count += 1
  }

  /// Puts a record at a place, 0…count.
  mutating func insert(_ record: Int32, at place: Int) {
    guard place < count else {
      append(record)
      return
    }
    let (index, within) = locate(place)
    let run = order[index]
    runs[Int(run)].insert(record, at: within)
    lengths[index] += 1
    setHome(record, run)
    count += 1
    if runs[Int(run)].count > Self.runLimit { split(index) }
  }

  /// Takes a record out; it has to be in.
  mutating func remove(_ record: Int32) {
    let run = home[Int(record)]
    guard let index = order.firstIndex(of: run), let within = runs[Int(run)].firstIndex(of: record) else {
      assertionFailure("record \(record) is not in its run")
      return
    }
    runs[Int(run)].remove(at: within)
    lengths[index] -= 1
    count -= 1
    if runs[Int(run)].isEmpty {
      order.remove(at: index)
      lengths.remove(at: index)
      emptied.append(run)
    }
  }

  /// The place of a record that is in.
  func place(of record: Int32) -> Int {
    let run = home[Int(record)]
    var place = 0
    for index in order.indices {
      if order[index] == run { return place + (runs[Int(run)].firstIndex(of: record) ?? 0) }
      place += Int(lengths[index])
    }
    assertionFailure("record \(record) is in no run")
    return place
  }

  /// The record at a place, 0..<count.
  func record(at place: Int) -> Int32 {
    let (index, within) = locate(place)
    return runs[Int(order[index])][within]
  }

  /// Calls `body` for every record in order.
  func forEach(_ body: (Int32) -> Void) {
    for run in order {
      for record in runs[Int(run)] { body(record) }
    }
  }

  private func locate(_ place: Int) -> (index: Int, within: Int) {
    var rest = place
    // From the nearer end: edits cluster at the end of a page.
    if place > count / 2 {
      var behind = count - place
      for index in order.indices.reversed() {
        let length = Int(lengths[index])
        if behind <= length { return (index, length - behind) }
        behind -= length
      }
    }
    for index in order.indices {
      let length = Int(lengths[index])
      if rest < length { return (index, rest) }
      rest -= length
    }
    assertionFailure("place \(place) of \(count)")
    return (0, 0)
  }

  private mutating func split(_ index: Int) {
    let run = Int(order[index])
    let half = runs[run].count / 2
    let tail = Array(runs[run][half...])
    runs[run].removeLast(runs[run].count - half)
    lengths[index] = Int32(half)
    insertRun(tail, at: index + 1)
  }

  private mutating func insertRun(_ records: [Int32], at index: Int) {
    let number: Int32
    if let used = emptied.popLast() {
      number = used
    } else {
      number = Int32(truncatingIfNeeded: runs.count)
      var run: [Int32] = []
      run.reserveCapacity(Self.runLimit + 1)
      runs.append(run)
    }
    runs[Int(number)].append(contentsOf: records)
    for record in records { setHome(record, number) }
    order.insert(number, at: index)
    lengths.insert(Int32(records.count), at: index)
  }

  private mutating func setHome(_ record: Int32, _ run: Int32) {
    let index = Int(record)
    if index < home.count {
      home[index] = run
    } else {
      while home.count < index { home.append(-1) }
      home.append(run)
    }
  }
}
