// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"), .treatAllWarnings(as: .error),
]

func ours(_ name: String) -> Target.Dependency { .product(name: name, package: "PageJournal") }

let package = Package(
  name: "Fuzz",
  platforms: [.macOS(.v26)],
  traits: [
    .trait(
      name: "Mutants", description: "Compiles the seeded bugs into the engine, to be chosen at run time.")
  ],
  dependencies: [
    .package(
      name: "PageJournal", path: "..",
      traits: [.defaults, .trait(name: "Mutants", condition: .when(traits: ["Mutants"]))])
  ],
  targets: [
    // What explores the crashes of a page; the tests of the main package build the same files.
    .target(
      name: "PageExplorer", dependencies: [ours("PageJournal"), ours("PageJournalFaults")],
      swiftSettings: settings),
    // The same for a whole document.
    .target(
      name: "DocumentExplorer",
      dependencies: ["PageExplorer", ours("PageJournal"), ours("PageJournalFaults"), ours("LNote")],
      swiftSettings: settings),
    .target(name: "CVolume"),
    .executableTarget(
      name: "crash-fuzz",
      dependencies: [
        "PageExplorer", "DocumentExplorer", "CVolume", ours("PageJournal"), ours("PageJournalFaults"),
        ours("LNote"),
      ],
      swiftSettings: settings,
      linkerSettings: [
        .unsafeFlags(
          [
            "-static-stdlib", "-use-ld=lld", "-lCoreFoundation", "-l_FoundationICU", "-l_FoundationCShims",
            "-l_FoundationCollections", "-lstdc++",
          ], .when(platforms: [.linux]))
      ]),
    // What the fuzzers call; the tests of the main package replay FailCases through the same files.
    .target(
      name: "FuzzEntries",
      dependencies: [
        ours("PageJournal"), ours("PageJournalFaults"), ours("InkElements"), ours("LNote"),
        ours("LNoteFormats"),
      ],
      swiftSettings: settings),
    .target(name: "CFuzzer"),
    .executableTarget(
      name: "fuzz-targets", dependencies: ["FuzzEntries", "CFuzzer"], swiftSettings: settings),
    // Runs crash-fuzz as a process, and so depends on none of its modules.
    .testTarget(name: "CrashFuzzTests", swiftSettings: settings),
  ]
)
