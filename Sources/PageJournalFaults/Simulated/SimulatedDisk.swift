// SPDX-License-Identifier: Apache-2.0

internal import PageJournal

/// The state of a simulated file system: a value, so that a copy is a fork that shares all bytes until one of
/// the two changes them.
struct SimulatedDisk: Sendable {
  /// What a handle holds open.
  struct Descriptor: Sendable {
    var inode: UInt64
    var path: String
    var writable: Bool
  }

  static let root: UInt64 = 1
  /// Sizes above it are refused, so that a wild offset is an error and not an allocation.
  static let largestFile: UInt64 = 1 << 30

  var files = InodeTable<FileBody>()
  var directories = InodeTable<DirectoryBody>()
  /// Name operations that may be lost, in order.
  var pendingNames: [PendingName] = []
  /// The number of the latest name operation that was settled.
  var latestSettledName: UInt64 = 0
  /// Bytes of the file whose name went last: what a reused block may show.
  var freed: [UInt8] = []
  var events: [SimulatedEvent] = []
  var eventCount: UInt64 = 0
  let recordsEvents: Bool
  let device: UInt64
  private(set) var descriptors: [UInt64: Descriptor] = [:]
  private var locks: [UInt64: UInt64] = [:]
  private var nextInode: UInt64 = 2
  private var nextDescriptor: UInt64 = 1

  init(device: UInt64, recordsEvents: Bool) {
    self.device = device
    self.recordsEvents = recordsEvents
    directories[Self.root] = DirectoryBody()
  }

  // MARK: Events and numbers

  mutating func record(
    _ operation: FileOperation, _ path: String, target: String? = nil, offset: UInt64 = 0, count: Int = 0
  ) {
    eventCount += 1
    guard recordsEvents else { return }
    events.append(
      SimulatedEvent(
        number: eventCount, operation: operation, path: path, target: target, offset: offset, count: count))
  }

  mutating func newInode() -> UInt64 {
    nextInode += 1
    return nextInode - 1
  }

  // MARK: Descriptors and locks

  mutating func openDescriptor(_ inode: UInt64, _ path: String, writable: Bool) -> UInt64 {
    let number = nextDescriptor
    nextDescriptor += 1
    descriptors[number] = Descriptor(inode: inode, path: path, writable: writable)
    return number
  }

  func descriptor(_ number: UInt64, _ operation: String) throws(StorageError) -> Descriptor {
    guard let descriptor = descriptors[number] else {
      throw StorageError(.closed, operation, cause: "the descriptor was closed")
    }
    return descriptor
  }

  mutating func closeDescriptor(_ number: UInt64) {
    guard let closed = descriptors.removeValue(forKey: number) else { return }
    if locks[closed.inode] == number { locks[closed.inode] = nil }
  }

  mutating func tryLock(_ number: UInt64) throws(StorageError) -> Bool {
    let directory = try descriptor(number, "lock the directory").inode
    guard let holder = locks[directory] else {
      locks[directory] = number
      return true
    }
    return holder == number
  }

  /// The process ended: nothing is open, nothing is locked.
  mutating func closeAll() {
    descriptors = [:]
    locks = [:]
    forgetUnreachable()
  }

  // MARK: Finding

  /// The directory that holds the last component, and that component.
  func slot(of path: String, _ operation: String) throws(StorageError) -> NameSlot {
    if let slot = quickSlot(of: path) { return slot }
    return try place(of: path, operation).slot
  }

  /// The same for a path of the usual form whose directories exist, without taking it apart; else nil.
  private func quickSlot(of path: String) -> NameSlot? {
    let view = path.utf8
    let bytes = view.span
    let slash = UInt8(ascii: "/")
    var directory = Self.root
    var start = bytes.isEmpty || bytes[0] != slash ? 0 : 1
    for place in bytes.indices where place >= start && bytes[place] == slash {
      guard start < place, bytes[start] != UInt8(ascii: "."),
        let next = directories[directory]?.current[Self.part(of: path, start, place)],
        directories[next] != nil
      else { return nil }
      directory = next
      start = place + 1
    }
    guard start < bytes.count, bytes[start] != UInt8(ascii: ".") else { return nil }
    return NameSlot(directory: directory, name: Self.part(of: path, start, bytes.count))
  }

  private static func part(of path: String, _ start: Int, _ end: Int) -> String {
    let view = path.utf8
    let first = view.index(view.startIndex, offsetBy: start)
    return String(path[first..<view.index(first, offsetBy: end - start)])
  }

  /// The directory that holds the last component, that component, and the directories on the way.
  func place(
    of path: String, _ operation: String
  ) throws(StorageError) -> (slot: NameSlot, ancestors: [UInt64]) {
    guard var parts = SimulatedPath.components(path) else {
      throw StorageError(.notFound, operation, cause: "an empty path names nothing")
    }
    guard let name = parts.popLast() else {
      throw StorageError(.usage, operation, cause: "that is the root directory", file: path)
    }
    var directory = Self.root
    var ancestors = [directory]
    for part in parts {
      guard let next = directories[directory]?.current[part] else {
        throw StorageError(.notFound, operation, cause: "the directory \(part) does not exist", file: path)
      }
      guard directories[next] != nil else {
        throw StorageError(.wrongKind, operation, cause: "\(part) is not a directory", file: path)
      }
      directory = next
      ancestors.append(next)
    }
    return (NameSlot(directory: directory, name: name), ancestors)
  }

  func inode(at slot: NameSlot) -> UInt64? { directories[slot.directory]?.current[slot.name] }

  func existing(_ slot: NameSlot, _ path: String, _ operation: String) throws(StorageError) -> UInt64 {
    guard let inode = inode(at: slot) else {
      throw StorageError(.notFound, operation, cause: "it does not exist", file: path)
    }
    return inode
  }

  func lookUp(_ path: String, _ operation: String) throws(StorageError) -> UInt64 {
    if let slot = quickSlot(of: path) { return try existing(slot, path, operation) }
    if SimulatedPath.components(path)?.isEmpty == true { return Self.root }
    return try existing(place(of: path, operation).slot, path, operation)
  }

  func directory(_ path: String, _ operation: String) throws(StorageError) -> UInt64 {
    let inode = try lookUp(path, operation)
    guard directories[inode] != nil else {
      throw StorageError(.wrongKind, operation, cause: "it is not a directory", file: path)
    }
    return inode
  }

  func status(of inode: UInt64) -> FileStatus {
    if let file = files[inode] {
      return FileStatus(
        kind: .file, size: UInt64(file.current.count), device: device, inode: inode, links: file.links)
    }
    let links = directories[inode]?.links ?? 0
    return FileStatus(kind: .directory, size: 0, device: device, inode: inode, links: links)
  }

  // MARK: Forgetting

  /// Drops what no name, present or possible after a power cut, and no descriptor leads to.
  mutating func forgetUnreachable() {
    guard files.contains(where: { $0.links == 0 }) || directories.contains(where: { $0.links == 0 }) else {
      return
    }
    var reachable: Set<UInt64> = [Self.root]
    for descriptor in descriptors.values { reachable.insert(descriptor.inode) }
    for (_, body) in directories.all {
      for (_, inode) in body.durable { reachable.insert(inode) }
      for (_, inode) in body.current { reachable.insert(inode) }
    }
    for operation in pendingNames {
      for effect in operation.effects { if let inode = effect.inode { reachable.insert(inode) } }
    }
    files.forget { inode, body in body.links == 0 && !reachable.contains(inode) }
    directories.forget { inode, body in body.links == 0 && !reachable.contains(inode) }
  }
}
