// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
]

// The engine adds its size to every app that embeds it. Optimised for size, a buffered commit takes 0.4 instead of 0.3
// microseconds, opening and replay as long as before; and the linker leaves out what the app never calls.
let small: [SwiftSetting] = [
  .unsafeFlags(
    ["-Osize", "-Xfrontend", "-function-sections", "-Xfrontend", "-internalize-at-link"],
    .when(configuration: .release))
]

let tests: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
  name: "PageJournal",
  platforms: [.macOS(.v26), .iOS(.v26), .tvOS(.v26), .watchOS(.v26), .visionOS(.v26)],
  products: [
    .library(name: "PageJournal", targets: ["PageJournal"]),
    .library(name: "PageJournalFaults", targets: ["PageJournalFaults"]),
    .library(name: "InkElements", targets: ["InkElements"]),
    .library(name: "LNote", targets: ["LNote"]),
    .library(name: "LNoteFormats", targets: ["LNoteFormats"]),
    .executable(name: "lnote", targets: ["LNoteCommand"]),
  ],
  traits: [
    .trait(name: "Mutants", description: "Seeded bugs for Fuzz; never part of an app.")
  ],
  targets: [
    .systemLibrary(
      name: "CZlib", pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .target(name: "PageJournal", dependencies: ["CZlib"], swiftSettings: strict + small),
    .target(name: "PageJournalFaults", dependencies: ["PageJournal"], swiftSettings: strict),
    .target(name: "InkElements", dependencies: ["PageJournal"], swiftSettings: strict),
    .target(name: "LNote", dependencies: ["PageJournal", "InkElements"], swiftSettings: strict),
    .target(
      name: "LNoteFormats", dependencies: ["LNote", "InkElements", "CZlib"], swiftSettings: strict),
    .executableTarget(
      name: "LNoteCommand",
      dependencies: ["PageJournal", "InkElements", "LNote", "LNoteFormats"],
      swiftSettings: strict),
    // The package Fuzz builds these files too; here they are part of no product.
    .target(
      name: "PageExplorer", dependencies: ["PageJournal", "PageJournalFaults"],
      path: "Fuzz/Sources/PageExplorer", swiftSettings: tests),
    .target(
      name: "DocumentExplorer", dependencies: ["PageExplorer", "PageJournal", "PageJournalFaults", "LNote"],
      path: "Fuzz/Sources/DocumentExplorer", swiftSettings: tests),
    .target(
      name: "FuzzEntries",
      dependencies: ["PageJournal", "PageJournalFaults", "InkElements", "LNote", "LNoteFormats"],
      path: "Fuzz/Sources/FuzzEntries", swiftSettings: tests),
    .testTarget(
      name: "PageJournalTests", dependencies: ["PageJournal", "PageJournalFaults", "PageExplorer"],
      exclude: ["Goldens"],
      swiftSettings: tests),
    .testTarget(
      name: "PageJournalFaultsTests", dependencies: ["PageJournal", "PageJournalFaults"],
      swiftSettings: tests),
    .testTarget(name: "InkElementsTests", dependencies: ["InkElements"], swiftSettings: tests),
    .testTarget(
      name: "LNoteTests",
      dependencies: ["PageJournal", "PageJournalFaults", "InkElements", "LNote", "DocumentExplorer"],
      swiftSettings: tests),
    .testTarget(
      name: "LNoteFormatsTests", dependencies: ["InkElements", "LNote", "LNoteFormats"],
      swiftSettings: tests),
    .testTarget(name: "PolicyTests", swiftSettings: tests),
    .testTarget(name: "FuzzTests", dependencies: ["FuzzEntries"], swiftSettings: tests),
    .testTarget(
      name: "LNoteCommandTests", dependencies: ["LNoteCommand", "LNoteFormats", "PageJournal"],
      swiftSettings: tests),
  ]
)
