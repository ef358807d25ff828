// SPDX-License-Identifier: Apache-2.0

import Foundation
import LNoteFormats
import Testing

/// What a run of the binary gave.
struct Run {
  var code: Int32
  /// Whether a signal ended it: a trap is one.
  var wasKilled: Bool
  var output: Data
  var errors: String

  var text: String { String(decoding: output, as: UTF8.self) }
  var lines: [String] { text.split(separator: "\n").map(String.init) }
  var errorLines: [String] { errors.split(separator: "\n").map(String.init) }

  /// Standard output as one JSON value.
  func json() throws -> JSONValue { try JSONValue(parsing: [UInt8](output)) }

  /// Standard output as a JSON value a line.
  func answers() throws -> [JSONValue] { try lines.map { try JSONValue(parsing: [UInt8]($0.utf8)) } }
}

/// The built `lnote`, as a process.
enum Command {
  static let binary: String = {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    #if DEBUG
      let configuration = "debug"
    #else
      let configuration = "release"
    #endif
    let beside = [Bundle.main.executablePath ?? "", CommandLine.arguments.first ?? ""].map {
      URL(filePath: $0).deletingLastPathComponent().appending(path: "lnote").path
    }
    let candidates = beside + [root.appending(path: ".build/\(configuration)/lnote").path]
    return candidates.first { FileManager.default.isExecutableFile(atPath: $0) } ?? "lnote"
  }()

  /// Runs it to its end. The streams are files, so that no pipe can fill up.
  static func run(
    _ arguments: [String], input: Data = Data(), in directory: Scratch? = nil
  ) throws -> Run {
    let streams = try Scratch()
    let process = Process()
    process.executableURL = URL(filePath: binary)
    process.arguments = arguments
    if let directory { process.currentDirectoryURL = URL(filePath: directory.path) }
    try input.write(to: URL(filePath: streams / "in"))
    for name in ["out", "err"] { try Data().write(to: URL(filePath: streams / name)) }
    process.standardInput = FileHandle(forReadingAtPath: streams / "in")
    process.standardOutput = FileHandle(forWritingAtPath: streams / "out")
    process.standardError = FileHandle(forWritingAtPath: streams / "err")
    try process.run()
    process.waitUntilExit()
    return Run(
      code: process.terminationStatus, wasKilled: process.terminationReason == .uncaughtSignal,
      output: try Data(contentsOf: URL(filePath: streams / "out")),
      errors: String(decoding: try Data(contentsOf: URL(filePath: streams / "err")), as: UTF8.self))
  }

  static func run(_ arguments: String..., input: String = "", in directory: Scratch? = nil) throws -> Run {
    try run(arguments, input: Data(input.utf8), in: directory)
  }

  /// Runs a line of the shell, with `$L` for the binary, in a folder.
  static func shell(_ line: String, in directory: Scratch) throws -> Run {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", line]
    process.currentDirectoryURL = URL(filePath: directory.path)
    process.environment = ProcessInfo.processInfo.environment.merging(["L": binary]) { $1 }
    let streams = try Scratch()
    for name in ["out", "err"] { try Data().write(to: URL(filePath: streams / name)) }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle(forWritingAtPath: streams / "out")
    process.standardError = FileHandle(forWritingAtPath: streams / "err")
    try process.run()
    process.waitUntilExit()
    return Run(
      code: process.terminationStatus, wasKilled: process.terminationReason == .uncaughtSignal,
      output: try Data(contentsOf: URL(filePath: streams / "out")),
      errors: String(decoding: try Data(contentsOf: URL(filePath: streams / "err")), as: UTF8.self))
  }
}

/// A folder that goes with the test.
final class Scratch: Sendable {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appending(path: "lnote-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  static func / (scratch: Scratch, name: String) -> String { "\(scratch.path)/\(name)" }

  func write(_ name: String, _ bytes: some Sequence<UInt8>) throws {
    try Data(bytes).write(to: URL(filePath: self / name))
  }

  func write(_ name: String, _ text: String) throws { try write(name, text.utf8) }

  func bytes(_ name: String) throws -> Data { try Data(contentsOf: URL(filePath: self / name)) }

  func names(_ folder: String = "") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? path : self / folder).sorted()
  }

  /// Every file below, with its bytes; every folder, with none.
  func everything() throws -> [String: Data] {
    var found: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
      let attributes = try FileManager.default.attributesOfItem(atPath: self / name)
      let isFile = attributes[.type] as? FileAttributeType == .typeRegular
      found[name] = isFile ? try bytes(name) : Data()
    }
    return found
  }
}

/// Expects a failure that is one clear sentence, and nothing on standard output.
func expectSentence(
  _ run: Run, _ code: Int32, _ parts: String..., location: SourceLocation = #_sourceLocation
) {
  #expect(!run.wasKilled, "ended by signal \(run.code)", sourceLocation: location)
  #expect(run.code == code, "\(run.errors)", sourceLocation: location)
  #expect(run.output.isEmpty, sourceLocation: location)
  #expect(run.errorLines.count == 1, "\(run.errors)", sourceLocation: location)
  #expect(run.errors.hasPrefix("lnote"), "\(run.errors)", sourceLocation: location)
  for blemish in ["cannot cannot", "()", ": :", "Error(", "nil", "Optional"] {
    #expect(!run.errors.contains(blemish), "\(run.errors)", sourceLocation: location)
  }
  for part in parts { #expect(run.errors.contains(part), "\(run.errors)", sourceLocation: location) }
}

let seed = UInt64(20_260_301)

/// A generator that gives the same numbers on every run.
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }
}
