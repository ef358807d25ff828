// SPDX-License-Identifier: Apache-2.0

import Foundation
import PageJournal

/// Measures the engine on this machine. Times are for comparing within one run, never for a test.
@main
struct Bench {
  static func main() throws {
    let words = Array(CommandLine.arguments.dropFirst())
    let directory = FileManager.default.temporaryDirectory.path + "/pagejournal-bench-\(getpid())"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    switch words.first ?? "all" {
    case "costs": try Costs.run(directory)
    case "durable": try Durable.run(directory)
    case "all":
      try Durable.run(directory)
      try Costs.run(directory)
    default:
      FileHandle.standardError.write(
        Data(
          """
          usage: bench [all | costs | durable]

            costs    microseconds of one operation on pages of 100 to 1,000,000 elements
            durable  a durable commit against write + fdatasync of the same bytes, and against rewriting the page

          """.utf8))
      exit(64)
    }
  }
}

/// Nanoseconds of `body`.
func nanoseconds(_ body: () throws -> Void) rethrows -> Double {
  let clock = ContinuousClock()
  let (seconds, attoseconds) = try clock.measure(body).components
  return Double(seconds) * 1e9 + Double(attoseconds) * 1e-9
}

func median(_ values: [Double]) -> Double {
  let sorted = values.sorted()
  return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
}

func text(_ value: Double, _ digits: Int = 2, width: Int = 10) -> String {
  let text = String(format: "%.\(digits)f", value)
  return String(repeating: " ", count: max(0, width - text.count)) + text
}
