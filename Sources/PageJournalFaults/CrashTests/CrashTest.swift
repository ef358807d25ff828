// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A test of your own code against every crash that a profile allows.
///
/// The work runs once on a simulated disk. At each sync in it and at its end every image that a power cut may leave is
/// opened by your own reading code, and so is what a kill of the process leaves. Each has to show one of the states
/// that the ledger names at that moment. Where the reading code writes (as recovery does), a second power cut at each of
/// its syncs, and after its end, has to show the state that the first one showed: what a reading has shown stays. Images
/// are looked at once each, and a reading that shows something else at another time is a failure.
///
/// The work may have several threads; each sync is looked at on the thread that makes it.
public struct CrashTest: Sendable {
  /// What the file system and the device may do.
  public var profile: CrashProfile
  /// The most images of one moment; nil for all of them. `CrashTestReport.incompleteMoments` counts where that, or the
  /// profile's own bound on pending sectors, left some out.
  public var limit: Int?
  /// Whether crashes inside of the reading code and after it are tried too.
  public var nests: Bool
  /// Whether what is read after a *kill* has to stay as well when the power goes after that reading. Without it, a state
  /// that was written and not yet acknowledged may be shown after the kill and be gone after the power cut, as with all
  /// code that only reads at its start. With it, the reading has to make durable what it shows, as `PageStore` does.
  /// It needs `nests`.
  public var readingMakesDurable: Bool

  /// A test with these bounds.
  public init(
    profile: CrashProfile = .worst, limit: Int? = nil, nests: Bool = true, readingMakesDurable: Bool = false
  ) {
    self.profile = profile
    self.limit = limit
    self.nests = nests
    self.readingMakesDurable = readingMakesDurable
  }

  /// Runs the work and looks at every crash.
  /// - Parameters:
  ///   - image: What is on the disk before.
  ///   - initial: The state that it is in.
  ///   - work: Your writing code. It tells the ledger what it does. Called once, on this thread. When it returns, the
  ///     threads that it has started have to be at rest.
  ///   - read: Your reading code: opens what is there and says which state it is. Called for each image on a disk of its
  ///     own, on several threads at once where the work synchronises on several; it has to show the same for the same
  ///     image, and to have ended what it started when it returns.
  /// - Returns: What was looked at.
  /// - Throws: `CrashTestFailure` for the first crash that shows something else, also where the work throws after that;
  ///   else what `work` throws. The syncs before the error are looked at, the moment of the error is not: what your
  ///   code does when a call fails is a test with `FaultingFileSystem`, and its work catches the error.
  public func run<State: Equatable & Sendable>(
    from image: Image = Image(), in initial: State,
    work: (SimulatedFileSystem, CrashLedger<State>) throws -> Void,
    read: @escaping @Sendable (SimulatedFileSystem) throws -> State
  ) throws -> CrashTestReport {
    let ledger = CrashLedger(initial)
    let looker = CrashLooker(self, ledger, read)
    let system = SimulatedFileSystem.restart(from: image)
    system.watchSyncs { system, event in looker.look(at: system, "at \(event)") }
    do {
      try work(system, ledger)
    } catch {
      system.watchSyncs(nil)
      _ = try looker.finish()
      throw error
    }
    looker.look(at: system, "after the work")
    system.watchSyncs(nil)
    return try looker.finish()
  }
}

/// What a crash test has looked at.
public struct CrashTestReport: Sendable, Equatable, CustomStringConvertible {
  /// Syncs of the work, and its end.
  public internal(set) var moments = 0
  /// Those, and those inside of the reading code and after it, of which not every image was looked at.
  public internal(set) var incompleteMoments = 0
  /// Different images that were read.
  public internal(set) var states = 0
  /// Those of them that a crash inside of the reading code, or after it, left.
  public internal(set) var nestedStates = 0
  /// How often the work acknowledged something; when it never did, nothing had to be durable.
  public internal(set) var acknowledgements = 0

  /// One line.
  public var description: String {
    "\(states) states at \(moments) moments (\(nestedStates) of a crash in the recovery); "
      + (acknowledgements == 0 ? "nothing was acknowledged; " : "")
      + (incompleteMoments == 0 ? "complete" : "\(incompleteMoments) moments not complete")
  }
}

/// A crash that shows what it must not show.
public struct CrashTestFailure: Error, CustomStringConvertible {
  /// When the power went.
  public var moment: String
  /// What was read, and what was possible.
  public var text: String
  /// What was on the disk; `export(to:at:)` writes it into a real folder.
  public var image: Image
  /// All that the work had done to the disk.
  public var events: [SimulatedEvent]

  /// The moment, what was wrong, the last events and the image.
  public var description: String {
    let log = events.suffix(20).map(\.description).joined(separator: "\n  ")
    return "a crash \(moment) \(text)\nevents:\n  \(log)\nimage:\n\(image)"
  }
}
