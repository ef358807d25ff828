// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

#if os(Linux)

  /// What the engine adds to an app: a release build of a program that uses it (the example of the README) beside the same
  /// program without it, the standard library linked dynamically, both stripped.
  @Suite struct LinkSize {
    /// Bytes.
    static let limit = 400_000

    private static func stripped(_ program: String, in folder: String) throws -> (path: String, size: Int) {
      let target = "\(folder)/\(program).stripped"
      let strip = try Command.run("strip", ["-o", target, "\(folder)/release/\(program)"])
      try #require(strip.status == 0, "\(strip.output)")
      let attributes = try FileManager.default.attributesOfItem(atPath: target)
      return (target, try #require(attributes[.size] as? Int))
    }

    @Test func theEngineIsSmallAndLoadsNoFoundation() throws {
      let folder = try buildFolder("link-size")
      // The plan of an earlier build does not know files that were added to the engine since.
      try? FileManager.default.removeItem(atPath: "\(folder)/release.yaml")
      let build = try Command.run(
        "swift",
        ["build", "--package-path", "Tests/Fixtures/LinkSize", "--scratch-path", folder, "-c", "release"])
      try #require(build.status == 0, "\(build.output)")
      let with = try Self.stripped("WithEngine", in: folder)
      let without = try Self.stripped("WithoutEngine", in: folder)
      print(
        "link size: \(with.size) bytes with the engine, \(without.size) without, \(with.size - without.size) more"
      )
      #expect(with.size - without.size <= Self.limit)
      #expect(with.size > without.size + 50_000, "the engine is not in it")

      try Mutants.requireNone(in: try Data(contentsOf: URL(filePath: "\(folder)/release/WithEngine")))

      let libraries = try Command.run("ldd", [with.path])
      #expect(libraries.status == 0 && libraries.output.contains("libswiftCore"), "\(libraries.output)")
      #expect(!libraries.output.contains("Foundation"), "\(libraries.output)")

      let notes = "\(folder)/notes"
      try? FileManager.default.removeItem(atPath: notes)
      let run = try Command.run(with.path, [notes])
      #expect(run.output == "verdict: clean\nelement 2: 1 bytes\n")
    }
  }

#endif
