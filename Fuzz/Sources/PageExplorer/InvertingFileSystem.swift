// SPDX-License-Identifier: Apache-2.0

import PageJournal
import Synchronization

/// Inverts one bit of the first write to a snapshot that exists, and says nothing.
final class InvertingFileSystem: ForwardingFileSystem {
  let base: any FileSystem
  private let bit: Int
  private let once = Once()

  fileprivate final class Once: Sendable {
    private let isDone = Atomic<Bool>(false)
    func first() -> Bool { !isDone.exchange(true, ordering: .relaxed) }
  }

  init(_ base: any FileSystem, _ bit: Int) {
    self.base = base
    self.bit = bit
  }

  func open(_ path: String, _ mode: FileMode) throws(StorageError) -> any File {
    let file = try base.open(path, mode)
    return path.hasSuffix(".content") ? InvertingFile(file, bit, once) : file
  }
}

private final class InvertingFile: ForwardingFile {
  let base: any File
  private let bit: Int
  private let once: InvertingFileSystem.Once

  init(_ base: any File, _ bit: Int, _ once: InvertingFileSystem.Once) {
    self.base = base
    self.bit = bit
    self.once = once
  }

  func write(_ bytes: Span<UInt8>, at offset: UInt64) throws(StorageError) -> Int {
    guard bit / 8 < bytes.count, once.first() else { return try base.write(bytes, at: offset) }
    var wrong = [UInt8](copying: bytes)
    wrong[bit / 8] ^= 1 << UInt8(bit % 8)
    return try base.write(wrong.span, at: offset)
  }
}
