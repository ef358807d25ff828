// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Merging journals into the snapshot.
extension Page {
  /// Merges everything committed so far into the snapshot and returns when that is durable and the journals are gone.
  /// - Throws: what the writing met; then the journals are where they were.
  public func compact() throws(StorageError) {
    try requireUsable()
    if memory.withLock({ $0.status.isWaiting }) { try settle() }
    let merged = try merging.withLock { (merger) throws(StorageError) in
      try requireUsable()
      return try mergeEverything(&merger)
    }
    report(merged)
  }

  /// Tells the owner of the store, with no lock held.
  func report(_ merged: PageFloor?) {
    if let merged { context.options.merged?(id, merged) }
  }

  // MARK: Capturing, under the journal lock

  func shouldRotate(_ writer: borrowing JournalWriter) -> Bool {
    guard writer.job == nil, !writer.mustRewrite, let current = writer.current else { return false }
    let length = Int(clamping: writer.live[current].length) + writer.outgoing.bytes.count
    guard length >= context.options.compactionThreshold else { return false }
    // The next journal's file is made ahead; a commit waits for that only when the journal is twice too long.
    return writer.prepared != nil || length >= 2 * context.options.compactionThreshold
  }

  /// What the next merge writes: everything that is in the journals once the frames on their way are.
  func capture(_ memory: inout PageMemory, _ writer: borrowing JournalWriter, whole: Bool = false) -> MergeJob
  {
    var isWhole = whole || writer.mustRewrite
    var change = isWhole ? memory.state.wholeContent() : memory.state.contentSinceSnapshot()
    if !isWhole, writer.fill?.shouldExtend(change, liveBytes: memory.state.liveBytes) != true {
      isWhole = true
      change = memory.state.wholeContent()
    }
    _ = memory.state.beginChanges()
    let hasJournal = writer.current != nil || !writer.outgoing.isEmpty
    let end = SnapshotEnd(
      generation: hasJournal ? writer.generation + 1 : writer.generation,
      nonce: hasJournal ? context.environment.random() : writer.nonce, commit: memory.state.commit,
      nextID: memory.state.nextID, count: UInt64(memory.state.count), absorbed: [])
    #if Mutants
      if Mutant.isOn(.captureBeforeLastCommit), let before = memory.before {
        var early = end
        (early.commit, early.nextID, early.count) = (before.commit, before.nextID, UInt64(before.count))
        return MergeJob(change: before.wholeContent(), end: early, isWhole: true)
      }
    #endif
    return MergeJob(change: change, end: end, isWhole: isWhole)
  }

  /// Lets later commits go to the next generation.
  func rotate(_ writer: inout JournalWriter, _ job: MergeJob) {
    if let current = writer.current, job.end.generation > writer.generation {
      let last = writer.live[current]
      writer.link = (last.header.nonce, last.length, last.chain.last)
      writer.generation = job.end.generation
      writer.nonce = job.end.nonce
      writer.baseCommit = job.end.commit
      memory.withLock { $0.generation = job.end.generation }
    }
    writer.job = job
    writer.mustRewrite = false
  }

  /// Has the next generation's file made on the executor when the journal is half full.
  func prepareIfNeeded(_ writer: inout JournalWriter) {
    guard writer.prepared == nil, !writer.isPreparing, let current = writer.current,
      writer.live[current].length >= UInt64(context.options.compactionThreshold / 2)
    else { return }
    writer.isPreparing = true
    context.environment.executor.schedule(after: .zero) { [weak self] in self?.prepareNextJournal() }
  }

  private func prepareNextJournal() {
    merging.withLock { _ in
      let generation = journal.withLock { writer -> UInt64? in
        writer.isPreparing = false
        return writer.prepared == nil && writer.current != nil ? writer.generation + 1 : nil
      }
      guard let generation, context.directoryFailure == nil,
        memory.withLock({ if case .open = $0.status { true } else { false } })
      else {
        return
      }
      let path = context.path(of: .journal(id, generation: generation))
      do throws(StorageError) {
        let file = try context.fileSystem.open(path, .createNew)
        try context.synchronizeNames()
        let isUsed = journal.withLock { writer in
          guard writer.generation + 1 == generation || writer.generation == generation,
            writer.prepared == nil,
            !writer.live.contains(where: { $0.header.generation == generation })
          else { return false }
          writer.prepared = (file, generation)
          return true
        }
        if !isUsed { file.close() }
      } catch {
        // The commit that rotates makes the file itself, and reports what it meets.
      }
    }
  }

  // MARK: Merging, under the merging lock

  func scheduleMerge() {
    context.environment.executor.schedule(after: .zero) { [weak self] in self?.mergeInBackground() }
  }

  private func mergeInBackground() {
    let merged = merging.withLock { merger -> PageFloor? in
      guard merger.snapshot != nil, context.directoryFailure == nil,
        memory.withLock({ !$0.status.isClosed && !$0.status.isSuspended })
      else {
        return nil
      }
      do throws(StorageError) {
        let isRetry = journal.withLock { $0.job == nil && ($0.mustRewrite || $0.needsRenewal != nil) }
        return isRetry ? try mergeEverything(&merger) : try runJob(&merger)
      } catch {
        if context.directoryFailure == nil { backOff(&merger) }
        return nil
      }
    }
    report(merged)
  }

  /// Plans another attempt, unless one is planned already.
  func backOff(_ merger: inout Merger) {
    guard !merger.isRetryPlanned else { return }
    merger.isRetryPlanned = true
    let delay = Duration.milliseconds(100 << min(merger.failures, 9))
    merger.failures += 1
    context.environment.executor.schedule(after: delay) { [weak self] in
      self?.merging.withLock { $0.isRetryPlanned = false }
      self?.mergeInBackground()
    }
  }

  /// Finishes a merge that was begun, then merges the rest.
  func mergeEverything(_ merger: inout Merger) throws(StorageError) -> PageFloor? {
    var merged: PageFloor?
    if journal.withLock({ $0.job != nil }) {
      do throws(StorageError) {
        merged = try runJob(&merger)
      } catch {
        if context.directoryFailure != nil { throw error }
      }
    }
    for isLastAttempt in [false, true] {
      do throws(StorageError) {
        let isRenewal = try journal.withLock { (writer) throws(StorageError) -> Bool in
          if writer.needsRenewal != nil || context.options.rewritesAtEverySave { return true }
          try captureEverything(&writer)
          return false
        }
        if isRenewal {
          return try journal.withLock { (writer) throws(StorageError) in try renew(&merger, &writer) }
            ?? merged
        }
        return try runJob(&merger) ?? merged
      } catch {
        // An extension that failed is not tried again on that file: one more time, as a rewrite.
        if isLastAttempt || context.directoryFailure != nil || error.code == .noSpace { throw error }
      }
    }
    return merged
  }

  /// Begins a merge of all that is committed. The capture is taken only while no frame is pending: what it holds
  /// must be in the journals that it absorbs, or it would be applied twice.
  private func captureEverything(_ writer: inout JournalWriter) throws(StorageError) {
    while true {
      try memory.withLock { (memory) throws(StorageError) in try memory.status.requireOpen(id) }
      try drain(&writer)
      guard writer.job == nil, !writer.live.isEmpty else { return }
      // A third journal may begin only when the second is durable: of two missing ones in a row a recovery could
      // not say that they ever were.
      if writer.live.count > 1, let last = writer.live.last, !last.wasSynced || !last.isNameSynced {
        try synchronizeLive(&writer)
      }
      let job = memory.withLock { memory in
        memory.pending.isEmpty ? capture(&memory, writer) : nil
      }
      if let job {
        rotate(&writer, job)
        return
      }
    }
  }

  /// Writes the captured merge, then removes its journals. When it throws, every journal is where it was.
  func runJob(_ merger: inout Merger) throws(StorageError) -> PageFloor? {
    guard var job = journal.withLock({ $0.job }), var snapshot = merger.snapshot else { return nil }
    #if Mutants
      if Mutant.isOn(.mergeIsReportedEarly) {
        report(PageFloor(generation: job.end.generation, commit: job.end.commit))
      }
      if Mutant.isOn(.journalGoesBeforeItsMerge) { removeTooEarly() }
    #endif
    do throws(StorageError) {
      try synchronizeBeforeMerge(job)
      let absorbed = journal.withLock {
        $0.live.filter { $0.header.generation < job.end.generation }.map(\.absorbed)
      }
      job.end.absorbed = merger.leftovers.map(\.journal) + absorbed
      if job.isWhole {
        let old = snapshot.file
        snapshot = try SnapshotFile.rewrite(id, job.change, end: job.end, context)
        old.close()
        merger.snapshot = snapshot
      } else {
        defer { merger.snapshot = snapshot }
        try snapshot.extend(job.change, to: job.end, context)
      }
    } catch {
      #if Mutants
        if Mutant.isOn(.failedMergeDropsJournals) { removeTooEarly() }
      #endif
      journal.withLock { writer in
        writer.job = nil
        writer.mustRewrite = true
      }
      throw error.on(page: id)
    }
    merger.failures = 0
    let gone = journal.withLock { writer -> [JournalFile] in
      let gone = writer.live.filter { $0.header.generation < job.end.generation }
      writer.live.removeAll { $0.header.generation < job.end.generation }
      writer.job = nil
      writer.fill = snapshot.fill
      memory.withLock { $0.durable = max($0.durable, job.end.commit) }
      return gone
    }
    try removeMerged(&merger, gone)
    return PageFloor(generation: job.end.generation, commit: job.end.commit)
  }

  /// A merge that is cut off leaves bytes behind the snapshot's `end`; that they are no damage is known by the
  /// journal, which therefore has to be durable, name and all, before the first of them is written.
  private func synchronizeBeforeMerge(_ job: MergeJob) throws(StorageError) {
    #if Mutants
      if Mutant.isOn(.mergeBeforeItsJournal) { return }
    #endif
    // No other synchronisation runs beside this one: of two of the same file one could succeed where the other is
    // told of the failure of both. Writes go on.
    try syncing.withLock { (_) throws(StorageError) in
      let open = try journal.withLock { (writer) throws(StorageError) in
        if let cause = writer.needsRenewal { throw cause }
        return writer.live.filter {
          $0.header.generation < job.end.generation && !($0.isSynced && $0.isNameSynced)
        }
      }
      for file in open where !file.isSynced {
        do throws(StorageError) {
          _ = try file.file.synchronize()
        } catch {
          journal.withLock { writer in
            for index in writer.live.indices
            where writer.live[index].header.generation == file.header.generation {
              writer.live[index].poison()
            }
            writer.needsRenewal = writer.needsRenewal ?? error
          }
          throw error
        }
      }
      if open.contains(where: { !$0.isNameSynced }) { try context.synchronizeNames() }
      journal.withLock { writer in
        for index in writer.live.indices {
          // Only what was there when the synchronisation began is known to be durable.
          let known = open.first { $0.header.generation == writer.live[index].header.generation }
          guard let known else { continue }
          if known.length == writer.live[index].length { writer.live[index].isSynced = true }
          writer.live[index].isNameSynced = true
        }
      }
    }
  }

  #if Mutants
    private func removeTooEarly() {
      for file in journal.withLock({ $0.live }) {
        try? context.fileSystem.removeIfAny(context.path(of: file.name))
      }
    }
  #endif

  /// Removes journals that are in the snapshot. One that cannot be removed is listed in the next `end` again.
  func removeMerged(_ merger: inout Merger, _ journals: [JournalFile]) throws(StorageError) {
    for journal in journals { journal.file.close() }
    let all = merger.leftovers + journals.map { ($0.name.text, $0.absorbed) }
    guard !all.isEmpty else { return }
    merger.leftovers = []
    for (name, journal) in all {
      do throws(StorageError) {
        try context.fileSystem.removeIfAny("\(context.path)/\(name)")
      } catch {
        merger.leftovers.append((name, journal))
      }
    }
    try context.synchronizeNames()
  }

  // MARK: Renewal

  /// Writes the page anew after a failure that leaves a journal's content unknown, and at every save of level 0.
  func renewIfNeeded() throws(StorageError) {
    let merged = try merging.withLock { (merger) throws(StorageError) in
      // A page that was removed or closed while this call waited is not written again.
      try requireUsable()
      return try journal.withLock { (writer) throws(StorageError) -> PageFloor? in
        let isSaved = memory.withLock { $0.durable >= $0.state.commit }
        let isDue = writer.needsRenewal != nil || (context.options.rewritesAtEverySave && !isSaved)
        return isDue ? try renew(&merger, &writer) : nil
      }
    }
    report(merged)
  }

  /// Both locks are held: nothing is acknowledged, and no journal begun, before the new generation is durable.
  func renew(_ merger: inout Merger, _ writer: inout JournalWriter) throws(StorageError) -> PageFloor? {
    let generation = max(writer.generation, writer.prepared?.generation ?? 0) + 1
    let cause = writer.needsRenewal
    let isSaved = memory.withLock { $0.durable >= $0.state.commit }
    if cause == nil, writer.live.isEmpty, isSaved { return nil }
    let (content, commit, nextID, count, taken) = memory.withLock { memory in
      let content = memory.state.wholeContent()
      _ = memory.state.beginChanges()
      return (
        content, memory.state.commit, memory.state.nextID, memory.state.count, memory.pending.bytes.count
      )
    }
    let end = SnapshotEnd(
      generation: generation, nonce: context.environment.random(), commit: commit, nextID: nextID,
      count: UInt64(count), absorbed: merger.leftovers.map(\.journal) + writer.live.map(\.absorbed))
    let snapshot: SnapshotFile
    do throws(StorageError) {
      snapshot = try SnapshotFile.rewrite(id, content, end: end, context)
    } catch {
      writer.mustRewrite = true
      writer.job = nil
      if context.directoryFailure != nil { throw error.on(page: id) }
      if error.code == .noSpace || (cause == nil && !context.options.rewritesAtEverySave) {
        writer.needsRenewal = writer.needsRenewal ?? error
        backOff(&merger)
      } else if cause != nil {
        memory.withLock { $0.status = .readOnly(error) }
      } else {
        // Level 0: the first failure of a save; the old snapshot is whole, the next failure is final.
        writer.needsRenewal = error
      }
      throw error.on(page: id)
    }
    merger.snapshot?.file.close()
    merger.snapshot = snapshot
    merger.failures = 0
    let gone = writer.live
    let prepared = writer.prepared
    writer.restart(at: snapshot)
    writer.prepared = nil
    memory.withLock { memory in
      memory.generation = generation
      memory.pending.dropFirst(taken)
      memory.written = max(memory.written, commit)
      memory.durable = max(memory.durable, commit)
    }
    if let prepared {
      prepared.file.close()
      let name = PageFileName.journal(id, generation: prepared.generation).text
      merger.leftovers.append(
        (name, AbsorbedJournal(generation: prepared.generation, seed: 0, length: 0, crc: 0)))
    }
    try removeMerged(&merger, gone)
    return PageFloor(generation: generation, commit: commit)
  }
}
