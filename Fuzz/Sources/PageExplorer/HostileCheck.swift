// SPDX-License-Identifier: Apache-2.0

import Foundation
import PageJournal
import PageJournalFaults

/// Bytes made by somebody who can compute a crc: no trap, no memory beyond a bound, time in proportion to the file. A
/// trap ends the process, which is for whoever started it to see.
package enum HostileCheck {
  /// More than the greatest that a file here inflates to, and less than what one of them states.
  private static let memoryLimit = 48 << 20

  /// - Returns: how many pages were opened.
  package static func run(cases: Int) throws -> Int {
    let run = try CrashRun(CrashStart(name: "closed-page").options)
    for step in [CrashStep.commit(.append), .sync, .commit(.batch)] { try run.perform(step) }
    let image = run.system.kill()
    run.end()
    guard let journal = PageFile.paths(image, ".journal").first,
      let snapshot = PageFile.paths(image, ".content").first
    else { throw Violation(1, "a page that was left open has no journal") }
    var opened = try lengths(image, journal)
    opened += try sizes(image, snapshot)
    opened += try times(image, journal)
    return opened + (try chance(image, journal, cases))
  }

  private static func open(_ image: Image) throws -> OpenedPage {
    let system = SimulatedFileSystem.restart(from: image, recordsEvents: false)
    _ = try PageInspector.inspect(CrashRun.page, in: CrashRun.directory, fileSystem: system)
    let store = try PageStore.open(
      CrashRun.directory, options: RecoveredCheck.options,
      environment: .seeded(95, system, ManualExecutor()))
    defer { store.abandon() }
    return try store.open(CrashRun.page)
  }

  /// Lengths that no file has.
  private static func lengths(_ image: Image, _ journal: String) throws -> Int {
    guard let bytes = image[journal] else { return 0 }
    let stated: [UInt64] = [1, 2, 1 << 16, 128 << 20, 128 << 20 + 1, 1 << 31 - 1, 1 << 31, 1 << 32 - 1]
    for length in stated {
      let head = PageFile.littleEndian(length, 4) + [1, 2, 3, 4, 1]
      for cut in 1...head.count {
        let opened = try open(image.replacing(journal, bytes + head[..<cut]))
        guard opened.view?.commit == 6 else {
          throw Violation(12, "a length of \(length) behind whole frames gives \(opened.report)")
        }
      }
    }
    return stated.count * 9
  }

  /// Sizes that a few bytes state.
  private static func sizes(_ image: Image, _ snapshot: String) throws -> Int {
    guard let bytes = image[snapshot], let end = FrameListing(bytes).frames.last(where: { $0.type == .end })
    else {
      return 0
    }
    let before = peakMemory()
    var opened = 0
    for encoding in [UInt8(0), 1] {
      for size in [100 << 20, 127 << 20] {
        var payload = [encoding]
        var rest = size
        while rest >= 0x80 {
          payload.append(UInt8(truncatingIfNeeded: rest) | 0x80)
          rest >>= 7
        }
        payload.append(UInt8(truncatingIfNeeded: rest))
        let hostile = PageFile.appendingFrame(bytes, type: FrameType.place.rawValue, payload + [1, 2, 3])
        _ = try open(
          image.replacing(snapshot, PageFile.appendingFrame(hostile, type: 19, Array(bytes[end.payload]))))
        opened += 1
      }
    }
    let grown = peakMemory() - before
    guard grown < memoryLimit else { throw Violation(12, "a block of three bytes took \(grown >> 20) MiB") }
    return opened
  }

  /// Damage behind which every seventh byte could begin a frame that is half as long as the file.
  private static func times(_ image: Image, _ journal: String) throws -> Int {
    guard let bytes = image[journal] else { return 0 }
    func time(_ size: Int) throws -> Double {
      let unit: [UInt8] = [0, 1, UInt8(size >> 17), 0, 0, 0, 0]
      let noise = (0..<size).map { unit[$0 % 7] }
      let hostile = image.replacing(journal, bytes + [255, 255] + noise)
      let begin = clock()
      _ = try open(hostile)
      return Double(clock() - begin) / Double(CLOCKS_PER_SEC)
    }
    let small = try time(256 << 10)
    let large = try time(512 << 10)
    guard large < 3 * small + 0.25 else {
      throw Violation(12, "256 KiB take \(small) s, 512 KiB \(large) s")
    }
    return 2
  }

  /// Frames with the right crc and nothing else right.
  private static func chance(_ image: Image, _ journal: String, _ cases: Int) throws -> Int {
    guard let bytes = image[journal] else { return 0 }
    for seed in 0..<cases {
      var random = SplitMix64(seed: UInt64(seed))
      var file = bytes
      for _ in 0..<3 {
        let payload = (0..<Int(random.next() % 24)).map { _ in UInt8(truncatingIfNeeded: random.next() >> 9) }
        file = PageFile.appendingFrame(file, type: UInt8(1 + random.next() % 20), payload)
      }
      do { _ = try open(image.replacing(journal, file)) } catch {
        throw violation(error, 12).adding("hostile frames of seed \(seed)")
      }
    }
    return cases
  }

  /// In bytes, as far as the system says.
  private static func peakMemory() -> Int {
    var usage = rusage()
    #if os(Linux)
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
      return Int(usage.ru_maxrss) * 1024
    #else
      getrusage(RUSAGE_SELF, &usage)
      return Int(usage.ru_maxrss)
    #endif
  }
}
