// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6), .strictMemorySafety(), .treatAllWarnings(as: .error),
]

// Two programs that differ in the engine alone, for the test that measures what it adds to an app. With the engine, it is
// the example of the README.
let package = Package(
  name: "LinkSize",
  platforms: [.macOS(.v26)],
  dependencies: [.package(name: "PageJournal", path: "../../..")],
  targets: [
    .executableTarget(
      name: "WithEngine", dependencies: [.product(name: "PageJournal", package: "PageJournal")],
      swiftSettings: settings),
    .executableTarget(name: "WithoutEngine", swiftSettings: settings),
  ]
)
