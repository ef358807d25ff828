// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Reads the images of each moment of a crash test, and remembers what they show.
///
/// Looks on several threads go on side by side; each has a copy of the disk and the states of one moment.
final class CrashLooker<State: Equatable & Sendable>: Sendable {
  private struct Seen: Sendable {
    /// What an image shows, and whether crashes in and after the reading of it were looked at.
    var shown: [ImageDigest: (state: State, isDeep: Bool)] = [:]
    var report = CrashTestReport()
    var failure: CrashTestFailure?
    /// The looks that are going on.
    var turns: [ObjectIdentifier: CrashLook] = [:]
  }

  private let test: CrashTest
  private let ledger: CrashLedger<State>
  private let read: @Sendable (SimulatedFileSystem) throws -> State
  private let seen = Mutex(Seen())

  init(
    _ test: CrashTest, _ ledger: CrashLedger<State>,
    _ read: @escaping @Sendable (SimulatedFileSystem) throws -> State
  ) {
    self.test = test
    self.ledger = ledger
    self.read = read
  }

  /// Waits for the looks that other threads have begun.
  func finish() throws -> CrashTestReport {
    while let turn = seen.withLock({ $0.turns.values.first }) { turn.waitForItsEnd() }
    var (report, failure) = seen.withLock { ($0.report, $0.failure) }
    if let failure { throw failure }
    report.acknowledgements = ledger.acknowledgements
    return report
  }

  func look(at system: SimulatedFileSystem, _ moment: String) {
    let turn = CrashLook()
    turn.run {
      let goesOn = seen.withLock { seen in
        guard seen.failure == nil else { return false }
        seen.turns[turn.id] = turn
        return true
      }
      guard goesOn else { return }
      // In this order: what was acknowledged before the copy has to be in it, and nothing can be in it that began later.
      let floor = ledger.floor
      let disk = system.copy()
      look(at: disk, ledger.possible(since: floor), moment)
      seen.withLock { $0.turns[turn.id] = nil }
    }
  }

  /// - Parameter disk: Nobody else has it.
  private func look(at disk: SimulatedFileSystem, _ possible: [State], _ moment: String) {
    do {
      let images = disk.crashImages(profile: test.profile, limit: test.limit)
      while let image = images.next() {
        try expect(shown(image, image.digest, isNested: false), in: possible, "shows", image)
      }
      try lookAfterKill(of: disk, possible)
      seen.withLock { seen in
        seen.report.moments += 1
        if !images.statistics.isComplete { seen.report.incompleteMoments += 1 }
      }
    } catch {
      // Untyped, because the compiler (6.3.1) does not survive typed throws in this generic class.
      let wrong = error as? Wrong ?? Wrong(text: "\(error)", image: disk.kill())
      seen.withLock { seen in
        seen.failure =
          seen.failure
          ?? CrashTestFailure(moment: moment, text: wrong.text, image: wrong.image, events: disk.events)
      }
    }
  }

  private struct Wrong: Error {
    var text: String
    var image: Image
  }

  private func expect(
    _ state: State, in possible: [State], _ what: String, _ image: Image
  ) throws {
    guard possible.contains(state) else {
      throw Wrong(text: "\(what) \(state); possible are \(possible)", image: image)
    }
  }

  /// A kill loses nothing that was written; what the next process reads may still be lost when the power goes, until
  /// that process has made it durable.
  private func lookAfterKill(of disk: SimulatedFileSystem, _ possible: [State]) throws {
    let killed = disk.kill()
    let (state, inner) = try readOnce(disk.afterKill(), killed, nests: test.nests)
    try expect(state, in: possible, "of the process, without a power cut, shows", killed)
    if let known = seen.withLock({ $0.shown[killed.digest]?.state }) {
      try expectSame(known, state, killed)
    }
    seen.withLock { $0.report.incompleteMoments += inner.incomplete }
    for nested in inner.all {
      let again = try shown(nested.image, nested.digest, isNested: true)
      try expect(again, in: possible, "of the process, and then of the power, shows", nested.image)
      guard !test.readingMakesDurable || !nested.isAfterReading || again == state else {
        throw Wrong(
          text: "of the process shows \(state), and \(again) when the power goes after that was read",
          image: nested.image)
      }
    }
  }

  /// What an image shows; read only once, and once more when crashes in the reading were not looked at yet.
  private func shown(_ image: Image, _ digest: ImageDigest, isNested: Bool) throws -> State {
    let known = seen.withLock { $0.shown[digest] }
    if let known, known.isDeep || isNested { return known.state }
    let (state, inner) = try readOnce(
      .restart(from: image, recordsEvents: false), image, nests: test.nests && !isNested)
    // Another thread may have read it meanwhile.
    let former = seen.withLock { seen in
      let former = seen.shown[digest]
      seen.shown[digest] = (former?.state ?? state, !isNested || former?.isDeep == true)
      if former == nil {
        seen.report.states += 1
        if isNested { seen.report.nestedStates += 1 }
      }
      if !isNested, former?.isDeep != true { seen.report.incompleteMoments += inner.incomplete }
      return former?.state
    }
    if let former { try expectSame(former, state, image) }
    for nested in inner.all {
      let again = try shown(nested.image, nested.digest, isNested: true)
      guard again == state else {
        let when = nested.isAfterReading ? "after" : "while"
        throw Wrong(
          text: "shows \(state), and \(again) when the power goes again \(when) it is read",
          image: nested.image)
      }
    }
    return state
  }

  private func expectSame(_ former: State, _ state: State, _ image: Image) throws {
    guard former == state else {
      throw Wrong(
        text: "shows \(former), and \(state) when the same image is read once more: the reading is not the "
          + "same each time, or it does not end what it starts", image: image)
    }
  }

  private func readOnce(
    _ system: SimulatedFileSystem, _ image: Image, nests: Bool
  ) throws -> (State, NestedImages) {
    let inner = Nested()
    let begun = system.eventCount
    if nests {
      system.watchSyncs { [test] system, _ in
        inner.add(system.crashImages(profile: test.profile, limit: test.limit), isAfterReading: false)
      }
    }
    defer { system.watchSyncs(nil) }
    let state: State
    do { state = try read(system) } catch {
      throw Wrong(text: "cannot be read: \(error)", image: image)
    }
    if nests, system.hasPending || system.eventCount != begun {
      inner.add(system.crashImages(profile: test.profile, limit: test.limit), isAfterReading: true)
    }
    return (state, inner.found)
  }
}

/// One look, which another thread can wait for.
private final class CrashLook: Sendable {
  private let isGoingOn = Mutex(false)

  var id: ObjectIdentifier { ObjectIdentifier(self) }

  func run(_ body: () -> Void) { isGoingOn.withLock { _ in body() } }

  func waitForItsEnd() { isGoingOn.withLock { _ in } }
}

private struct NestedImages: Sendable {
  /// In the order in which they were found, so that a failure is the same at each run.
  private(set) var all: [(digest: ImageDigest, image: Image, isAfterReading: Bool)] = []
  var incomplete = 0
  private var places: [ImageDigest: Int] = [:]

  mutating func add(_ found: CrashImages, isAfterReading: Bool) {
    while true {
      let new = found.next { digest in
        guard let place = places[digest] else { return false }
        if isAfterReading { all[place].isAfterReading = true }
        return true
      }
      guard let (image, digest) = new else { break }
      places[digest] = all.count
      all.append((digest, image, isAfterReading))
    }
    if !found.statistics.isComplete { incomplete += 1 }
  }
}

/// Images of the moments inside of one reading, and of its end.
private final class Nested: Sendable {
  private let images = Mutex(NestedImages())

  var found: NestedImages { images.withLock { $0 } }

  func add(_ found: CrashImages, isAfterReading: Bool) {
    images.withLock { $0.add(found, isAfterReading: isAfterReading) }
  }
}
