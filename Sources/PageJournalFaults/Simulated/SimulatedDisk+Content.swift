// SPDX-License-Identifier: Apache-2.0

internal import PageJournal

/// Reading, writing and settling the bytes of files.
extension SimulatedDisk {
  func read(_ number: UInt64, at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
    let descriptor = try descriptor(number, "read")
    guard count >= 0 else {
      throw StorageError(.usage, "read", cause: "\(count) bytes were asked for", file: descriptor.path)
    }
    guard let bytes = files[descriptor.inode]?.current, offset < UInt64(bytes.count) else { return [] }
    let start = Int(offset)
    let end = start + min(count, bytes.count - start)
    return start == 0 && end == bytes.count ? bytes : Array(bytes[start..<end])
  }

  mutating func write(_ number: UInt64, _ bytes: [UInt8], at offset: UInt64) throws(StorageError) -> Int {
    let descriptor = try writable(number, "write")
    guard !bytes.isEmpty else { return 0 }
    let (end, overflow) = offset.addingReportingOverflow(UInt64(bytes.count))
    guard !overflow, end <= Self.largestFile else {
      throw StorageError(
        .tooLarge, "write", cause: "the file would pass \(Self.largestFile) bytes", file: descriptor.path,
        offset: offset)
    }
    record(.write, descriptor.path, offset: offset, count: bytes.count)
    files[descriptor.inode]?.add(
      PendingChange(sequence: eventCount, kind: .write(offset: Int(offset), bytes: bytes)))
    return bytes.count
  }

  mutating func truncate(_ number: UInt64, to size: UInt64) throws(StorageError) {
    let descriptor = try writable(number, "truncate")
    guard size <= Self.largestFile else {
      throw StorageError(
        .tooLarge, "truncate", cause: "the file would pass \(Self.largestFile) bytes", file: descriptor.path)
    }
    record(.truncate, descriptor.path, offset: size)
    guard files[descriptor.inode]?.current.count != Int(size) else { return }
    files[descriptor.inode]?.add(PendingChange(sequence: eventCount, kind: .resize(Int(size))))
  }

  private func writable(_ number: UInt64, _ operation: String) throws(StorageError) -> Descriptor {
    let descriptor = try descriptor(number, operation)
    guard descriptor.writable else {
      throw StorageError(
        .accessDenied, operation, cause: "the file was opened for reading only", file: descriptor.path)
    }
    return descriptor
  }

  mutating func synchronizeFile(_ number: UInt64, upTo event: UInt64) throws(StorageError) {
    let descriptor = try descriptor(number, "synchronise the file")
    record(.synchronizeFile, descriptor.path)
    files[descriptor.inode]?.synchronize(upTo: event)
  }

  mutating func failSynchronization(_ number: UInt64, _ failure: SynchronizationFailure) -> Bool {
    guard let inode = descriptors[number]?.inode, files[inode] != nil else { return false }
    files[inode]?.failSynchronization(failure)
    return true
  }
}
