// SPDX-License-Identifier: Apache-2.0

internal import PageJournal

/// Creating, renaming and removing names, and settling them.
extension SimulatedDisk {
  // MARK: Name operations

  mutating func open(_ path: String, _ mode: FileMode) throws(StorageError) -> UInt64 {
    let operation = "open the file"
    if let last = path.utf8.last, last == UInt8(ascii: "/") || last == UInt8(ascii: "."),
      SimulatedPath.components(path)?.isEmpty == true
    {
      throw StorageError(.wrongKind, operation, cause: "it is a directory", file: path)
    }
    let slot = try slot(of: path, operation)
    if let inode = inode(at: slot) {
      if mode == .createNew {
        throw StorageError(.alreadyExists, "create the file", cause: "the name is taken", file: path)
      }
      guard files[inode] != nil else {
        throw StorageError(.wrongKind, operation, cause: "it is a directory", file: path)
      }
      return openDescriptor(inode, path, writable: mode != .read)
    }
    guard mode == .createNew else {
      throw StorageError(.notFound, operation, cause: "it does not exist", file: path)
    }
    let inode = newInode()
    files[inode] = FileBody()
    record(.create, path)
    add([(slot, inode)])
    return openDescriptor(inode, path, writable: true)
  }

  mutating func createDirectory(_ path: String) throws(StorageError) {
    let operation = "create the directory"
    if SimulatedPath.components(path)?.isEmpty == true {
      throw StorageError(.alreadyExists, operation, cause: "the root directory is there", file: path)
    }
    let slot = try place(of: path, operation).slot
    guard inode(at: slot) == nil else {
      throw StorageError(.alreadyExists, operation, cause: "the name is taken", file: path)
    }
    let inode = newInode()
    directories[inode] = DirectoryBody()
    record(.createDirectory, path)
    add([(slot, inode)])
  }

  mutating func remove(_ path: String) throws(StorageError) {
    let operation = "remove the file"
    let slot = try slot(of: path, operation)
    let inode = try existing(slot, path, operation)
    guard files[inode] != nil else {
      throw StorageError(.wrongKind, operation, cause: "it is a directory", file: path)
    }
    unlink(inode)
    record(.remove, path)
    add([(slot, nil)])
  }

  mutating func removeDirectory(_ path: String) throws(StorageError) {
    let operation = "remove the directory"
    let slot = try place(of: path, operation).slot
    let inode = try existing(slot, path, operation)
    guard let body = directories[inode] else {
      throw StorageError(.wrongKind, operation, cause: "it is not a directory", file: path)
    }
    guard body.current.isEmpty else {
      throw StorageError(.alreadyExists, operation, cause: "it is not empty", file: path)
    }
    directories[inode]?.links = 0
    record(.removeDirectory, path)
    add([(slot, nil)])
  }

  mutating func rename(_ path: String, to target: String) throws(StorageError) {
    let operation = "rename"
    let from = try slot(of: path, operation)
    let inode = try existing(from, path, operation)
    let to = try slot(of: target, operation)
    if directories[inode] != nil, try place(of: target, operation).ancestors.contains(inode) {
      throw StorageError(.usage, operation, cause: "a directory cannot be moved into itself", file: path)
    }
    guard from != to else { return }
    var replacement: UInt64?
    if let former = self.inode(at: to) {
      if let body = directories[former] {
        guard directories[inode] != nil else {
          throw StorageError(.wrongKind, operation, cause: "the new name is a directory's", file: target)
        }
        guard body.current.isEmpty else {
          throw StorageError(
            .alreadyExists, operation, cause: "the new name's directory is not empty", file: target)
        }
        directories[former]?.links = 0
      } else {
        guard files[inode] != nil else {
          throw StorageError(.wrongKind, operation, cause: "the new name is not a directory's", file: target)
        }
        unlink(former)
        replacement = inode
      }
    }
    record(.rename, path, target: target)
    add([(from, nil), (to, inode)], replacement: replacement)
  }

  private mutating func unlink(_ inode: UInt64) {
    guard let file = files[inode] else { return }
    if !file.current.isEmpty { freed = file.current }
    files[inode]?.links = file.links > 0 ? file.links - 1 : 0
  }

  private mutating func add(_ effects: [(slot: NameSlot, inode: UInt64?)], replacement: UInt64? = nil) {
    var unsynchronised: [UInt64] = []
    for (slot, inode) in effects {
      directories[slot.directory]?.current[slot.name] = inode
      if !unsynchronised.contains(slot.directory) { unsynchronised.append(slot.directory) }
    }
    pendingNames.append(
      PendingName(
        sequence: eventCount, effects: effects, unsynchronised: unsynchronised, replacement: replacement))
  }

  // MARK: Settling

  /// Settles the names of one directory as they were after an event. A rename between two directories is settled when both were
  /// synchronised, or when a later operation on one of its names is: what is settled never rests on what may
  /// be lost.
  mutating func synchronizeDirectory(_ directory: UInt64, upTo event: UInt64) {
    guard !pendingNames.isEmpty else { return forgetUnreachable() }
    var settledSlots: Set<NameSlot> = []
    var settled: [PendingName] = []
    var rest: [PendingName] = []
    for var operation in pendingNames.reversed() {
      if operation.sequence <= event { operation.unsynchronised.removeAll { $0 == directory } }
      let needed = operation.effects.contains { settledSlots.contains($0.slot) }
      guard needed || operation.unsynchronised.isEmpty else {
        rest.append(operation)
        continue
      }
      settledSlots.formUnion(operation.effects.map(\.slot))
      settled.append(operation)
    }
    pendingNames = rest.reversed()
    for operation in settled.reversed() {
      latestSettledName = max(latestSettledName, operation.sequence)
      if let inode = operation.replacement { files[inode]?.carriedBelow = operation.sequence }
      for effect in operation.effects {
        directories[effect.slot.directory]?.durable[effect.slot.name] = effect.inode
      }
    }
    forgetUnreachable()
  }
}
