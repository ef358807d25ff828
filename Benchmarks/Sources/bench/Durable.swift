// SPDX-License-Identifier: Apache-2.0

import Foundation
import PageJournal
import PageJournalFaults

/// A durable commit a stroke, against the raw system calls and against rewriting the page; interleaved rounds.
enum Durable {
  static let strokes = 2000
  /// Not compressible, and no two the same: what is measured is the writing, not deflate.
  static let payloads: [[UInt8]] = {
    var generator = Random(seed: 5)
    return (0..<strokes).map { _ in (0..<2600).map { _ in UInt8(generator.next(256)) } }
  }()

  static func run(_ directory: String) throws {
    var raw: [Double] = []
    var ours: [Double] = []
    var worstRaw: [Double] = []
    var worstOurs: [Double] = []
    var merges = 0
    var counts = CallCounts()
    for round in 0..<5 {
      let rawTimes = try rawRound("\(directory)/raw\(round)")
      let (times, generation, calls) = try engineRound("\(directory)/engine\(round)")
      raw += rawTimes
      ours += times
      worstRaw.append(rawTimes.max() ?? 0)
      worstOurs.append(times.max() ?? 0)
      merges = Int(generation) - 1
      counts = calls
    }
    let rewrite = try rewriteRound("\(directory)/rewrite")
    print(
      "durable after every stroke: \(strokes) strokes of \(2600) bytes, 5 rounds, \(merges) merges a round"
    )
    print(
      "  raw write + fdatasync   median \(text(median(raw) / 1e3)) us   p99 \(text(percentile(raw, 0.99) / 1e3))   max \(text(median(worstRaw) / 1e3))"
    )
    print(
      "  durable commit          median \(text(median(ours) / 1e3)) us   p99 \(text(percentile(ours, 0.99) / 1e3))   max \(text(median(worstOurs) / 1e3))"
    )
    print(
      "  ratio                   median \(text(median(ours) / median(raw)))      p99 \(text(percentile(ours, 0.99) / percentile(raw, 0.99)))"
    )
    print(
      "  rewrite at every save   median \(text(median(rewrite) / 1e3)) us (level 0 of the same engine, last 100 strokes)"
    )
    print(
      "  bytes handed over: \(counts.bytesWritten), \(text(Double(counts.bytesWritten) / Double(strokes * 2600), 2, width: 0)) times the payload, merges included"
    )
  }

  private static func percentile(_ values: [Double], _ part: Double) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
  }

  private static func rawRound(_ path: String) throws -> [Double] {
    let file = try PosixFileSystem().open(path, .createNew)
    defer { file.close() }
    var offset: UInt64 = 0
    var times: [Double] = []
    for payload in payloads {
      times.append(
        try nanoseconds {
          offset += UInt64(try file.write(payload.span, at: offset))
          _ = try file.synchronize()
        })
    }
    return times
  }

  private static func engineRound(_ path: String) throws -> ([Double], generation: UInt64, CallCounts) {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let counting = CountingFileSystem(PosixFileSystem())
    let store = try PageStore.open(path, environment: Environment(fileSystem: counting))
    let page = try store.create(PageID(random: 1, 2))
    var times: [Double] = []
    for payload in payloads {
      times.append(
        try nanoseconds {
          let (_, ticket) = try page.append(kind: 1, payload: payload.span)
          try page.sync(ticket)
        })
    }
    try store.close()
    return (times, page.view.generation, counting.counts)
  }

  private static func rewriteRound(_ path: String) throws -> [Double] {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    var options = StoreOptions()
    options.rewritesAtEverySave = true
    options.deflates = false
    let store = try PageStore.open(path, options: options)
    let page = try store.create(PageID(random: 1, 2))
    for payload in payloads.dropLast(100) { _ = try page.append(kind: 1, payload: payload.span) }
    var times: [Double] = []
    for payload in payloads.suffix(100) {
      times.append(
        try nanoseconds {
          let (_, ticket) = try page.append(kind: 1, payload: payload.span)
          try page.sync(ticket)
        })
    }
    try store.close()
    return times
  }
}
