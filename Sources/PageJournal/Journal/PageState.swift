// SPDX-License-Identifier: Apache-2.0

/// An element as the page holds it.
struct ElementRecord: Sendable {
  var id: UInt64
  var payload: PayloadRef
  var kind: UInt8
  /// Whether it is on the page: records are not reused, ids never are.
  var isAlive: Bool
  /// Whether the snapshot on disk does not show it as it is now.
  var isTouched: Bool
}

/// A page in memory: a pure value, changed only by whole commits.
struct PageState: Sendable {
  private(set) var records: [ElementRecord] = []
  private(set) var numbers: [UInt64: Int32] = [:]
  private(set) var sequence = ElementSequence()
  private(set) var arena = Arena()
  private(set) var attributes: [AttributeKey: [UInt8]] = [:]
  /// Skippable frames of newer versions: type byte and payload, kept byte for byte through every merge.
  private(set) var keptFrames: [KeptFrame] = []
  /// The id that the next new element gets.
  private(set) var nextID: UInt64 = 1
  /// The number of commits since the page was made.
  private(set) var commit: UInt64 = 0
  /// Payload bytes of the elements on the page.
  private(set) var liveBytes = 0
  /// What the snapshot on disk does not have.
  private(set) var changes = Changes()

  struct KeptFrame: Sendable, Equatable {
    var typeByte: UInt8
    var payload: [UInt8]
  }

  /// The difference to the snapshot on disk, as names; the content is in the state.
  struct Changes: Sendable {
    /// Elements of the snapshot that are removed or moved.
    var takenOut: Set<UInt64> = []
    /// Record numbers that were made or moved, dead ones included.
    var touched: [Int32] = []
    var attributes: Set<AttributeKey> = []
    /// Kept frames from this one on are new.
    var keptFrames = 0
    var commits: UInt64 = 0
  }

  var count: Int { sequence.count }

  /// Whether the page has no numbers left for commits or elements. Only a made-up file gets a page there.
  var isExhausted: Bool { commit >= PageLimits.counter || nextID >= PageLimits.counter }

  func record(_ id: UInt64) -> ElementRecord? { numbers[id].map { records[Int($0)] } }

  func record(at place: Int) -> ElementRecord? {
    guard place >= 0, place < count else { return nil }
    return records[Int(sequence.record(at: place))]
  }

  func place(of id: UInt64) -> Int? { numbers[id].map { sequence.place(of: $0) } }

  func forEach(_ body: (ElementRecord) -> Void) { sequence.forEach { body(records[Int($0)]) } }

  /// Whether another state is the same to every reader, however it came about.
  func hasContent(of other: PageState) -> Bool {
    guard commit == other.commit, nextID == other.nextID, count == other.count,
      attributes == other.attributes, keptFrames == other.keptFrames
    else { return false }
    for place in 0..<count {
      guard let mine = record(at: place), let theirs = other.record(at: place), mine.id == theirs.id,
        mine.kind == theirs.kind, arena.bytes(mine.payload) == other.arena.bytes(theirs.payload)
      else { return false }
    }
    return true
  }

  // MARK: Commits

  mutating func adopt(_ bytes: [UInt8]) -> Int32 { arena.adopt(bytes) }

  mutating func store(_ payload: Span<UInt8>) -> PayloadRef { arena.add(payload) }

  /// Applies one commit whose edits `EditCheck` has accepted; returns the new elements' ids in order.
  mutating func apply(_ edits: [Edit]) -> [UInt64] {
    var ids: [UInt64] = []
    for edit in edits { apply(edit, &ids) }
    finishCommit()
    return ids
  }

  /// Applies a commit of one append, without a list of ids.
  mutating func applyAppend(_ content: Edit.Content) -> UInt64 {
    let record = newRecord(content)
    sequence.append(record)
    finishCommit()
    return records[Int(record)].id
  }

  private mutating func finishCommit() {
    commit += 1
    changes.commits += 1
  }

  private mutating func apply(_ edit: Edit, _ ids: inout [UInt64]) {
    switch edit {
    case .append(let content):
      let record = newRecord(content)
      sequence.append(record)
      ids.append(records[Int(record)].id)
    case .insert(let content, let place):
      let record = newRecord(content)
      sequence.insert(record, at: place)
      ids.append(records[Int(record)].id)
    case .replace(let id, let contents):
      guard let old = numbers[id] else { return }
      var place = sequence.place(of: old)
      drop(old)
      for content in contents {
        let record = newRecord(content)
        sequence.insert(record, at: place)
        place += 1
        ids.append(records[Int(record)].id)
      }
    case .remove(let id):
      if let record = numbers[id] { drop(record) }
    case .move(let id, let place):
      guard let record = numbers[id] else { return }
      takeOutOfSnapshot(record)
      touch(record)
      sequence.remove(record)
      sequence.insert(record, at: place)
    case .set(let key, let value):
      let key = AttributeKey(key)
      attributes[key] = value
      changes.attributes.insert(key)
    }
  }

  private mutating func newRecord(_ content: Edit.Content) -> Int32 {
    let number = addRecord(nextID, content)
    nextID += 1
    touch(number)
    return number
  }

  private mutating func addRecord(_ id: UInt64, _ content: Edit.Content) -> Int32 {
    let number = Int32(truncatingIfNeeded: records.count)
    records.append(
      ElementRecord(id: id, payload: content.payload, kind: content.kind, isAlive: true, isTouched: false))
    numbers[id] = number
    liveBytes += content.payload.length
    return number
  }

  private mutating func touch(_ number: Int32) {
    guard !records[Int(number)].isTouched else { return }
    records[Int(number)].isTouched = true
    changes.touched.append(number)
  }

  private mutating func takeOutOfSnapshot(_ number: Int32) {
    if !records[Int(number)].isTouched { changes.takenOut.insert(records[Int(number)].id) }
  }

  private mutating func drop(_ number: Int32) {
    takeOutOfSnapshot(number)
    sequence.remove(number)
    numbers[records[Int(number)].id] = nil
    liveBytes -= records[Int(number)].payload.length
    records[Int(number)].isAlive = false
    records[Int(number)].payload = .empty
  }

  mutating func keep(_ frame: KeptFrame) { keptFrames.append(frame) }

  // MARK: Snapshots

  /// Puts an element of a snapshot behind the place before it; false when the id is taken or out of range.
  mutating func placeElement(_ id: UInt64, _ content: Edit.Content, at place: Int) -> Bool {
    guard id != 0, numbers[id] == nil else { return false }
    let number = addRecord(id, content)
    sequence.insert(number, at: place)
    return true
  }

  /// Takes an element out and hands over what it was; nil when there is none.
  mutating func takeOutElement(_ id: UInt64) -> Edit.Content? {
    guard let number = numbers[id] else { return nil }
    let record = records[Int(number)]
    drop(number)
    return Edit.Content(kind: record.kind, payload: record.payload)
  }

  mutating func setAttribute(_ key: String, _ value: [UInt8]?) { attributes[AttributeKey(key)] = value }

  mutating func setCounters(commit: UInt64, nextID: UInt64) {
    self.commit = commit
    self.nextID = nextID
    #if Mutants
      if Mutant.isOn(.nextIDIsForgotten) { self.nextID = (numbers.keys.max() ?? 0) + 1 }
    #endif
  }

  /// From here on, `changes` counts against the snapshot that holds exactly this state.
  mutating func beginChanges() -> Changes {
    let old = changes
    for number in changes.touched { records[Int(number)].isTouched = false }
    changes = Changes()
    changes.keptFrames = keptFrames.count
    return old
  }

  // MARK: Memory

  /// Gives back the memory of dead payloads and records when they outweigh the live ones. Amortised over what
  /// died. References that the caller holds are void afterwards.
  mutating func repackIfSparse() {
    if arena.total > 2 * liveBytes + (4 << 20) {
      var packed = Arena()
      for index in records.indices where records[index].isAlive {
        records[index].payload = arena.withBytes(records[index].payload) { packed.add($0) }
      }
      arena = packed
    }
    if records.count > 2 * count + (16 << 10) { renumber() }
  }

  private mutating func renumber() {
    var kept: [ElementRecord] = []
    kept.reserveCapacity(count)
    var order = ElementSequence()
    var byID: [UInt64: Int32] = [:]
    byID.reserveCapacity(count)
    var touched: [Int32] = []
    sequence.forEach { old in
      let number = Int32(truncatingIfNeeded: kept.count)
      kept.append(records[Int(old)])
      byID[records[Int(old)].id] = number
      order.append(number)
      if records[Int(old)].isTouched { touched.append(number) }
    }
    records = kept
    sequence = order
    numbers = byID
    changes.touched = touched
  }
}
