// SPDX-License-Identifier: Apache-2.0

/// What the `memory` lock guards.
struct PageMemory: ~Copyable, Sendable {
  enum Status: Sendable {
    case open
    /// The recovery could not be written yet; every commit tries again.
    case waiting(StorageError)
    /// For good, until the page is opened again.
    case readOnly(StorageError)
    case suspended
    case closed

    var isWaiting: Bool { if case .waiting = self { true } else { false } }
    var isClosed: Bool { if case .closed = self { true } else { false } }
    var isSuspended: Bool { if case .suspended = self { true } else { false } }

    func obstacle(_ page: PageID) -> StorageError? {
      switch self {
      case .open: nil
      case .waiting(let error), .readOnly(let error):
        StorageError(
          .readOnly, "change the page", cause: error.description,
          advice: "its elements are kept in memory and can be saved elsewhere", page: page,
          systemError: error.systemError)
      case .suspended:
        StorageError(
          .closed, "use the page", cause: "it is suspended", advice: "call resume first", page: page)
      case .closed: StorageError(.closed, "use the page", cause: "it was closed", page: page)
      }
    }

    func requireOpen(_ page: PageID) throws(StorageError) {
      if let obstacle = obstacle(page) { throw obstacle }
    }
  }

  var state: PageState
  /// Frames of commits that were not handed over yet, unsealed.
  var pending = FrameBuffer()
  var status = Status.open
  /// A close or a suspension has begun: what it merges is what there is, so nothing may come on top.
  var isEnding = false
  /// The generation that the next commit goes into; readers do not wait for the `journal` lock to know it.
  var generation: UInt64
  /// The last commit handed to the kernel.
  var written: UInt64
  /// The last commit on the medium.
  var durable: UInt64
  var effectiveDurability = Durability.medium

  #if Mutants
    /// The page without its last commit.
    var before: PageState?
  #endif

  init(_ state: PageState, generation: UInt64) {
    self.state = state
    self.generation = generation
    written = state.commit
    durable = state.commit
  }

  func requireCommits(_ page: PageID) throws(StorageError) {
    try status.requireOpen(page)
    guard !isEnding else {
      throw StorageError(.closed, "change the page", cause: "it is being closed or suspended", page: page)
    }
  }

  /// Whether so many payload bytes are too many, or the page has used up its generations.
  func hasNoRoom(for bytes: Int) -> Bool {
    (bytes > 0 && state.liveBytes > PageLimits.payloads - bytes) || generation >= 2 * PageLimits.counter
  }

  /// The operation with its payloads in the arena. Payloads of a refused commit stay there as dead bytes.
  mutating func edit(_ operation: Operation) -> Edit {
    switch operation {
    case .append(let kind, let payload):
      .append(.init(kind: kind, payload: state.store(payload.span)))
    case .insert(let place, let kind, let payload):
      .insert(.init(kind: kind, payload: state.store(payload.span)), at: place)
    case .replace(let id, let elements):
      .replace(
        id,
        with: elements.map { element in
          Edit.Content(kind: element.kind, payload: state.store(element.payload.span))
        })
    case .remove(let id): .remove(id)
    case .move(let id, let place): .move(id, to: place)
    case .set(let key, let value): .set(key, value)
    }
  }

  /// Puts the frame of a commit behind the pending ones.
  mutating func encode(_ edits: [Edit], _ page: PageID) throws(StorageError) {
    var size = 16
    for edit in edits { size += EditCodec.encodedLength(edit) + 12 }
    guard size <= FrameLayout.maximumPayload else {
      throw StorageError(
        .tooLarge, "commit", cause: "it has \(size) bytes, \(FrameLayout.maximumPayload) are allowed",
        advice: "commit it in parts", page: page)
    }
    let arena = state.arena
    if edits.count == 1, let edit = edits.first {
      pending.frame(edit.frameType) { EditCodec.encode(edit, arena, into: &$0) }
    } else {
      pending.frame(.batch) { bytes in
        bytes.appendVarint(UInt64(edits.count))
        var part: [UInt8] = []
        for edit in edits {
          part.removeAll(keepingCapacity: true)
          EditCodec.encode(edit, arena, into: &part)
          bytes.append(edit.frameType.rawValue)
          bytes.appendVarint(UInt64(part.count))
          bytes.append(contentsOf: part)
        }
      }
    }
  }
}

/// What the `journal` lock guards.
struct JournalWriter: ~Copyable, Sendable {
  /// Journals whose effect is not in the snapshot yet, in order. The last one is written to if it is of
  /// `generation`; else that generation has no commits yet.
  var live: [JournalFile] = []
  var generation: UInt64
  var nonce: UInt64
  /// The commit counter when the generation began.
  var baseCommit: UInt64
  /// Where the journal before ended, for the next one's header.
  var link: (nonce: UInt64, length: UInt64, crc: UInt32)?
  /// The next generation's file, created and its name made durable ahead.
  var prepared: (file: any File, generation: UInt64)?
  var isPreparing = false
  /// Frames on their way; its capacity is used again and again.
  var outgoing = FrameBuffer()
  /// A captured merge that has not ended.
  var job: MergeJob?
  /// Why the next save has to write the page anew under a new generation.
  var needsRenewal: StorageError?
  /// Set when a merge failed: what was captured for it is lost, the next one takes the whole page.
  var mustRewrite = false
  /// What a capture has to know of the snapshot file; the file itself belongs to the merging lock.
  var fill: SnapshotFile.Fill?

  var current: Int? {
    guard let last = live.indices.last, live[last].header.generation == generation else { return nil }
    return last
  }

  init(_ snapshot: SnapshotFile) {
    generation = snapshot.end.generation
    nonce = snapshot.end.nonce
    baseCommit = snapshot.end.commit
    fill = snapshot.fill
  }

  /// A page whose recovery is not written yet.
  init(_ recovery: Recovery) {
    generation = recovery.generation
    nonce = 0
    baseCommit = recovery.state.commit
  }

  /// Starts from a generation that a snapshot has just begun.
  mutating func restart(at snapshot: SnapshotFile) {
    live = []
    generation = snapshot.end.generation
    nonce = snapshot.end.nonce
    baseCommit = snapshot.end.commit
    link = nil
    job = nil
    needsRenewal = nil
    mustRewrite = false
    fill = snapshot.fill
  }
}

/// A merge as it was captured: the content, and the `end` without its list of absorbed journals.
struct MergeJob: Sendable {
  var change: SnapshotChange
  var end: SnapshotEnd
  var isWhole: Bool
}

/// A recovery that waits to be written; by reference, since few pages ever have one.
final class PendingRecovery: Sendable {
  let recovery: Recovery

  init(_ recovery: Recovery) { self.recovery = recovery }
}

/// What the `merging` lock guards.
struct Merger: ~Copyable, Sendable {
  var snapshot: SnapshotFile?
  /// What a recovery still has to write.
  var recovery: PendingRecovery?
  /// Journals that could not be removed after their merge: the next `end` lists them again.
  var leftovers: [(name: String, journal: AbsorbedJournal)] = []
  /// Quarantines of torn tails that an earlier session made; they go with the clean close of this one.
  var oldQuarantines: [String] = []
  /// The commit counter at the open.
  var openCommit: UInt64 = 0
  var failures = 0
  var isRetryPlanned = false
  var identity: SnapshotFile.Identity?
}
