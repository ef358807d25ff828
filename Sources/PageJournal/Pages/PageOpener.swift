// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// How a page was opened. Only a page that loaded has a writer.
public enum OpenedPage: Sendable {
  /// It can be read and written.
  case writable(Page)
  /// It can be read as far as the report says; nothing on disk was or will be changed.
  case readOnly(PageView, RecoveryReport)
  /// Nothing is known about its content: it is neither empty nor damaged.
  case unavailable(RecoveryReport)

  /// What was found.
  public var report: RecoveryReport {
    switch self {
    case .writable(let page): page.report
    case .readOnly(_, let report), .unavailable(let report): report
    }
  }

  /// The elements, where there are any to show.
  public var view: PageView? {
    switch self {
    case .writable(let page): page.view
    case .readOnly(let view, _): view
    case .unavailable: nil
    }
  }

  /// The writer, if there is one.
  public var page: Page? { if case .writable(let page) = self { page } else { nil } }
}

/// Opens pages for writing, and carries out what the recovery table says.
enum PageOpener {
  static func open(_ id: PageID, _ floor: PageFloor?, _ context: StoreContext, _ names: [PageFileName])
    throws(StorageError) -> OpenedPage
  {
    let files = read(id, context.fileSystem, context.path, names)
    guard files.snapshot != nil || !files.journals.isEmpty else {
      throw StorageError(
        .notFound, "open the page", cause: "it has no file", file: context.path(of: .snapshot(id)), page: id)
    }
    var recovery = Recovery(files, floor: floor)
    if context.options.policy == .strict, recovery.report.verdict > .leftOpen {
      throw strictFailure(recovery.report, id, context)
    }
    if recovery.plan == .readOnly, context.options.policy == .drop { recovery.drop(files) }
    switch recovery.plan {
    case .unavailable: return .unavailable(recovery.report)
    case .readOnly:
      if recovery.isBlank { return .unavailable(recovery.report) }
      return .readOnly(PageView(recovery.state, generation: recovery.generation), recovery.report)
    case .nothing, .sweep, .extend, .rewrite: break
    }
    var merger = Merger()
    merger.oldQuarantines = passingQuarantines(of: id, names, context)
    merger.openCommit = recovery.state.commit
    return .writable(try settled(id, recovery, merger, context))
  }

  /// Carries the plan out; where that fails, the page waits with its files untouched.
  private static func settled(
    _ id: PageID, _ recovery: Recovery, _ merger: consuming Merger, _ context: StoreContext
  ) throws(StorageError) -> Page {
    var recovery = recovery
    var merger = merger
    var memory = PageMemory(recovery.state, generation: recovery.generation)
    _ = memory.state.beginChanges()
    memory.state.repackIfSparse()
    do throws(StorageError) {
      let snapshot = try carryOut(&recovery, id, context)
      merger.snapshot = snapshot
      memory.generation = snapshot.end.generation
      merger.oldQuarantines.removeAll { recovery.report.quarantined.contains($0) }
      return Page(
        id: id, report: recovery.report, context: context, merger: merger, writer: JournalWriter(snapshot),
        memory: memory)
    } catch {
      if let failed = context.directoryFailure { throw failed.on(page: id) }
      merger.recovery = PendingRecovery(recovery)
      memory.status = .waiting(error)
      // What was only read is not known to be durable.
      memory.durable = 0
      var report = recovery.report
      report.failure = error
      return Page(
        id: id, report: report, context: context, merger: merger, writer: JournalWriter(recovery),
        memory: memory)
    }
  }

  /// Makes the files on disk be what is about to be shown, durable.
  static func carryOut(_ recovery: inout Recovery, _ id: PageID, _ context: StoreContext) throws(StorageError)
    -> SnapshotFile
  {
    let end = SnapshotEnd(
      generation: recovery.freshGeneration, nonce: context.environment.random(),
      commit: recovery.state.commit,
      nextID: recovery.state.nextID, count: UInt64(recovery.state.count), absorbed: recovery.absorbed)
    // A switch rests on the names that were read here; an earlier attempt in this process may have left them pending.
    if recovery.plan != .nothing { try context.synchronizeNames(isForReading: true) }
    var snapshot: SnapshotFile?
    switch recovery.plan {
    case .nothing, .sweep:
      snapshot = try openSnapshot(recovery, id, context)
    case .extend:
      snapshot = try extended(recovery, end, id, context)
    case .rewrite, .readOnly, .unavailable: break
    }
    if let snapshot {
      try removeJournals(recovery, context)
      return snapshot
    }
    #if Mutants
      if Mutant.isOn(.quarantineAfterTheCut) {
        let late = try SnapshotFile.rewrite(id, recovery.state.wholeContent(), end: end, context)
        try removeJournals(recovery, context)
        recovery.noteQuarantined(try Quarantine.write(recovery, id, context))
        return late
      }
    #endif
    let names = try Quarantine.write(recovery, id, context)
    recovery.noteQuarantined(names)
    let rewritten = try SnapshotFile.rewrite(id, recovery.state.wholeContent(), end: end, context)
    try removeJournals(recovery, context)
    return rewritten
  }

  private static func openSnapshot(
    _ recovery: Recovery, _ id: PageID, _ context: StoreContext
  ) throws(StorageError) -> SnapshotFile {
    guard let reading = recovery.reading, let header = reading.header, let end = reading.end else {
      throw StorageError(
        .internal, "open the page", cause: "a snapshot without an end was taken for whole", page: id)
    }
    let file = try context.fileSystem.open(context.path(of: .snapshot(id)), .readWrite)
    return try SnapshotFile(file, reading, header, end)
  }

  /// The journals' effect added to the snapshot; nil where it has to be rewritten instead.
  private static func extended(
    _ recovery: Recovery, _ end: SnapshotEnd, _ id: PageID, _ context: StoreContext
  ) throws(StorageError) -> SnapshotFile? {
    var snapshot = try openSnapshot(recovery, id, context)
    let change = recovery.state.contentSinceSnapshot()
    guard snapshot.fill.shouldExtend(change, liveBytes: recovery.state.liveBytes) else {
      snapshot.file.close()
      return nil
    }
    do throws(StorageError) {
      // A merge that is cut off is told from damage by its journal, which was only read so far.
      for name in recovery.journalNames {
        let journal = try context.fileSystem.open("\(context.path)/\(name)", .read)
        defer { journal.close() }
        _ = try journal.synchronize()
      }
      try snapshot.extend(change, to: end, context)
      return snapshot
    } catch {
      snapshot.file.close()
      if error.code == .noSpace { throw error }
      return nil
    }
  }

  private static func removeJournals(_ recovery: Recovery, _ context: StoreContext) throws(StorageError) {
    guard !recovery.journalNames.isEmpty else { return }
    #if Mutants
      if Mutant.isOn(.absorbedJournalStays) { return }
    #endif
    for name in recovery.journalNames { try context.fileSystem.removeIfAny("\(context.path)/\(name)") }
    try context.synchronizeNames()
  }

  // MARK: Reading

  static func read(
    _ id: PageID, _ fileSystem: any FileSystem, _ directory: String, _ names: [PageFileName]
  ) -> PageFiles {
    var files = PageFiles(page: id)
    for name in names where name.page == id {
      switch name {
      case .journal(_, let generation):
        files.journals.append(
          .init(
            generation: generation, name: name.text, content: content(fileSystem, "\(directory)/\(name.text)")
          ))
      case .snapshot: files.snapshot = content(fileSystem, "\(directory)/\(name.text)")
      case .quarantine(_, let generation, _): files.otherGenerations.append(generation)
      case .removed, .temporary: break
      }
    }
    files.journals = files.journals.ordered { $0.generation < $1.generation }
    #if Mutants
      if Mutant.isOn(.readErrorIsAbsence) {
        files.journals.removeAll { if case .failure = $0.content { true } else { false } }
      }
    #endif
    return files
  }

  private static func content(_ fileSystem: any FileSystem, _ path: String) -> Result<[UInt8], StorageError> {
    Result { () throws(StorageError) in try fileSystem.contents(of: path, limit: PageLimits.file) }
  }

  private static func passingQuarantines(
    of id: PageID, _ names: [PageFileName], _ context: StoreContext
  ) -> [String] {
    names.compactMap { name in
      guard case .quarantine(id, _, _) = name else { return nil }
      let content = try? context.fileSystem.contents(of: context.path(of: name), limit: PageLimits.file)
      return content.map { Quarantine.isPassing($0) } == true ? name.text : nil
    }
  }

  private static func strictFailure(
    _ report: RecoveryReport, _ id: PageID, _ context: StoreContext
  ) -> StorageError {
    let code: StorageError.Code
    switch report.verdict {
    case .unavailable: code = report.failure?.code ?? .io
    case .needsNewerVersion: code = .newerVersion
    default: code = .damaged
    }
    return StorageError(
      code, "open the page", cause: "\(report.verdict.rawValue): \(report.verdict.explanation)",
      advice: "open it with the standard policy to see what is readable",
      file: report.file.map { "\(context.path)/\($0)" }, offset: report.offset.map { UInt64($0) }, page: id)
  }
}

extension Page {
  /// Tries again to write what the recovery found, for a page that had to wait.
  func settle() throws(StorageError) {
    try merging.withLock { (merger) throws(StorageError) in
      guard memory.withLock({ $0.status.isWaiting }), var recovery = merger.recovery?.recovery else {
        try memory.withLock { (memory) throws(StorageError) in try memory.status.requireOpen(id) }
        return
      }
      do throws(StorageError) {
        let snapshot = try PageOpener.carryOut(&recovery, id, context)
        merger.recovery = nil
        merger.snapshot = snapshot
        merger.oldQuarantines.removeAll { recovery.report.quarantined.contains($0) }
        journal.withLock { $0.restart(at: snapshot) }
        memory.withLock { memory in
          memory.durable = memory.state.commit
          memory.generation = snapshot.end.generation
          memory.status = .open
        }
      } catch {
        memory.withLock { memory in
          if memory.status.isWaiting { memory.status = .waiting(error) }
        }
        throw memory.withLock { $0.status.obstacle(id) } ?? error
      }
    }
  }
}
