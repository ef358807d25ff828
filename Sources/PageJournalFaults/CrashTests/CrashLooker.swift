// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Reads the images of each moment of a crash test, and remembers what they show.
final class CrashLooker<State: Equatable & Sendable>: Sendable {
  private struct Seen: Sendable {
    /// What an image shows, and whether crashes in the reading of it were looked at.
    var shown: [ImageDigest: (state: State, isDeep: Bool)] = [:]
    var report = CrashTestReport()
    var failure: CrashTestFailure?
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

  func finish() throws -> CrashTestReport {
    let (report, failure) = seen.withLock { ($0.report, $0.failure) }
    if let failure { throw failure }
    return report
  }

  func look(at system: SimulatedFileSystem, _ moment: String) {
    guard seen.withLock({ $0.failure == nil }) else { return }
    let possible = ledger.possible
    do {
      let images = system.crashImages(profile: test.profile, limit: test.limit)
      while let image = images.next() {
        try expect(shown(image, image.digest, isNested: false), in: possible, "shows", image)
      }
      try lookAfterKill(of: system, possible)
      seen.withLock { seen in
        seen.report.moments += 1
        if !images.statistics.isComplete { seen.report.incompleteMoments += 1 }
      }
    } catch {
      // Untyped, because the compiler (6.3.1) does not survive typed throws in this generic class.
      let wrong = error as? Wrong ?? Wrong(text: "\(error)", image: system.kill())
      seen.withLock { seen in
        seen.failure =
          seen.failure
          ?? CrashTestFailure(moment: moment, text: wrong.text, image: wrong.image, events: system.events)
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
  private func lookAfterKill(of system: SimulatedFileSystem, _ possible: [State]) throws {
    let (state, inner) = try readOnce(system.afterKill(), system.kill(), nests: test.nests)
    try expect(state, in: possible, "of the process, without a power cut, shows", system.kill())
    seen.withLock { $0.report.incompleteMoments += inner.incomplete }
    for (digest, image) in inner.all {
      try expect(
        shown(image, digest, isNested: true), in: possible, "of the process, and then of the power, shows",
        image)
    }
  }

  /// What an image shows; read only once.
  private func shown(_ image: Image, _ digest: ImageDigest, isNested: Bool) throws -> State {
    let known = seen.withLock { $0.shown[digest] }
    if let known, known.isDeep || isNested { return known.state }
    let (state, inner) = try readOnce(
      .restart(from: image, recordsEvents: false), image, nests: test.nests && !isNested)
    seen.withLock { seen in
      seen.shown[digest] = (state, !isNested)
      if known == nil {
        seen.report.states += 1
        if isNested { seen.report.nestedStates += 1 }
      }
      seen.report.incompleteMoments += inner.incomplete
    }
    for (digest, image) in inner.all {
      let again = try shown(image, digest, isNested: true)
      guard again == state else {
        throw Wrong(
          text: "shows \(state), and \(again) when the power goes again while it is read", image: image)
      }
    }
    return state
  }

  private func readOnce(
    _ system: SimulatedFileSystem, _ image: Image, nests: Bool
  ) throws -> (State, NestedImages) {
    let inner = Nested()
    if nests {
      system.observeSyncs { [test] system, _ in
        inner.add(system.crashImages(profile: test.profile, limit: test.limit))
      }
    }
    defer { system.observeSyncs(nil) }
    do { return (try read(system), inner.found) } catch {
      throw Wrong(text: "cannot be read: \(error)", image: image)
    }
  }
}

private struct NestedImages: Sendable {
  var all: [ImageDigest: Image] = [:]
  var incomplete = 0
}

/// Images of the moments inside of one reading.
private final class Nested: Sendable {
  private let images = Mutex(NestedImages())

  var found: NestedImages { images.withLock { $0 } }

  func add(_ found: CrashImages) {
    images.withLock { images in
      while let (image, digest) = found.next(unless: { images.all[$0] != nil }) { images.all[digest] = image }
      if !found.statistics.isComplete { images.incomplete += 1 }
    }
  }
}
