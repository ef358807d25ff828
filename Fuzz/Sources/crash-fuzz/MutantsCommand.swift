// SPDX-License-Identifier: Apache-2.0

import Foundation

/// `crash-fuzz mutants`: bugs on purpose, one at a time, each to be found by the invariant that was named for it.
enum MutantsCommand {
  static let usage = """
    usage: crash-fuzz mutants [--only NAME] [--list] [--json FILE]
      Switches on one seeded bug after the other and runs the checks that have to find it. Every one has to be caught by
      the invariant that was named for it beforehand, and a run without any has to find nothing.
      --only NAME  this one, without the run that has none; may be given several times
      --list       says which there are
      --json FILE  writes the results there as well
    """

  static func run(_ arguments: [String]) -> Int32 {
    #if Mutants
      return MutantRuns.run(arguments)
    #else
      return withMutants(arguments)
    #endif
  }

  /// This program again, from a build that has them.
  private static func withMutants(_ arguments: [String]) -> Int32 {
    let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().path
    let command = [
      "swift", "run", "-c", "release", "--package-path", package, "--traits", "Mutants", "--scratch-path",
      "\(package)/.build/mutants", "crash-fuzz", "mutants",
    ]
    say(
      "crash-fuzz mutants: this build has none; building one that has:\n  \(command.joined(separator: " "))")
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command + arguments
    do {
      try process.run()
    } catch {
      say("crash-fuzz mutants: swift could not be started: \(error.localizedDescription)")
      return 69
    }
    process.waitUntilExit()
    return process.terminationStatus
  }

  static func say(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
}
