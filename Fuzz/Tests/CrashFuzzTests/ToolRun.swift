// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// A run of the built crash-fuzz.
struct ToolRun {
  var code: Int32
  var output: String
  var errors: String

  /// The JSON that ends the output.
  func summary() throws -> [String: Any] {
    let line = try #require(output.split(separator: "\n").last, "\(errors)")
    return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
  }

  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Beside the tests, which are built together with it.
  private static func binary() throws -> String {
    let beside = [Bundle.main.executablePath ?? "", CommandLine.arguments.first ?? ""].map {
      URL(filePath: $0).deletingLastPathComponent().appending(path: "crash-fuzz").path
    }
    let candidates =
      beside + ["release", "debug"].map { root.appending(path: ".build/\($0)/crash-fuzz").path }
    return try #require(candidates.first { FileManager.default.isExecutableFile(atPath: $0) })
  }

  /// The program lnote of the package, where it is built.
  static var lnote: String? {
    ["release", "debug"].map { root.deletingLastPathComponent().appending(path: ".build/\($0)/lnote").path }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  init(_ arguments: [String]) throws {
    let streams = FileManager.default.temporaryDirectory.appending(path: "crash-fuzz-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: streams, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: streams) }
    let (out, err) = (streams.appending(path: "out"), streams.appending(path: "err"))
    for file in [out, err] { try Data().write(to: file) }
    let process = Process()
    process.executableURL = URL(filePath: try Self.binary())
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: out)
    process.standardError = try FileHandle(forWritingTo: err)
    try process.run()
    process.waitUntilExit()
    code = process.terminationStatus
    output = String(decoding: try Data(contentsOf: out), as: UTF8.self)
    errors = String(decoding: try Data(contentsOf: err), as: UTF8.self)
  }
}
