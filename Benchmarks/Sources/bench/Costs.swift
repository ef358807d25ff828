// SPDX-License-Identifier: Apache-2.0

import Foundation
import PageJournal

/// What one operation costs in memory and on the way to the kernel, by the size of the page.
enum Costs {
  static let payload = [UInt8](repeating: 7, count: 600)

  static func run(_ directory: String) throws {
    print(
      "microseconds an operation (600-byte payloads, buffered commits; open, close and replay in milliseconds)"
    )
    print("  elements    append    remove   replace      move    insert  replay10k  open    close10")
    for power in 2...6 {
      try row(Int(pow(10.0, Double(power))), directory)
    }
  }

  private static func row(_ count: Int, _ directory: String) throws {
    let small = count >= 1_000_000 ? Array(payload.prefix(60)) : payload
    let path = "\(directory)/\(count)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    var options = StoreOptions()
    options.compactionThreshold = 1 << 40
    let id = PageID(random: 1, UInt64(count))
    var store = try PageStore.open(path, options: options)
    var page = try store.create(id)
    for _ in 0..<count { _ = try page.append(kind: 1, payload: small.span) }
    try store.close()
    var line = text(Double(count), 0)
    store = try PageStore.open(path, options: options)
    var opened: OpenedPage?
    let open = try nanoseconds { opened = try store.open(id) }
    page = try writable(opened)
    let rounds = min(1000, count / 4)
    var generator = Random(seed: UInt64(count))
    line += text(
      try nanoseconds { for _ in 0..<rounds { _ = try page.append(kind: 1, payload: small.span) } } / 1e3
        / Double(rounds))
    line += try timed(rounds) { _ in
      .remove(id: try existing(page, &generator))
    } page: {
      page
    }
    line += try timed(rounds) { _ in
      .replace(
        id: try existing(page, &generator),
        with: [.init(kind: 1, payload: small), .init(kind: 1, payload: small)])
    } page: {
      page
    }
    line += try timed(rounds) { _ in
      .move(id: try existing(page, &generator), to: generator.next(page.count))
    } page: {
      page
    }
    line += try timed(rounds) { _ in
      .insert(at: generator.next(page.count), kind: 1, payload: small)
    } page: {
      page
    }
    try page.write()
    // Ten thousand removals in a journal, replayed by the next open.
    let removals = min(10_000, count / 2)
    for _ in 0..<removals { _ = try page.commit([.remove(id: try existing(page, &generator))]) }
    try page.write()
    store.abandon()
    let replay = try nanoseconds {
      _ = try PageInspector.inspect(id, in: path)
    }
    line += text(replay / 1e6)
    line += text(open / 1e6)
    store = try PageStore.open(path, options: options)
    page = try writable(try store.open(id))
    for _ in 0..<10 { _ = try page.append(kind: 1, payload: small.span) }
    line += text(try nanoseconds { try store.close() } / 1e6)
    print(line)
  }

  private static func timed(
    _ rounds: Int, _ operation: (Int) throws -> PageJournal.Operation, page: () -> Page
  ) throws -> String {
    var operations: [PageJournal.Operation] = []
    var total = 0.0
    for round in 0..<rounds {
      operations = [try operation(round)]
      total += try nanoseconds { _ = try page().commit(operations) }
    }
    return text(total / 1e3 / Double(rounds))
  }

  private static func existing(_ page: Page, _ generator: inout Random) throws -> UInt64 {
    let place = generator.next(page.count)
    return page.elementID(at: place) ?? 1
  }

  private static func writable(_ opened: OpenedPage?) throws -> Page {
    guard let page = opened?.page else {
      throw StorageError(.internal, "open the page of the benchmark", cause: "it is not writable")
    }
    return page
  }
}

/// xorshift64*: the same work in every run.
struct Random {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func next(_ limit: Int) -> Int {
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    return Int((state &* 0x2545_F491_4F6C_DD1D) >> 33) % max(1, limit)
  }
}
