// SPDX-License-Identifier: Apache-2.0

import Testing

/// The rules that the sources keep, each with a sample that breaks it: a rule that finds nothing there is broken itself.
@Suite struct SourcePolicies {
  private func sample(_ path: String, _ text: String) -> [SourceFile] { [SourceFile(path: path, text: text)] }

  private func requireClean(_ findings: [Finding]) { #expect(findings.isEmpty, "\(findings.listed)") }

  @Test func theRepositoryIsSeen() {
    #expect(Repository.sources.count > 100)
    #expect(Repository.swiftFiles.contains { $0.path == "Package.swift" })
    #expect(Repository.scripts.contains { $0.path == ".ci/run" })
  }

  @Test func everyFileSaysItsLicenceFirst() {
    requireClean(LicenceLine.findings(Repository.swiftFiles + Repository.scripts + Repository.cFiles))
    let licence = "SPDX-License-Identifier: Apache-2.0"
    #expect(LicenceLine.findings(sample("a.swift", "import Testing\n")).count == 1)
    #expect(LicenceLine.findings(sample("a.swift", "\n// \(licence)\n")).count == 1)
    #expect(LicenceLine.findings(sample("a.sh", "#!/bin/sh\necho\n# \(licence)\n")).count == 1)
    #expect(LicenceLine.findings(sample("a.swift", "")).count == 1)
    #expect(LicenceLine.findings(sample("a.sh", "#!/bin/sh\n# \(licence)\n")).isEmpty)
  }

  @Test func noFileIsTooLong() {
    requireClean(FileLength.findings(Repository.swiftFiles + Repository.scripts))
    #expect(FileLength.findings(sample("a", String(repeating: "x\n", count: 401))).count == 1)
    #expect(FileLength.findings(sample("a", String(repeating: "x\n", count: 400))).isEmpty)
  }

  @Test func nothingTrapsOnInput() {
    requireClean(Traps.findings(Repository.swiftFiles))
    let bad = """
      let a = try! f()
      let b = c as! D
      fatalError("no")
      precondition(a > 0)
      exit(1)
      """
    #expect(Traps.findings(sample("Sources/A/a.swift", bad)).count == 5)
    #expect(Traps.findings(sample("Tests/A/a.swift", bad)).count == 2)
    let good = "// try! it\nlet text = \"fatalError(1)\"\npage.exit(1)\nfunc exit(_ code: Int) {}\n"
    #expect(Traps.findings(sample("Sources/A/a.swift", good)).isEmpty)
    #expect(Traps.findings(sample("Sources/A/a.swift", "let a = \"\\(try! f())\"")).count == 1)
  }

  @Test func modulesKnowOnlyModulesToTheirLeft() {
    requireClean(Imports.findings(Repository.sources))
    func faults(_ module: String, _ text: String) -> Int {
      Imports.findings(sample("Sources/\(module)/Sub/a.swift", text)).count
    }
    #expect(faults("PageJournal", "import InkElements") == 1)
    #expect(faults("InkElements", "public import LNote") == 1)
    #expect(faults("LNote", "@testable import LNoteFormats") == 1)
    #expect(faults("LNoteFormats", "import struct PageJournalFaults.FaultPlan") == 1)
    #expect(faults("PageJournal", "import Foundation") == 1)
    #expect(faults("InkElements", "internal import FoundationEssentials") == 1)
    #expect(faults("PageJournal", "import Glibc") == 1)
    #expect(faults("Elsewhere", "") == 1)
    #expect(faults("LNote", "import Foundation\npublic import PageJournal\n") == 0)
    #expect(faults("PageJournal", "import Synchronization // not import Foundation") == 0)
  }

  @Test func theEngineNamesOnlyWhatFoldersToTheLeftDeclare() {
    requireClean(Rooms.findings(Repository.sources))
    let left = SourceFile(
      path: "Sources/PageJournal/Bytes/a.swift", text: "struct Low {}\nfunc f(_ page: High) {}")
    let right = SourceFile(
      path: "Sources/PageJournal/Pages/b.swift",
      text: "public final class High {\n  struct Inner {}\n}\nextension Low {}\nprivate struct Own {}")
    #expect(Rooms.findings([left, right]).map(\.line) == [2])
    #expect(Rooms.declarations(right) == ["High"])
    #expect(Rooms.findings(sample("Sources/PageJournal/c.swift", "")).count == 1)
    #expect(Rooms.findings([right]).isEmpty)
  }

  @Test func systemsDifferInOneRoomOnly() {
    requireClean(PlatformRoom.conditionFindings(Repository.sources))
    requireClean(PlatformRoom.errorNumberFindings(Repository.sources))
    let bad = "  #if os(Linux)\n#elseif canImport(Darwin)\n#endif\nif errno == ENOENT {}\n"
    #expect(PlatformRoom.conditionFindings(sample("Sources/A/a.swift", bad)).count == 2)
    #expect(PlatformRoom.errorNumberFindings(sample("Sources/A/a.swift", bad)).count == 2)
    #expect(PlatformRoom.conditionFindings(sample(PlatformRoom.path + "a.swift", bad)).isEmpty)
    #expect(PlatformRoom.conditionFindings(sample("Sources/A/a.swift", "#if DEBUG\n#endif")).isEmpty)
    #expect(PlatformRoom.errorNumberFindings(sample("Sources/A/a.swift", "// errno, ENOENT")).isEmpty)
  }

  @Test func unsafeCodeStandsInListedFiles() {
    requireClean(UnsafeCode.findings(Repository.sources))
    func faults(_ text: String, allowed: Set<String>) -> Int {
      UnsafeCode.findings(sample("Sources/A/a.swift", text), allowed: allowed).count
    }
    #expect(faults("let a = unsafe b()", allowed: []) == 1)
    #expect(faults("@safe final class A: @unchecked Sendable {}", allowed: []) == 2)
    #expect(faults("nonisolated(unsafe) var a = 1", allowed: []) == 1)
    #expect(faults("// unsafe\nlet text = \"unsafe\"\nlet safe = 1", allowed: []) == 0)
    #expect(faults("let a = unsafe b()", allowed: ["Sources/A/a.swift"]) == 1)
    #expect(faults("// \(UnsafeCode.reason): b.\nunsafe b()", allowed: ["Sources/A/a.swift"]) == 0)
    #expect(faults("let a = 1", allowed: ["Sources/A/gone.swift"]) == 1)
  }

  @Test func commentsAndLiteralsAreNotCode() {
    let file = SourceFile(
      path: "a.swift",
      text: """
        a /* b /* c */ d */ e // f
        "g\\"h" + #"i"j"# + "k\\(l("m"))n" + o
        """)
    #expect(file.words.map(\.word) == ["a", "e", "l", "o"])
    #expect(file.words.map(\.line) == [1, 1, 2, 2])
  }
}
