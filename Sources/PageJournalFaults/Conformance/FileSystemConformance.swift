// SPDX-License-Identifier: Apache-2.0

public import PageJournal

/// What the engine relies on in a file system, as checks that anyone can run against their own.
///
/// It cannot check durability: that takes a power cut.
public enum FileSystemConformance {
  /// Runs all checks, each in a directory of its own.
  /// - Parameters:
  ///   - system: The file system to be checked.
  ///   - freshDirectory: Makes a new, empty directory and gives its path, without a separator at the end.
  /// - Returns: A sentence for each check that failed; empty when the file system can be used.
  public static func failures(
    of system: any FileSystem, freshDirectory: () throws(StorageError) -> String
  ) -> [String] {
    var failures: [String] = []
    for check in contentChecks + nameChecks + directoryChecks {
      do {
        let bench = ConformanceBench(system: system, directory: try freshDirectory())
        try check.body(bench)
      } catch {
        failures.append("\(check.name): \(error)")
      }
    }
    return failures
  }

  /// The names of all checks, in the order in which they run.
  public static var checkNames: [String] { (contentChecks + nameChecks + directoryChecks).map(\.name) }
}

/// One check; it throws what it misses.
struct ConformanceCheck {
  var name: String
  var body: (ConformanceBench) throws(StorageError) -> Void

  init(_ name: String, _ body: @escaping (ConformanceBench) throws(StorageError) -> Void) {
    self.name = name
    self.body = body
  }
}

/// A directory to check in, and the steps that checks share.
struct ConformanceBench {
  let system: any FileSystem
  let directory: String

  func path(_ name: String) -> String { directory + "/" + name }

  func expect(_ holds: Bool, _ cause: String) throws(StorageError) {
    if !holds { throw StorageError(.internal, "rely on the file system", cause: cause) }
  }

  func expectEqual<Value: Equatable>(_ found: Value, _ wanted: Value, _ what: String) throws(StorageError) {
    try expect(found == wanted, "\(what) is \(found), expected \(wanted)")
  }

  /// Expects an error, with one of the codes when there are some.
  func expectError(
    _ codes: StorageError.Code..., when what: String, _ body: () throws(StorageError) -> Void
  ) throws(StorageError) {
    do {
      try body()
    } catch {
      let wanted = codes.map(\.rawValue).joined(separator: " or ")
      try expect(
        codes.isEmpty || codes.contains(error.code),
        "\(what) throws \(error.code.rawValue), expected \(wanted)")
      return
    }
    throw StorageError(.internal, "rely on the file system", cause: "\(what) throws nothing")
  }

  /// Writes all of it, in as many calls as the file takes.
  func write(_ bytes: [UInt8], to file: any File, at offset: UInt64 = 0) throws(StorageError) {
    var done = 0
    while done < bytes.count {
      let taken = try file.write(bytes.span.extracting(done..<bytes.count), at: offset + UInt64(done))
      try expect(
        taken >= 1 && taken <= bytes.count - done, "a write of \(bytes.count - done) bytes took \(taken)")
      done += taken
    }
  }

  func make(_ name: String, _ bytes: [UInt8] = []) throws(StorageError) {
    let file = try system.open(path(name), .createNew)
    defer { file.close() }
    try write(bytes, to: file)
  }

  func content(_ name: String) throws(StorageError) -> [UInt8] {
    let file = try system.open(path(name), .read)
    defer { file.close() }
    return try file.read(at: 0, count: 1 << 20)
  }

  func names() throws(StorageError) -> [String] { try system.names(in: directory).sorted() }

  static func pattern(_ count: Int, _ start: UInt8 = 1) -> [UInt8] {
    (0..<count).map { start &+ UInt8(truncatingIfNeeded: $0 &* 7) }
  }
}
