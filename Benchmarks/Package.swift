// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v26)],
  dependencies: [.package(name: "PageJournal", path: "..")],
  targets: [
    .executableTarget(
      name: "bench",
      dependencies: [
        .product(name: "PageJournal", package: "PageJournal"),
        .product(name: "PageJournalFaults", package: "PageJournal"),
      ],
      swiftSettings: [
        .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"), .treatAllWarnings(as: .error),
      ])
  ]
)
