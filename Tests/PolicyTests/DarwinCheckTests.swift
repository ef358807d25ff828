// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

#if !canImport(Darwin)

  /// The branches for Apple systems, checked on a system that is none: against a module that declares what they use there.
  /// On an Apple system the build itself is the check.
  @Suite(.serialized) struct DarwinCheck {
    /// The settings of the package's own targets, read from the manifest so that the two cannot differ.
    private static func strictFlags() throws -> [String] {
      let manifest = try #require(Repository.text("Package.swift"))
      var flags = [
        "-swift-version", "6", "-strict-memory-safety", "-warnings-as-errors", "-parse-as-library",
      ]
      for match in manifest.matches(of: /enableUpcomingFeature\("(\w+)"\)/) {
        flags += ["-enable-upcoming-feature", String(match.1)]
      }
      #expect(flags.contains("ExistentialAny"))
      return flags
    }

    private static func stubFolder() throws -> String {
      let folder = try buildFolder("darwin")
      let build = try Command.run(
        "swiftc",
        [
          "-swift-version", "6", "-parse-as-library", "-emit-module", "-module-name", "Darwin",
          "-o", "\(folder)/Darwin.swiftmodule", "Tests/Fixtures/DarwinStub/Darwin.swift",
        ])
      try #require(build.status == 0, "\(build.output)")
      return folder
    }

    /// Everything up to the diagnostics of data flow, which come after the type-check.
    private static func check(_ files: [String], module: String) throws -> Command {
      try Command.run(
        "swiftc",
        try strictFlags() + [
          "-wmo", "-package-name", "PageJournal", "-emit-sil", "-o", "/dev/null", "-module-name", module,
          "-I", try stubFolder(), "-I",
          "Sources/CZlib",
        ] + files)
    }

    @Test func theEngineCompilesForDarwin() throws {
      let files = Repository.sources.map(\.path).filter { $0.hasPrefix("Sources/PageJournal/") }
      #expect(files.count > 30)
      let result = try Self.check(files, module: "PageJournal")
      #expect(result.status == 0, "\(result.output)")
    }

    @Test func aMistakeInABranchForDarwinIsFound() throws {
      let file = try buildFolder("darwin") + "/mistake.swift"
      func outcome(_ flag: String) throws -> Int32 {
        let text = """
          #if canImport(Darwin)
            import Darwin
            func full(_ descriptor: Int32) -> Bool { fcntl(descriptor, \(flag)) == 0 }
          #endif
          """
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        return try Self.check([file], module: "Mistake").status
      }
      #expect(try outcome("F_FULLFSYNC") == 0)
      #expect(try outcome("F_FULLSYNC") != 0)
    }
  }

#endif
