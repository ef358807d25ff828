// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A program that a test runs.
struct Command {
  var status: Int32
  /// Standard output and standard error as one text.
  var output: String

  /// Runs a program found on the PATH, or where the Swift toolchain is.
  static func run(_ name: String, _ arguments: [String]) throws -> Command {
    let process = Process()
    process.executableURL = try find(name)
    process.arguments = arguments
    process.currentDirectoryURL = Repository.root
    process.standardInput = FileHandle.nullDevice
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let bytes = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return Command(status: process.terminationStatus, output: String(decoding: bytes, as: UTF8.self))
  }

  struct NotFound: Error, CustomStringConvertible {
    var name: String
    var description: String { "\(name) is not on the PATH; the tests need it" }
  }

  private static func find(_ name: String) throws -> URL {
    if name.hasPrefix("/") { return URL(fileURLWithPath: name) }
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    for folder in path.split(separator: ":") + ["/opt/swift/usr/bin", "/usr/bin"] {
      let file = "\(folder)/\(name)"
      if FileManager.default.isExecutableFile(atPath: file) { return URL(fileURLWithPath: file) }
    }
    throw NotFound(name: name)
  }
}

/// A folder for what a test builds. It lies among the builds and is kept, so that the next run builds less.
func buildFolder(_ name: String) throws -> String {
  let folder = Repository.root.appendingPathComponent(".build/policy/\(name)").path
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  return folder
}
