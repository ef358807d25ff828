// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults
import Testing

/// Bytes that are neither zeros nor alike from place to place.
func ink(_ count: Int, _ start: UInt8 = 1) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: ($0 &* 31 &+ Int(start)) % 251 + 1) }
}

func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

extension FileSystem {
  /// Creates a file, or opens it when it exists, and writes at an offset.
  func put(_ path: String, _ bytes: [UInt8], at offset: UInt64 = 0, sync: Bool = false) throws {
    let exists = (try? status(of: path)) != nil
    let file = try open(path, exists ? .readWrite : .createNew)
    defer { file.close() }
    if !bytes.isEmpty { #expect(try file.write(bytes.span, at: offset) == bytes.count) }
    if sync { _ = try file.synchronize() }
  }

  func cut(_ path: String, to size: UInt64, sync: Bool = false) throws {
    let file = try open(path, .readWrite)
    defer { file.close() }
    try file.truncate(to: size)
    if sync { _ = try file.synchronize() }
  }

  func syncFile(_ path: String) throws {
    let file = try open(path, .readWrite)
    defer { file.close() }
    _ = try file.synchronize()
  }

  func syncDirectory(_ path: String) throws {
    let directory = try openDirectory(path)
    defer { directory.close() }
    _ = try directory.synchronize()
  }

  func content(_ path: String) throws -> [UInt8] {
    let file = try open(path, .read)
    defer { file.close() }
    return try file.read(at: 0, count: 1 << 24)
  }
}

extension SimulatedFileSystem {
  /// All images, checked to be all of them and each once.
  func allImages(_ profile: CrashProfile = .worst, sourceLocation: SourceLocation = #_sourceLocation) -> Set<
    Image
  > {
    let images = crashImages(profile: profile)
    let list = Array(images)
    let set = Set(list)
    #expect(list.count == set.count, "an image was given twice", sourceLocation: sourceLocation)
    #expect(images.statistics.isComplete, "\(images.statistics)", sourceLocation: sourceLocation)
    return set
  }

  /// The contents that one file may have, nil for its absence; sampled ones too.
  func contents(of path: String, _ profile: CrashProfile = .worst) -> Set<[UInt8]?> {
    Set(crashImages(profile: profile).map { $0[path] })
  }
}

/// What the simulated garbage looks like in a file of its own, from the start of a sector.
func garbage(_ count: Int) throws -> [UInt8] {
  let system = SimulatedFileSystem()
  try system.put("/g", zeros(512))
  try system.syncDirectory("/")
  let shown = Set(system.crashImages().compactMap { $0["/g"] }).subtracting([[], zeros(512)])
  return Array(try #require(shown.first).prefix(count))
}
