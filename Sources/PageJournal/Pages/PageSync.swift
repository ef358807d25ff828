// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// From memory to kernel to medium.
extension Page {
  /// Hands every buffered commit to the kernel: one write call, none when there is nothing. They then survive the
  /// process, not yet a power cut.
  /// - Throws: `noSpace` (the commits stay buffered, in order, and the next call writes them), `io`, `readOnly`, `closed`.
  public func write() throws(StorageError) {
    if context.options.rewritesAtEverySave {
      _ = try sync()
      return
    }
    try requireUsable()
    let renew = try journal.withLock { (writer) throws(StorageError) -> Bool in
      // The page may have been closed or removed while this call waited for the lock.
      try requireUsable()
      if writer.needsRenewal != nil { return true }
      do throws(StorageError) {
        try drain(&writer)
        return false
      } catch {
        if writer.needsRenewal == nil { throw error }
        return true
      }
    }
    if renew { try renewIfNeeded() }
  }

  /// Makes every commit issued before the call durable: at most one write and one synchronisation (plus one of the
  /// directory, the first time after a journal was made). Callers that come together share them.
  /// - Returns: the last commit that is durable now.
  /// - Throws: `noSpace`, `io`, `readOnly`, `closed`; then nothing that was not durable is said to be. Commits stay in
  ///   memory and a later call covers them, unless the page has become read-only.
  @discardableResult
  public func sync() throws(StorageError) -> UInt64 {
    try requireUsable()
    if memory.withLock({ $0.status.isWaiting }) { try settle() }
    let target = commit
    let renew = try syncing.withLock { (_) throws(StorageError) in
      try journal.withLock { (writer) throws(StorageError) -> Bool in
        try requireUsable()
        if memory.withLock({ $0.durable >= target }), writer.needsRenewal == nil { return false }
        if writer.needsRenewal != nil || context.options.rewritesAtEverySave { return true }
        do throws(StorageError) {
          try drain(&writer)
          try synchronizeLive(&writer)
          return false
        } catch {
          if writer.needsRenewal == nil { throw error }
          return true
        }
      }
    }
    if renew { try renewIfNeeded() }
    let durable = durableCommit
    guard durable >= target else {
      // Another thread closed the page, or met the failure that ended its writing, in between.
      throw obstacle
        ?? StorageError(.internal, "synchronise", cause: "commit \(target) is still not durable", page: id)
    }
    return durable
  }

  /// Makes a commit durable, if it is not yet. See `sync()`.
  @discardableResult
  public func sync(_ ticket: Ticket) throws(StorageError) -> UInt64 {
    let durable = durableCommit
    return durable >= ticket.commit ? durable : try sync()
  }

  /// For an app that goes to the background: makes everything durable, then writes (not synchronised) an empty frame
  /// that vouches for it, so that later damage there is told from a torn tail.
  @discardableResult
  public func flush() throws(StorageError) -> UInt64 {
    let durable = try sync()
    try journal.withLock { (writer) throws(StorageError) in
      guard let current = writer.current, writer.live[current].length > 0, writer.live[current].isSynced,
        writer.needsRenewal == nil
      else { return }
      var mark = FrameBuffer()
      mark.frame(.mark) { _ in }
      do throws(StorageError) {
        try writer.live[current].write(&mark, markFirst: true)
      } catch {
        if !writer.live[current].takesBytes { writer.needsRenewal = error }
        throw error.on(page: id)
      }
    }
    return durable
  }

  func requireUsable() throws(StorageError) {
    if let failed = context.directoryFailure { throw failed.on(page: id) }
    try memory.withLock { (memory) throws(StorageError) in
      switch memory.status {
      case .open: break
      // Nothing was committed on a page that waits: there is nothing to write. To be durable it has to settle.
      case .waiting: break
      case .readOnly, .closed, .suspended: try memory.status.requireOpen(id)
      }
    }
  }

  // MARK: Under the journal lock

  /// Hands the pending frames over; begins a merge when the journal has grown past the threshold.
  /// - Parameter isLast: the page is being let go: nothing may be begun that refers to it.
  func drain(_ writer: inout JournalWriter, isLast: Bool = false) throws(StorageError) {
    guard !context.options.rewritesAtEverySave else { return }
    if let failed = context.directoryFailure { throw failed.on(page: id) }
    // The file takes no more bytes: what is pending goes into the next generation.
    if let cause = writer.needsRenewal { throw cause }
    #if Mutants
      let isMarkDue =
        Mutant.isOn(.markClaimsTooMuch) || writer.live.allSatisfy { $0.isSynced && $0.isNameSynced }
    #else
      let isMarkDue = writer.live.allSatisfy { $0.isSynced && $0.isNameSynced }
    #endif
    let captured = memory.withLock { memory -> (commit: UInt64, job: MergeJob?)? in
      guard !memory.pending.isEmpty, case .open = memory.status else { return nil }
      swap(&memory.pending, &writer.outgoing)
      let job = !isLast && shouldRotate(writer) ? capture(&memory, writer) : nil
      return (memory.state.commit, job)
    }
    guard let captured else { return }
    do throws(StorageError) {
      let current = try currentJournal(&writer)
      try writer.live[current].write(&writer.outgoing, markFirst: isMarkDue)
    } catch {
      putBack(&writer)
      if captured.job != nil {
        // What the merge would have taken is known no more; without one planned, none would ever begin.
        writer.mustRewrite = true
        scheduleMerge()
      }
      if let last = writer.live.last, !last.takesBytes { writer.needsRenewal = error }
      throw error.on(page: id)
    }
    writer.outgoing.removeAll()
    memory.withLock { $0.written = max($0.written, captured.commit) }
    if let job = captured.job {
      rotate(&writer, job)
      scheduleMerge()
    } else if !isLast {
      prepareIfNeeded(&writer)
    }
  }

  private func putBack(_ writer: inout JournalWriter) {
    memory.withLock { memory in
      writer.outgoing.append(memory.pending)
      swap(&memory.pending, &writer.outgoing)
    }
    writer.outgoing.removeAll()
  }

  /// Makes every live journal durable, the older ones first: an acknowledgement in one implies all before it.
  func synchronizeLive(_ writer: inout JournalWriter) throws(StorageError) {
    // A failed synchronisation is never repeated on its file.
    if let cause = writer.needsRenewal { throw cause }
    let written = memory.withLock { $0.written }
    var reached = Durability.medium
    for index in writer.live.indices {
      #if Mutants
        if Mutant.isOn(.newestJournalOnlyIsSynced), index != writer.live.indices.last { continue }
      #endif
      guard !writer.live[index].isSynced || !writer.live[index].isNameSynced else { continue }
      do throws(StorageError) {
        if !writer.live[index].isSynced {
          reached = min(reached, try writer.live[index].file.synchronize())
          writer.live[index].isSynced = true
        }
      } catch {
        #if Mutants
          if Mutant.isOn(.failedSyncIsRepeated) { throw error }
        #endif
        writer.live[index].poison()
        writer.needsRenewal = error
        throw error
      }
      if !writer.live[index].isNameSynced {
        reached = min(reached, try context.synchronizeNames())
        for other in writer.live.indices { writer.live[other].isNameSynced = true }
      }
    }
    memory.withLock { memory in
      memory.durable = max(memory.durable, written)
      memory.effectiveDurability = min(memory.effectiveDurability, reached)
    }
  }

  /// The journal to write to, made now if the generation has none.
  private func currentJournal(_ writer: inout JournalWriter) throws(StorageError) -> Int {
    if let current = writer.current { return current }
    let header = JournalHeader(
      seed: context.random32(), page: id, generation: writer.generation, nonce: writer.nonce,
      previousNonce: writer.link?.nonce ?? 0, commit: writer.baseCommit,
      previousLength: writer.link?.length ?? 0, previousCRC: writer.link?.crc ?? 0)
    let journal: JournalFile
    if let prepared = writer.prepared, prepared.generation == writer.generation {
      journal = JournalFile(prepared.file, header, isNameSynced: true)
      writer.prepared = nil
    } else {
      let name = PageFileName.journal(id, generation: writer.generation)
      journal = JournalFile(try newFile(context.path(of: name)), header, isNameSynced: false)
    }
    writer.live.append(journal)
    return writer.live.count - 1
  }

  /// A new file, or the empty one that the executor was making ahead at the same moment.
  private func newFile(_ path: String) throws(StorageError) -> any File {
    do throws(StorageError) {
      return try context.fileSystem.open(path, .createNew)
    } catch  where error.code == .alreadyExists {
      let file = try context.fileSystem.open(path, .readWrite)
      guard try file.status().size == 0 else {
        throw StorageError(
          .damaged, "begin a journal", cause: "a file of that name appeared and is not empty",
          advice: "another program writes into this document", file: path, page: id)
      }
      return file
    }
  }
}
