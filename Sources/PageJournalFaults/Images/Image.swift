// SPDX-License-Identifier: Apache-2.0

public import PageJournal

/// A tree of directories and files with their bytes: what a file system holds at one moment, or what a power cut
/// may leave of it.
///
/// Two images are equal when they have the same paths with the same bytes. Copies share paths and bytes.
/// Comparing and hashing take time linear in the bytes that are not shared.
public struct Image: Hashable, Sendable, CustomStringConvertible {
  /// What a path of an image leads to.
  public enum Node: Sendable, Equatable {
    /// A directory.
    case directory
    /// A file with these bytes.
    case file([UInt8])
  }

  /// Absolute paths without the root, sorted, so that a directory comes before what is in it.
  public let paths: [String]
  /// What each of `paths` leads to.
  public let nodes: [Node]

  /// Both sorted by path already.
  init(sortedPaths: [String], nodes: [Node]) {
    paths = sortedPaths
    self.nodes = nodes
  }

  /// An image of these files and directories and of all directories above them. Paths are brought into the
  /// absolute form without doubled or trailing separators; where a file is above another file, it counts as a
  /// directory.
  public init(_ files: [String: [UInt8]] = [:], directories: [String] = []) {
    var tree: [String: Node] = [:]
    for (path, bytes) in files { tree[SimulatedPath.normalised(path)] = .file(bytes) }
    for path in directories { tree[SimulatedPath.normalised(path)] = .directory }
    for path in tree.keys {
      var parts = SimulatedPath.components(path) ?? []
      while parts.popLast() != nil, !parts.isEmpty {
        tree["/" + parts.joined(separator: "/")] = .directory
      }
    }
    tree["/"] = nil
    let paths = tree.keys.sorted()
    self.init(sortedPaths: paths, nodes: paths.map { tree[$0] ?? .directory })
  }

  /// Everything a file system shows below a directory, read through its calls.
  /// - Throws: Whatever the file system throws.
  public init(reading system: any FileSystem, at directory: String) throws(StorageError) {
    var files: [String: [UInt8]] = [:]
    var directories: [String] = []
    var waiting = [""]
    while let place = waiting.popLast() {
      for name in try system.names(in: directory + place) {
        let path = place + "/" + name
        let status = try system.status(of: directory + path)
        guard status.kind != .directory else {
          directories.append(path)
          waiting.append(path)
          continue
        }
        let file = try system.open(directory + path, .read)
        defer { file.close() }
        files[path] = try file.read(at: 0, count: Int(clamping: status.size))
      }
    }
    self.init(files, directories: directories)
  }

  /// The bytes of a file; nil when the path leads to a directory or nowhere. O(log paths).
  public subscript(path: String) -> [UInt8]? {
    if let index = index(of: path), case .file(let bytes) = nodes[index] { return bytes }
    return nil
  }

  /// Whether a path leads to a file or directory. O(log paths).
  public func contains(_ path: String) -> Bool { index(of: path) != nil }

  private func index(of path: String) -> Int? {
    var low = 0
    var high = paths.count
    while low < high {
      let middle = (low + high) / 2
      if paths[middle] < path { low = middle + 1 } else { high = middle }
    }
    guard low < paths.count, paths[low] == path else { return nil }
    return low
  }

  /// Feeds paths, sizes and a checksum of each file.
  public func hash(into hasher: inout Hasher) {
    for (path, node) in zip(paths, nodes) {
      hasher.combine(path)
      switch node {
      case .directory: hasher.combine(-1)
      case .file(let bytes):
        hasher.combine(bytes.count)
        hasher.combine(Checksum.crc32(bytes.span))
      }
    }
  }

  /// One line a path: size, checksum and the first bytes.
  public var description: String {
    guard !paths.isEmpty else { return "(empty)" }
    var lines: [String] = []
    for (path, node) in zip(paths, nodes) {
      switch node {
      case .directory: lines.append(path + "/")
      case .file(let bytes):
        lines.append(
          "\(path)  \(bytes.count) bytes  crc \(hexadecimal(Checksum.crc32(bytes.span)))  \(head(bytes))")
      }
    }
    return lines.joined(separator: "\n")
  }

  /// What is in one and not in the other, a line each; empty when the images are equal.
  public func differences(from other: Image) -> [String] {
    var lines: [String] = []
    for path in Set(paths).union(other.paths).sorted() {
      switch (index(of: path).map { nodes[$0] }, other.index(of: path).map { other.nodes[$0] }) {
      case (nil, _): lines.append("\(path): only in the other")
      case (_, nil): lines.append("\(path): not in the other")
      case (.file(let mine)?, .file(let theirs)?) where mine != theirs:
        let place =
          zip(mine, theirs).enumerated().first { $1.0 != $1.1 }?.offset ?? min(mine.count, theirs.count)
        lines.append(
          "\(path): \(mine.count) bytes, \(theirs.count) in the other, first difference at \(place)")
      case (let mine?, let theirs?) where mine != theirs:
        lines.append("\(path): a file in one, a directory in the other")
      default: break
      }
    }
    return lines
  }

  /// Makes all directories and files of the image below a directory of a file system.
  ///
  /// Directories that exist are used; nothing is synchronised.
  /// - Throws: `alreadyExists` when a file of the image is there; whatever the file system throws.
  public func export(to system: any FileSystem, at directory: String) throws(StorageError) {
    for (path, node) in zip(paths, nodes) {
      let target = directory + path
      switch node {
      case .directory:
        do {
          try system.createDirectory(target)
        } catch {
          guard error.code == .alreadyExists, try system.status(of: target).kind == .directory else {
            throw error
          }
        }
      case .file(let bytes):
        let file = try system.open(target, .createNew)
        defer { file.close() }
        var done = 0
        while done < bytes.count {
          let taken = try file.write(bytes.span.extracting(done..<bytes.count), at: UInt64(done))
          guard taken > 0 else {
            throw StorageError(.io, "export an image", cause: "a write took no bytes", file: target)
          }
          done += taken
        }
      }
    }
  }
}

private func head(_ bytes: [UInt8]) -> String {
  let shown = bytes.prefix(12).map { (byte: UInt8) -> String in
    let digits = String(byte, radix: 16)
    return digits.utf8.count == 1 ? "0" + digits : digits
  }
  return shown.joined(separator: " ") + (bytes.count > 12 ? " …" : "")
}

private func hexadecimal(_ value: UInt32) -> String {
  let digits = String(value, radix: 16)
  return String(repeating: "0", count: 8 - digits.utf8.count) + digits
}
