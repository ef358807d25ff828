// SPDX-License-Identifier: Apache-2.0

import Foundation
import PageExplorer
import Synchronization

#if Mutants

  /// What one run found, with a bug or without.
  struct MutantResult: Codable, Sendable {
    var name: String
    /// The invariant that was named; nil for a run without a bug, which has to find nothing.
    var named: Int?
    /// The one that found it; nil for none.
    var caughtBy: Int?
    var states: Int
    var seconds: Double
    var sequence: String
    var finding: String

    var isRight: Bool { named == caughtBy }
  }

  /// Runs every bug in a process of its own, two at a time: what a process was shown first stays in it, and some end it.
  enum MutantRuns {
    private static let longest: Double = 200

    static func run(_ request: MutantsCommand.Request) throws(UsageError) -> Int32 {
      if let job = request.job { return try child(job) }
      for name in request.only where !SeededBug.all.contains(where: { $0.name == name }) {
        throw UsageError("\"\(name)\" is no mutant; --list says which there are")
      }
      guard request.isList else { return all(request.only, request.file) }
      for bug in SeededBug.all { Tool.tell("\(bug.name): invariant \(bug.invariant), \(bug.battery.name)") }
      return 0
    }

    // MARK: One run

    private static func child(_ job: String) throws(UsageError) -> Int32 {
      let bug = SeededBug.all.first { $0.name == job }
      let battery: Battery
      if let bug {
        battery = bug.battery
      } else if let number = Int(job), Battery.control.indices.contains(number) {
        battery = Battery.control[number]
      } else {
        throw UsageError("\"\(job)\" is no mutant")
      }
      let begin = ContinuousClock.now
      let outcome = bug?.run() ?? battery.run()
      let result = MutantResult(
        name: bug?.name ?? battery.name, named: bug?.invariant, caughtBy: outcome.violation?.invariant,
        states: outcome.states, seconds: seconds(since: begin), sequence: outcome.sequence,
        finding: outcome.violation?.text ?? "")
      guard let line = try? JSONEncoder().encode(result) else { return 70 }
      FileHandle.standardOutput.write(line)
      return 0
    }

    private static func seconds(since begin: ContinuousClock.Instant) -> Double {
      let (seconds, attoseconds) = (ContinuousClock.now - begin).components
      return Double(seconds) + Double(attoseconds) / 1e18
    }

    private static func result(of job: String, _ name: String, _ named: Int?) -> MutantResult {
      let begin = ContinuousClock.now
      var failed = MutantResult(
        name: name, named: named, caughtBy: nil, states: 0, seconds: 0, sequence: "", finding: "")
      let process = Process()
      let output = Pipe()
      process.executableURL = Bundle.main.executableURL
      process.arguments = ["mutants", "--child", job]
      process.standardOutput = output
      process.standardError = FileHandle.nullDevice
      // A trap is a finding here, and nobody reads the trace.
      process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) {
        $1
      }
      do {
        try process.run()
      } catch {
        failed.finding = "the process could not be started: \(error.localizedDescription)"
        return failed
      }
      let end = DispatchWorkItem { [process] in process.terminate() }
      DispatchQueue.global().asyncAfter(deadline: .now() + longest, execute: end)
      let data = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      end.cancel()
      failed.seconds = seconds(since: begin)
      if let result = try? JSONDecoder().decode(MutantResult.self, from: data) { return result }
      if failed.seconds >= longest {
        failed.finding = "it was not done in \(Int(longest)) s"
      } else if process.terminationReason == .uncaughtSignal {
        failed.caughtBy = 12
        failed.sequence = "the process was ended by signal \(process.terminationStatus)"
      } else {
        failed.finding = "the process ended with \(process.terminationStatus)"
      }
      return failed
    }

    // MARK: All of them

    private static func all(_ only: [String], _ file: String?) -> Int32 {
      let begin = ContinuousClock.now
      var results: [MutantResult] = []
      if only.isEmpty {
        Tool.tell("without a bug:")
        results = parallel(
          Battery.control.enumerated().map { ("\($0.offset)", $0.element.name, nil) })
        let wrong = results.filter { !$0.isRight }
        let states = results.reduce(0) { $0 + $1.states }
        Tool.tell("  \(states) states in \(results.count) sets of checks, \(wrong.count) with a violation\n")
        guard wrong.isEmpty else {
          Tool.tell("Nothing can be said of bugs while the checks find something without one.")
          return finish(results, file) ? 1 : 74
        }
      }
      let bugs = SeededBug.all.filter { only.isEmpty || only.contains($0.name) }
      Tool.tell("with one bug each:")
      let found = parallel(bugs.map { ($0.name, $0.name, $0.invariant) })
      let wrong = found.filter { !$0.isRight }
      let total = String(format: "%.0f", seconds(since: begin))
      Tool.tell(
        "\n\(found.count - wrong.count) of \(found.count) caught by the invariant named for them, in \(total) s"
      )
      for result in wrong {
        let what = result.caughtBy.map { "caught by invariant \($0)" } ?? "not caught"
        Tool.tell(
          "\n\(result.name): \(what), named was \(result.named ?? 0)\n\(result.sequence)\n\(result.finding.prefix(3000))"
        )
      }
      guard finish(results + found, file) else { return 74 }
      return wrong.isEmpty && !found.isEmpty ? 0 : 1
    }

    private static func finish(_ results: [MutantResult], _ file: String?) -> Bool {
      guard let file else { return true }
      do {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(results).write(to: URL(filePath: file))
        return true
      } catch {
        Tool.say("crash-fuzz mutants: \(file) cannot be written: \(error.localizedDescription)")
        return false
      }
    }

    private final class Line: Sendable {
      let state = Mutex<(next: Int, results: [Int: MutantResult])>((0, [:]))
    }

    private static func parallel(_ jobs: [(job: String, name: String, named: Int?)]) -> [MutantResult] {
      Tool.tell(row("mutant", "named", "caught by", "states", "s", "smallest sequence"))
      let line = Line()
      let jobs = jobs
      DispatchQueue.concurrentPerform(
        iterations: max(1, min(ProcessInfo.processInfo.activeProcessorCount, jobs.count))
      ) { _ in
        while true {
          let number = line.state.withLock { state in
            state.next += 1
            return state.next - 1
          }
          guard number < jobs.count else { return }
          let result = result(of: jobs[number].job, jobs[number].name, jobs[number].named)
          line.state.withLock { state in
            state.results[number] = result
            Tool.tell(
              row(
                result.name, result.named.map { "\($0)" } ?? "none",
                (result.caughtBy.map { "\($0)" } ?? "none") + (result.isRight ? "" : " !"),
                "\(result.states)",
                String(format: "%.1f", result.seconds), result.sequence))
          }
        }
      }
      return line.state.withLock { state in jobs.indices.compactMap { state.results[$0] } }
    }

    private static func row(
      _ name: String, _ named: String, _ caught: String, _ states: String, _ seconds: String,
      _ sequence: String
    ) -> String {
      func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
      }
      return "  " + padded(name, 34) + padded(named, 7) + padded(caught, 11) + padded(states, 8)
        + padded(seconds, 7) + sequence
    }
  }

#endif
