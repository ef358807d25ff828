// SPDX-License-Identifier: Apache-2.0

import Foundation

/// `crash-fuzz mutants`: bugs on purpose, one at a time, each to be found by the invariant that was named for it.
enum MutantsCommand {
  struct Request {
    var only: [String] = []
    var isList = false
    var file: String?
    /// One run for a parent process.
    var job: String?

    init(_ arguments: [String]) throws(UsageError) {
      var rest = arguments[...]
      func value(_ name: String, _ rest: inout ArraySlice<String>) throws(UsageError) -> String {
        guard let value = rest.popFirst() else { throw UsageError("\(name) needs a value") }
        return value
      }
      while let word = rest.popFirst() {
        switch word {
        case "--list": isList = true
        case "--only": only.append(try value(word, &rest))
        case "--json": file = try value(word, &rest)
        case "--child": job = try value(word, &rest)
        default: throw UsageError("there is no option \(word) here; known are --json, --list, --only")
        }
      }
    }
  }

  static func run(_ arguments: [String]) throws(UsageError) -> Int32 {
    let request = try Request(arguments)
    #if Mutants
      return try MutantRuns.run(request)
    #else
      _ = request
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
    Tool.say(
      "crash-fuzz mutants: this build has none; building one that has:\n  \(command.joined(separator: " "))")
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command + arguments
    do {
      try process.run()
    } catch {
      Tool.say("crash-fuzz mutants: swift could not be started: \(error.localizedDescription)")
      return 69
    }
    process.waitUntilExit()
    return process.terminationStatus
  }
}
