// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A page that is open for writing: its elements in memory, a snapshot and journals on disk.
///
/// A commit changes memory at once and is *buffered*; `write` hands it to the kernel (*written*: it survives the
/// process), `sync` puts it on the medium (*durable*: it survives a power cut). All calls are blocking and may
/// come from any thread. Readers and `commit` wait for neither disk nor compaction.
///
/// Locks, always taken in this order: `merging` (the snapshot file, held for a whole merge), `syncing`, `journal` (the
/// journal files, held for a write or a synchronisation), `memory` (held for microseconds).
public final class Page: Sendable {
  /// The page's identity.
  public let id: PageID
  /// What opening it found.
  public let report: RecoveryReport

  let context: StoreContext
  let merging: Mutex<Merger>
  /// Held by `sync` outside the journal's lock, and by a merge while it synchronises journals: one at a time.
  let syncing = Mutex(())
  let journal: Mutex<JournalWriter>
  let memory: Mutex<PageMemory>

  init(
    id: PageID, report: RecoveryReport, context: StoreContext, merger: consuming Merger,
    writer: consuming JournalWriter,
    memory: consuming PageMemory
  ) {
    self.id = id
    self.report = report
    self.context = context
    merging = Mutex(merger)
    journal = Mutex(writer)
    self.memory = Mutex(memory)
  }

  /// A page that is let go without `close` hands over what is buffered and leaves its journal.
  deinit {
    do throws(StorageError) {
      try journal.withLock { (writer) throws(StorageError) in
        try drain(&writer, isLast: true)
      }
    } catch {
      // Nobody is left to tell: the commits were never said to be written.
    }
  }

  // MARK: Reading

  /// The page as it is now. See `PageView` for what keeping it costs.
  public var view: PageView {
    memory.withLock { PageView($0.state, generation: $0.generation) }
  }

  /// Elements on the page.
  public var count: Int { memory.withLock { $0.state.count } }

  /// The id of the element at a place, or nil.
  public func elementID(at place: Int) -> UInt64? { memory.withLock { $0.state.record(at: place)?.id } }

  /// The last commit issued.
  public var commit: UInt64 { memory.withLock { $0.state.commit } }

  /// The last commit that survives the process.
  public var writtenCommit: UInt64 { memory.withLock { max($0.written, $0.durable) } }

  /// The last commit that survives a power cut.
  public var durableCommit: UInt64 { memory.withLock { $0.durable } }

  /// What `durable` means here: `device` where the volume refuses a full flush.
  public var effectiveDurability: Durability { memory.withLock { $0.effectiveDurability } }

  /// Why the page takes no commits now, or nil when it does.
  public var obstacle: StorageError? {
    memory.withLock { memory in memory.status.obstacle(id) } ?? context.directoryFailure
  }

  // MARK: Committing

  /// Adds an element at the end, as one commit of its own. Costs the same on a page of any size and allocates
  /// nothing but, now and then, a larger buffer.
  /// - Parameters:
  ///   - kind: 1–255.
  ///   - payload: at most 64 MiB.
  /// - Returns: the new element's id, and the ticket of the commit, which is buffered.
  /// - Throws: `usage`, `tooLarge`, `readOnly`, `closed`; then nothing has changed.
  public func append(kind: UInt8, payload: Span<UInt8>) throws(StorageError) -> (id: UInt64, ticket: Ticket) {
    try prepareToCommit()
    try check(kind, payload.count)
    let (id, commit, isFull) = try memory.withLock { (memory) throws(StorageError) in
      try memory.requireCommits(self.id)
      let full =
        memory.state.count >= PageLimits.elements || memory.state.isExhausted
        || memory.hasNoRoom(for: payload.count)
      if full { throw StorageError(.tooLarge, "add an element", cause: "the page is full", page: self.id) }
      memory.state.repackIfSparse()
      #if Mutants
        memory.before = memory.state
      #endif
      let content = Edit.Content(kind: kind, payload: memory.state.store(payload))
      memory.pending.frame(.append) { bytes in
        bytes.append(kind)
        bytes.appendVarint(UInt64(payload.count))
        bytes.append(copying: payload)
      }
      let id = memory.state.applyAppend(content)
      return (id, memory.state.commit, memory.pending.bytes.count >= context.options.pendingLimit)
    }
    if isFull { try? write() }
    return (id, Ticket(commit: commit))
  }

  /// Applies one or several operations as one commit: all of them or none, in memory and after any crash.
  /// - Returns: the ids given to new elements, in order, and the ticket of the commit, which is buffered.
  /// - Throws: `usage`, `noSuchElement`, `tooLarge`, `readOnly`, `closed`; then nothing has changed.
  public func commit(_ operations: [Operation]) throws(StorageError) -> (ids: [UInt64], ticket: Ticket) {
    try prepareToCommit()
    guard !operations.isEmpty else {
      throw StorageError(.usage, "commit", cause: "there is no operation in it", page: id)
    }
    var size = 0
    for operation in operations { size += try check(operation) }
    let (ids, commit, isFull) = try memory.withLock { (memory) throws(StorageError) in
      try memory.requireCommits(self.id)
      memory.state.repackIfSparse()
      #if Mutants
        memory.before = memory.state
      #endif
      if memory.hasNoRoom(for: size) {
        throw StorageError(.tooLarge, "commit", cause: "the page is full", page: self.id)
      }
      let edits = operations.map { memory.edit($0) }
      if let failure = EditCheck.failure(edits, memory.state) { throw failure.on(page: self.id) }
      try memory.encode(edits, self.id)
      let ids = memory.state.apply(edits)
      return (ids, memory.state.commit, memory.pending.bytes.count >= context.options.pendingLimit)
    }
    if isFull { try? write() }
    return (ids, Ticket(commit: commit))
  }

  /// The payload bytes of an operation, each payload within its limit.
  private func check(_ operation: Operation) throws(StorageError) -> Int {
    switch operation {
    case .append(let kind, let payload), .insert(_, let kind, let payload):
      try check(kind, payload.count)
      return payload.count
    case .replace(_, let elements):
      var size = 0
      for element in elements {
        try check(element.kind, element.payload.count)
        size += element.payload.count
      }
      return size
    case .remove, .move, .set: return 0
    }
  }

  private func check(_ kind: UInt8, _ length: Int) throws(StorageError) {
    guard kind != 0 else {
      throw StorageError(.usage, "add an element", cause: "kind 0 does not exist, 1–255 do", page: id)
    }
    guard length <= PageLimits.elementPayload else {
      throw StorageError(
        .tooLarge, "add an element",
        cause: "its payload has \(length) bytes, \(PageLimits.elementPayload) are allowed", page: id)
    }
  }

  private func prepareToCommit() throws(StorageError) {
    if let failed = context.directoryFailure { throw failed.on(page: id) }
    if memory.withLock({ $0.status.isWaiting }) { try settle() }
  }
}

/// The number of a commit, to ask for its durability.
public struct Ticket: Sendable, Hashable, Comparable {
  /// Commits since the page was made, this one included.
  public let commit: UInt64

  /// By number.
  public static func < (left: Ticket, right: Ticket) -> Bool { left.commit < right.commit }
}
