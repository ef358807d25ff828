// SPDX-License-Identifier: Apache-2.0

/// What the files of a page mean: a pure function of their bytes.
struct Recovery: Sendable {
  /// Bytes that are not shown.
  struct Aside: Sendable {
    var name: String
    var generation: UInt64
    var offset: Int
    var bytes: [UInt8]
  }

  /// The page as it is shown.
  private(set) var state = PageState()
  var report: RecoveryReport
  var plan: RecoveryPlan
  private(set) var reading: SnapshotReading?
  /// Journals whose effect the state holds, lower ones that the snapshot holds, and those that are set aside as a
  /// whole: what a crash may leave of them beside the next snapshot is known to it.
  var absorbed: [AbsorbedJournal] = []
  var aside: [Aside] = []
  /// The newest generation of the chain that is shown.
  private(set) var generation: UInt64 = 0
  /// 1 + the highest generation in any name or header.
  private(set) var freshGeneration: UInt64 = 1
  /// Names of all journal files found: they go when the plan is carried out.
  private(set) var journalNames: [String] = []

  private var lowerFact = LowerFact.none
  private var journalFact = JournalFact.none
  private var highest: UInt64 = 0

  init(_ files: PageFiles, floor: PageFloor? = nil) {
    report = RecoveryReport(.clean)
    plan = .nothing
    journalNames = files.journals.map(\.name)
    for generation in files.journals.map(\.generation) + files.otherGenerations { see(generation) }
    let snapshotFact = readSnapshot(files, floor)
    readJournals(files, snapshotFact)
    let row = RecoveryTable.row(snapshotFact, lowerFact, journalFact)
    report.verdict = row.verdict
    plan = row.plan
    freshGeneration = highest == .max ? highest : highest + 1
    finishReport(files, snapshotFact)
  }

  /// Generations near the top of the range only come from damage or malice; they are not counted, so that a
  /// fresh one always exists.
  private mutating func see(_ generation: UInt64) {
    if generation < PageLimits.counter / 2 { highest = max(highest, generation) }
  }

  // MARK: Snapshot

  private mutating func readSnapshot(_ files: PageFiles, _ floor: PageFloor?) -> SnapshotFact {
    guard let content = files.snapshot else { return .damaged }
    switch content {
    case .failure(let error):
      report.failure = error
      return .unavailable
    case .success(let bytes):
      let reading = SnapshotReading(bytes)
      // Another page's content is never shown under this one's name.
      if let page = reading.header?.page, page != files.page { return .damaged }
      self.reading = reading
      if let end = reading.end {
        state = reading.state
        generation = end.generation
        if end.generation < 2 * PageLimits.counter { highest = max(highest, end.generation) }
      }
      let fact = fact(reading, files, floor)
      if fact == .cutOffMerge {
        aside.append(
          Aside(
            name: files.snapshotName, generation: 0, offset: reading.length,
            bytes: [UInt8](copying: bytes.span.extracting(reading.length..<bytes.count))))
        report.bytesSetAside += bytes.count - reading.length
      }
      return fact
    }
  }

  private func fact(_ reading: SnapshotReading, _ files: PageFiles, _ floor: PageFloor?) -> SnapshotFact {
    switch reading.condition {
    case .newer: return .newer
    case .undecodable: return .undecodable
    case .damaged: return .damaged
    case .complete, .trailing: break
    }
    guard let end = reading.end else { return .damaged }
    if let floor, end.generation < floor.generation || end.commit < floor.commit { return .olderThanDocument }
    guard reading.condition == .trailing else { return .complete }
    return files.journals.contains { Self.belongs($0, to: end, files.page) } ? .cutOffMerge : .damaged
  }

  /// Whether a journal is the one that a merge behind this `end` would have absorbed: it was made durable before the
  /// first byte of the merge, so a file that only has its name does not explain bytes behind the `end`.
  private static func belongs(_ file: PageFiles.Journal, to end: SnapshotEnd, _ page: PageID) -> Bool {
    guard file.generation == end.generation, case .success(let bytes) = file.content,
      case .valid(let header) = JournalReading(bytes).header
    else { return false }
    return header.page == page && header.generation == end.generation && header.nonce == end.nonce
      && header.commit == end.commit
  }

  /// Whether nothing of the page could be read, which is not an empty page.
  var isBlank: Bool { reading?.end == nil }

  // MARK: Journals

  private mutating func readJournals(_ files: PageFiles, _ snapshotFact: SnapshotFact) {
    if let failed = files.journals.first(where: { if case .failure = $0.content { true } else { false } }) {
      journalFact = .unavailable
      if case .failure(let error) = failed.content { report.failure = report.failure ?? error }
      return
    }
    var readings: [(file: PageFiles.Journal, reading: JournalReading)] = []
    for file in files.journals {
      guard case .success(let bytes) = file.content else { continue }
      let reading = JournalReading(bytes)
      if case .valid(let header) = reading.header { see(header.generation) }
      readings.append((file, reading))
    }
    if snapshotFact == .complete || snapshotFact == .cutOffMerge, let end = reading?.end {
      readLower(readings.filter { $0.file.generation < end.generation }, end, files.page)
      let higher = readings.filter { $0.file.generation >= end.generation }
      if !higher.isEmpty { readChain(higher, end, files.page) }
    }
    // Wherever it stands: nothing here may remove or copy what it cannot read.
    if let newer = readings.first(where: { $0.reading.header == .newer }) {
      journalFact = .newer
      blame(newer.file.name, 0)
    }
  }

  private mutating func readLower(
    _ lower: [(file: PageFiles.Journal, reading: JournalReading)], _ end: SnapshotEnd, _ page: PageID
  ) {
    for (file, reading) in lower {
      switch reading.header {
      case .absent:
        if lowerFact == .none { lowerFact = .absorbed }
        continue
      case .valid(let header):
        let listed = end.absorbed.first { $0.generation == file.generation && $0.seed == header.seed }
        if let listed, header.generation == file.generation, header.page == page {
          absorbed.append(listed)
          if lowerFact == .none { lowerFact = .absorbed }
          #if Mutants
            if Mutant.isOn(.oldGenerationIsReplayed) {
              var reading = reading
              reading.replay(onto: &state)
            }
          #endif
          continue
        }
        #if Mutants
          if Mutant.isOn(.unlistedJournalIsRemoved) {
            if lowerFact == .none { lowerFact = .absorbed }
            continue
          }
        #endif
      case .newer: continue
      case .damaged:
        // Its header never was durable, or a failed synchronisation lost it: the snapshot knows it all the same.
        if let listed = end.absorbed.first(where: { $0.generation == file.generation }) {
          absorbed.append(listed)
          setAside(file, reading, from: 0)
          if lowerFact == .none { lowerFact = .absorbed }
          continue
        }
      }
      lowerFact = .foreign
      setAside(file, reading, from: 0, isForeign: true)
    }
  }

  private mutating func readChain(
    _ journals: [(file: PageFiles.Journal, reading: JournalReading)], _ end: SnapshotEnd, _ page: PageID
  ) {
    journalFact = .empty
    var previous: JournalReading?
    var expected = end.generation
    var nonce: UInt64? = end.nonce
    for index in journals.indices {
      var (file, reading) = journals[index]
      switch reading.header {
      case .absent:
        // Prepared ahead and never used. A used one behind it is a gap, which the next turn finds.
        continue
      case .newer: return
      case .damaged:
        breakChain(at: journals[index...], nonce, page, broken: file.generation == expected)
        return
      case .valid(let header):
        guard header.page == page, header.generation == file.generation else {
          makeForeign(journals[index...])
          return
        }
        #if Mutants
          if Mutant.isOn(.gapIsBridged), file.generation == expected + 1 { expected = file.generation }
        #endif
        if file.generation > expected {
          // The predecessor is gone: its name never was durable, or it was lost.
          // Its nonce is known where it was the first; else it was in the file that is gone.
          let lost = expected == end.generation ? end.nonce : nil
          let fits = lost.map { header.previousNonce == $0 } ?? (header.commit >= state.commit)
          guard fits, header.previousNonce != 0, file.generation == expected + 1 else {
            makeForeign(journals[index...])
            return
          }
          endChain(.gap, .gapSynced, journals[index...], lost, page)
          return
        }
        guard belongs(header, end, previous, file.generation) else {
          if let previous, header.previousNonce == nonce, UInt64(previous.length) < header.previousLength {
            endChain(.gap, .gapSynced, journals[index...], nonce, page)
          } else {
            makeForeign(journals[index...])
          }
          return
        }
        reading.replay(onto: &state)
        take(file, reading, header)
        if reading.stop != .clean {
          stopInside(file, reading, journals[(index + 1)...], header.nonce, page)
          return
        }
        previous = reading
        nonce = header.nonce
        expected = file.generation + 1
      }
    }
  }

  private func belongs(
    _ header: JournalHeader, _ end: SnapshotEnd, _ previous: JournalReading?, _ generation: UInt64
  ) -> Bool {
    #if Mutants
      if Mutant.isOn(.gapIsBridged) { return true }
      if Mutant.isOn(.nonceIsIgnored), previous == nil { return header.commit == state.commit }
    #endif
    guard header.commit == state.commit else { return false }
    guard let previous else { return header.nonce == end.nonce }
    guard case .valid(let before) = previous.header else { return false }
    return header.previousNonce == before.nonce && header.previousLength == UInt64(previous.length)
      && header.previousCRC == previous.chain.last
  }

  private mutating func take(_ file: PageFiles.Journal, _ reading: JournalReading, _ header: JournalHeader) {
    if reading.frames > 0 { journalFact = .valid }
    report.framesApplied += reading.frames
    report.commitsApplied += reading.commits
    report.bytesApplied += reading.length - reading.start
    generation = file.generation
    absorbed.append(
      AbsorbedJournal(
        generation: file.generation, seed: header.seed, length: UInt64(reading.length),
        crc: reading.chain.last))
  }

  private mutating func stopInside(
    _ file: PageFiles.Journal, _ reading: JournalReading,
    _ rest: ArraySlice<(file: PageFiles.Journal, reading: JournalReading)>, _ nonce: UInt64, _ page: PageID
  ) {
    blame(file.name, reading.length)
    setAside(file, reading, from: reading.length)
    let vouched = rest.isEmpty ? false : vouchesFrom(rest, nonce, page)
    for (file, reading) in rest { setAside(file, reading, from: 0) }
    switch reading.stop {
    case .newer: journalFact = .newer
    case .undecodable: journalFact = .undecodable
    case .clean, .bad:
      // A search that ended early has not shown that nothing there was acknowledged.
      if reading.badPlaceWasSynced || vouched || reading.search?.gaveUp == true {
        journalFact = .brokenSynced
      } else {
        let behind = reading.search?.runs.isEmpty == false || rest.contains { $0.reading.header != .absent }
        journalFact = behind ? .broken : .torn
      }
    }
  }

  /// Whether later journals that follow on say that everything before them had been synchronised.
  private func vouchesFrom(
    _ rest: ArraySlice<(file: PageFiles.Journal, reading: JournalReading)>, _ nonce: UInt64?, _ page: PageID
  ) -> Bool {
    var nonce = nonce
    for (file, reading) in rest {
      guard case .valid(let header) = reading.header, header.page == page,
        header.generation == file.generation,
        nonce == nil || header.previousNonce == nonce
      else { continue }
      var reading = reading
      reading.check()
      if reading.vouchesForEarlier { return true }
      nonce = header.nonce
    }
    return false
  }

  private mutating func breakChain(
    at rest: ArraySlice<(file: PageFiles.Journal, reading: JournalReading)>, _ nonce: UInt64?, _ page: PageID,
    broken: Bool
  ) {
    guard let (file, reading) = rest.first else { return }
    blame(file.name, 0)
    let later = rest.dropFirst()
    let vouched =
      reading.badPlaceWasSynced || reading.search?.gaveUp == true || vouchesFrom(later, nil, page)
    for (file, reading) in rest { setAside(file, reading, from: 0) }
    if vouched {
      journalFact = .brokenSynced
    } else {
      let behind = later.contains { $0.reading.header != .absent }
      journalFact = behind ? .broken : .torn
    }
  }

  private mutating func endChain(
    _ plain: JournalFact, _ synced: JournalFact,
    _ rest: ArraySlice<(file: PageFiles.Journal, reading: JournalReading)>, _ nonce: UInt64?, _ page: PageID
  ) {
    if let first = rest.first { blame(first.file.name, 0) }
    journalFact = vouchesFrom(rest, nonce, page) ? synced : plain
    for (file, reading) in rest { setAside(file, reading, from: 0) }
  }

  private mutating func makeForeign(
    _ rest: ArraySlice<(file: PageFiles.Journal, reading: JournalReading)>
  ) {
    journalFact = .foreign
    for (file, reading) in rest { setAside(file, reading, from: 0, isForeign: true) }
  }

  // MARK: Report

  private mutating func blame(_ name: String, _ offset: Int) {
    report.file = name
    report.offset = offset
  }

  private mutating func setAside(
    _ file: PageFiles.Journal, _ reading: JournalReading, from offset: Int, isForeign: Bool = false
  ) {
    guard reading.header != .absent else { return }
    if isForeign {
      report.foreignFiles.append(file.name)
      if report.file == nil { blame(file.name, offset) }
    }
    if !isForeign, offset == 0, !absorbed.contains(where: { $0.generation == file.generation }) {
      absorbed.append(Self.unread(reading.bytes, file.generation))
    }
    guard offset < reading.bytes.count else { return }
    let bytes = [UInt8](copying: reading.bytes.span.extracting(offset..<reading.bytes.count))
    aside.append(Aside(name: file.name, generation: file.generation, offset: offset, bytes: bytes))
    report.bytesSetAside += bytes.count
    guard let search = reading.search else { return }
    report.searchGaveUp = report.searchGaveUp || search.gaveUp
    for run in search.runs {
      report.salvageable.append(
        .init(file: file.name, offset: run.start, length: run.end - run.start, frames: run.frames))
    }
  }

  /// A journal that is set aside without having been read: known by the seed that its header states.
  static func unread(_ bytes: [UInt8], _ generation: UInt64) -> AbsorbedJournal {
    let seed = bytes.count >= JournalHeader.size ? bytes.littleEndian32(at: 8) : 0
    return AbsorbedJournal(generation: generation, seed: seed, length: 0, crc: 0)
  }

  private mutating func finishReport(_ files: PageFiles, _ fact: SnapshotFact) {
    guard let reading else {
      if fact == .damaged { blame(files.snapshotName, 0) }
      return
    }
    switch fact {
    case .damaged, .newer, .undecodable, .olderThanDocument:
      blame(files.snapshotName, fact == .olderThanDocument ? 0 : reading.offset)
      if let search = reading.search {
        report.searchGaveUp = report.searchGaveUp || search.gaveUp
        for run in search.runs {
          report.salvageable.append(
            .init(
              file: files.snapshotName, offset: run.start, length: run.end - run.start, frames: run.frames))
        }
      }
      if case .success(let bytes)? = files.snapshot, reading.length < bytes.count, fact == .damaged {
        report.bytesSetAside += bytes.count - reading.length
      }
    case .cutOffMerge:
      if report.file == nil { blame(files.snapshotName, reading.length) }
    case .complete, .unavailable: break
    }
  }
}
