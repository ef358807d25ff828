// SPDX-License-Identifier: Apache-2.0

internal import PageJournal

/// An open file of a simulated file system.
final class SimulatedFile: File, SynchronizationFailing {
  private let system: SimulatedFileSystem
  private let number: UInt64

  init(_ system: SimulatedFileSystem, _ number: UInt64) {
    self.system = system
    self.number = number
  }

  deinit { close() }

  func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
    let number = number
    return try system.withDisk { (disk) throws(StorageError) in
      try disk.read(number, at: offset, count: count)
    }
  }

  func write(_ bytes: Span<UInt8>, at offset: UInt64) throws(StorageError) -> Int {
    let number = number
    let copy = [UInt8](copying: bytes)
    return try system.withDisk { (disk) throws(StorageError) in
      try disk.write(number, copy, at: offset)
    }
  }

  func truncate(to size: UInt64) throws(StorageError) {
    let number = number
    try system.withDisk { (disk) throws(StorageError) in try disk.truncate(number, to: size) }
  }

  func synchronize() throws(StorageError) -> Durability {
    let number = number
    let latest = system.announceSync(.synchronizeFile, of: number)
    try system.withDisk { (disk) throws(StorageError) in try disk.synchronizeFile(number, upTo: latest) }
    return .medium
  }

  func failSynchronization(_ failure: SynchronizationFailure) -> Bool {
    let number = number
    return system.withDisk { $0.failSynchronization(number, failure) }
  }

  func status() throws(StorageError) -> FileStatus {
    let number = number
    return try system.withDisk { (disk) throws(StorageError) in
      disk.status(of: try disk.descriptor(number, "ask for the status").inode)
    }
  }

  func close() {
    let number = number
    system.withDisk { $0.closeDescriptor(number) }
  }
}

/// An open directory of a simulated file system.
final class SimulatedDirectory: Directory {
  private let system: SimulatedFileSystem
  private let number: UInt64

  init(_ system: SimulatedFileSystem, _ number: UInt64) {
    self.system = system
    self.number = number
  }

  deinit { close() }

  func synchronize() throws(StorageError) -> Durability {
    let number = number
    let latest = system.announceSync(.synchronizeDirectory, of: number)
    try system.withDisk { (disk) throws(StorageError) in
      let descriptor = try disk.descriptor(number, "synchronise the directory")
      disk.record(.synchronizeDirectory, descriptor.path)
      disk.synchronizeDirectory(descriptor.inode, upTo: latest)
    }
    return .medium
  }

  func tryLock() throws(StorageError) -> Bool {
    let number = number
    return try system.withDisk { (disk) throws(StorageError) in try disk.tryLock(number) }
  }

  func close() {
    let number = number
    system.withDisk { $0.closeDescriptor(number) }
  }
}
