// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults

/// What power cuts left, counted.
struct RealHistogram {
  /// The counts, each in cycles, by what is counted.
  private(set) var counts: [String: Int] = [:]

  mutating func count(_ name: String, if holds: Bool = true) { if holds { counts[name, default: 0] += 1 } }

  mutating func add(_ verdicts: [Verdict]) {
    for verdict in verdicts { counts[verdict.rawValue, default: 0] += 1 }
  }

  /// - Parameters:
  ///   - image: what was found.
  ///   - model: the model that it is a member of.
  mutating func add(_ image: Image, _ model: SimulatedFileSystem) {
    let (all, least) = (model.kill(), model.durableImage())
    count("nothing was pending", if: !model.hasPending)
    count("all of the pending was there", if: model.hasPending && image == all)
    count("none of the pending was there", if: model.hasPending && image == least && image != all)
    count("some of the pending was there", if: image != least && image != all)
    count("names lost or early", if: image.paths != all.paths)
    var (isShort, isLong, hasZeros, isOlder) = (false, false, false, false)
    for path in image.paths {
      guard let found = image[path], let wanted = all[path], found != wanted else { continue }
      if found.count < wanted.count { isShort = true }
      if found.count > wanted.count { isLong = true }
      for start in stride(from: 0, to: min(found.count, wanted.count), by: 512) {
        let range = start..<min(start + 512, found.count, wanted.count)
        guard found[range] != wanted[range] else { continue }
        if found[range].allSatisfy({ $0 == 0 }) { hasZeros = true } else { isOlder = true }
      }
    }
    count("a size fell behind", if: isShort)
    count("a cut was lost", if: isLong)
    count("zeros in place of data", if: hasZeros)
    count("older bytes in place of data", if: isOlder)
  }

  /// A line for people.
  var description: String {
    counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \($0.value)" }
      .joined(separator: ", ")
  }
}
