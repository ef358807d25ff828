// SPDX-License-Identifier: Apache-2.0

import CVolume
import Foundation

/// Why there can be no real volume here, in one sentence.
struct NoVolume: Error {
  var reason: String
}

/// A file system of its own on a loop device over a file without a name: whatever becomes of this process, nothing of
/// it is left but an empty folder.
final class RealVolume {
  enum Kind: String, CaseIterable {
    case ext4, xfs

    /// The least that its `mkfs` takes, rounded up.
    var size: UInt64 { self == .xfs ? 300 << 20 : 64 << 20 }

    /// Without what goes on by itself after the first mount.
    func makingOptions(block: Int) -> [String] {
      switch self {
      case .ext4: ["-q", "-F", "-b", "\(block)", "-E", "lazy_itable_init=0,lazy_journal_init=0"]
      case .xfs: ["-q", "-f", "-b", "size=\(block)"]
      }
    }
  }

  /// Where it is mounted.
  let folder: String
  private let scratch: String
  private let kind: Kind
  private let maker: String
  private let device: String
  private let attachment: Int32
  private var descriptor: Int32 = -1
  private var isMounted = false

  /// Makes the file system, and mounts it for this process alone. To be called before there are other threads.
  init(_ kind: Kind, maker: String?, scratch: String) throws(NoVolume) {
    guard let maker = maker ?? Self.program("mkfs.\(kind.rawValue)") else {
      throw NoVolume(reason: "there is no mkfs.\(kind.rawValue) here")
    }
    guard FileManager.default.isExecutableFile(atPath: maker) else {
      throw NoVolume(reason: "\(maker) is no program that makes file systems")
    }
    guard geteuid() == 0 else { throw NoVolume(reason: "mounting takes root") }
    try Self.require(cvolume_own_mounts(), "the process cannot have mounts of its own")
    do {
      try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
    } catch {
      throw NoVolume(reason: "\(scratch) cannot be made: \(error.localizedDescription)")
    }
    self.scratch = scratch
    self.kind = kind
    self.maker = maker
    folder = scratch + "/mounted"
    var path = [CChar](repeating: 0, count: 64)
    var number: Int32 = -1
    try Self.require(
      cvolume_attach(scratch, kind.size, &path, path.count, &number), "there is no free loop device")
    attachment = number
    device = String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw NoVolume(reason: "\(folder) cannot be made: \(error.localizedDescription)")
    }
    try format(block: 4096)
    try mount()
  }

  deinit {
    try? unmount()
    close(attachment)
    rmdir(folder)
    rmdir(scratch)
  }

  private static func require(_ failure: Int32, _ what: String) throws(NoVolume) {
    guard failure == 0 else { throw NoVolume(reason: "\(what): \(String(cString: strerror(failure)))") }
  }

  private static func program(_ name: String) -> String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/sbin"]
    return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  private func format(block: Int) throws(NoVolume) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: maker)
    process.arguments = kind.makingOptions(block: block) + [device]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    do { try process.run() } catch {
      throw NoVolume(reason: "\(maker) does not run: \(error.localizedDescription)")
    }
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw NoVolume(reason: "\(maker) ended with \(process.terminationStatus)")
    }
  }

  private func mount() throws(NoVolume) {
    try Self.require(
      cvolume_mount(device, folder, kind.rawValue), "\(device) cannot be mounted as \(kind.rawValue)")
    isMounted = true
    try Self.require(cvolume_open_folder(folder, &descriptor), "\(folder) cannot be opened")
  }

  private func unmount() throws(NoVolume) {
    guard isMounted else { return }
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
    try Self.require(cvolume_unmount(folder), "\(folder) cannot be unmounted")
    isMounted = false
    // xfs keeps its blocks by itself and forgets them; ext4 keeps them with the device.
    guard kind == .ext4 else { return }
    try Self.require(cvolume_forget(attachment), "what is remembered of \(device) cannot be dropped")
  }

  /// A new, empty file system with blocks of so many bytes.
  func renew(block: Int) throws(NoVolume) {
    try unmount()
    try format(block: block)
    try mount()
  }

  /// Lets the power go when it is called, from any thread, and gives an error number. What is called later on the
  /// volume fails.
  var cutter: @Sendable () -> Int32 {
    let descriptor = descriptor
    return { cvolume_shut_down(descriptor) }
  }

  /// The power is back. Nothing of the volume may be open.
  func restart() throws(NoVolume) {
    try unmount()
    try mount()
  }

  /// Makes everything durable.
  func settle() throws(NoVolume) {
    try Self.require(cvolume_write_all(descriptor), "\(folder) cannot be synchronised")
  }
}
