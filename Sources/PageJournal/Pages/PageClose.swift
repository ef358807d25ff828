// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Ending and pausing.
extension Page {
  /// Merges everything into the snapshot, durable, and lets the files go. What is left is one file. The page can
  /// still be read, and nothing else.
  /// - Throws: what the merge met; then the journal is left, synchronised if that worked, and the next open shows the same.
  public func close() throws(StorageError) {
    let merged = try end(as: .closed)
    report(merged)
  }

  /// Like `close`, but keeps memory and ids for `resume`; used before an app is suspended.
  func suspend() throws(StorageError) {
    let merged = try end(as: .suspended)
    report(merged)
  }

  /// Takes the files again after `suspend`.
  /// - Throws: `damaged` when they are not what was left: the page then has to be opened anew.
  func resume() throws(StorageError) {
    try merging.withLock { (merger) throws(StorageError) in
      guard memory.withLock({ $0.status.isSuspended }) else { return }
      if merger.recovery != nil, try isStillWaiting(&merger) { return }
      guard let snapshot = try reopened(merger.identity) else {
        let error = StorageError(
          .damaged, "resume the page", cause: "its file was changed while it was suspended",
          advice: "open it again before changing it", file: context.path(of: .snapshot(id)), page: id)
        merger.recovery = nil
        memory.withLock { $0.status = .readOnly(error) }
        throw error
      }
      merger.snapshot = snapshot
      journal.withLock { $0.restart(at: snapshot) }
      memory.withLock { memory in
        memory.generation = snapshot.end.generation
        _ = memory.state.beginChanges()
        memory.status = .open
      }
    }
  }

  /// Reads the files of a page that waited for its recovery anew: they may be another writer's by now. False when
  /// they show something else than the page in memory.
  private func isStillWaiting(_ merger: inout Merger) throws(StorageError) -> Bool {
    let names = try context.fileSystem.names(in: context.path).compactMap { PageFileName($0) }
    let files = PageOpener.read(id, context.fileSystem, context.path, names)
    var recovery = Recovery(files)
    if recovery.plan == .readOnly, context.options.policy == .drop { recovery.drop(files) }
    if recovery.plan == .unavailable, let failure = recovery.report.failure { throw failure.on(page: id) }
    let isSame = memory.withLock { recovery.state.hasContent(of: $0.state) }
    guard isSame, recovery.plan != .readOnly else { return false }
    merger.recovery = PendingRecovery(recovery)
    let cause = StorageError(
      .readOnly, "change the page", cause: "its recovery could not be written", page: id)
    memory.withLock { $0.status = .waiting(cause) }
    return true
  }

  /// The snapshot as it was left; nil when another writer was here.
  private func reopened(_ identity: SnapshotFile.Identity?) throws(StorageError) -> SnapshotFile? {
    guard let identity else { return nil }
    // A journal can only be another writer's: a suspension leaves none.
    let hasJournal = try context.fileSystem.names(in: context.path).contains { name in
      if case .journal(let page, _)? = PageFileName(name) { page == id } else { false }
    }
    return hasJournal ? nil : try SnapshotFile.reopened(id, as: identity, context)
  }

  private func end(as status: PageMemory.Status) throws(StorageError) -> PageFloor? {
    if memory.withLock({ $0.status.isClosed }) { return nil }
    return try merging.withLock { (merger) throws(StorageError) -> PageFloor? in
      var failure: StorageError?
      var merged: PageFloor?
      let isOpen = memory.withLock { memory in
        memory.isEnding = true
        return if case .open = memory.status { true } else { false }
      }
      defer { memory.withLock { $0.isEnding = false } }
      if isOpen, merger.snapshot != nil {
        do throws(StorageError) {
          if let failed = context.directoryFailure { throw failed.on(page: id) }
          merged = try mergeEverything(&merger)
          try tidy(&merger)
        } catch {
          failure = error
          leaveJournalSynced()
        }
      }
      if failure == nil, let lost = unreached() { failure = lost }
      // A page that could not be merged goes on; a suspended one would have to be taken for what its snapshot says.
      if let failure, case .suspended = status { throw failure }
      release(&merger)
      memory.withLock { memory in
        // What a read-only page holds is in no file: it must not come back as one that is.
        if case .suspended = status, case .readOnly = memory.status { return }
        memory.status = status
      }
      if let failure { throw failure }
      return merged
    }
  }

  /// Why commits of a page that has become read-only are in no file, if there are any.
  private func unreached() -> StorageError? {
    memory.withLock { memory in
      guard case .readOnly(let cause) = memory.status,
        memory.state.commit > max(memory.written, memory.durable)
      else { return nil }
      return StorageError(
        cause.code, "close the page",
        cause:
          "commits \(max(memory.written, memory.durable) + 1) to \(memory.state.commit) reached no file: "
          + cause.description,
        advice: "save its elements elsewhere before letting it go", page: id, systemError: cause.systemError)
    }
  }

  /// The last thing that can be done when a close cannot merge: what was written is made durable, also where what
  /// is still pending cannot be written.
  private func leaveJournalSynced() {
    guard context.directoryFailure == nil else { return }
    journal.withLock { writer in
      // The failure that is reported is the one that kept the merge from happening.
      try? drain(&writer)
      guard writer.needsRenewal == nil else { return }
      try? synchronizeLive(&writer)
    }
  }

  /// Removes what a clean close does not leave: a file made ahead, journals that could not be removed after their
  /// merge, and quarantines that have had their time.
  private func tidy(_ merger: inout Merger) throws(StorageError) {
    var names: [String] = []
    journal.withLock { writer in
      if let prepared = writer.prepared {
        prepared.file.close()
        #if Mutants
          if Mutant.isOn(.preparedJournalStays) { return }
        #endif
        names.append(PageFileName.journal(id, generation: prepared.generation).text)
        writer.prepared = nil
      }
    }
    names += merger.leftovers.map(\.name)
    let hasCommitted = memory.withLock { $0.state.commit } > merger.openCommit
    if hasCommitted { names += merger.oldQuarantines }
    guard !names.isEmpty else { return }
    for name in names { try context.fileSystem.removeIfAny("\(context.path)/\(name)") }
    merger.leftovers = []
    if hasCommitted { merger.oldQuarantines = [] }
    try context.synchronizeNames()
  }

  private func release(_ merger: inout Merger) {
    // A page that is suspended again, because it could not be resumed, is still what it was.
    if let snapshot = merger.snapshot { merger.identity = snapshot.identity }
    merger.snapshot?.file.close()
    merger.snapshot = nil
    journal.withLock { writer in
      for live in writer.live { live.file.close() }
      writer.prepared?.file.close()
      writer.prepared = nil
    }
  }

  /// Lets the files go without writing anything.
  func abandon() {
    memory.withLock { $0.status = .closed }
    merging.withLock { merger in
      merger.recovery = nil
      release(&merger)
    }
    memory.withLock { $0.pending.removeAll() }
  }
}
