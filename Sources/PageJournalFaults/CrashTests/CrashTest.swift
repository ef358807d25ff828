// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A test of your own code against every crash that a profile allows.
///
/// The work runs once on a simulated disk. At each sync in it and at its end every image that a power cut may leave is
/// opened by your own reading code, and so is what a kill of the process leaves. Each has to show one of the states
/// that the ledger names at that moment; and where the reading code writes (as recovery does), a second crash at each
/// of its syncs has to show the state that the first one showed. Images are looked at once each.
public struct CrashTest: Sendable {
  /// What the file system and the device may do.
  public var profile: CrashProfile
  /// The most images of one moment; nil for all of them. `CrashTestReport.incompleteMoments` counts where that, or the
  /// profile's own bound on pending sectors, left some out.
  public var limit: Int?
  /// Whether crashes inside of the reading code are tried too.
  public var nests: Bool

  /// A test with these bounds.
  public init(profile: CrashProfile = .worst, limit: Int? = nil, nests: Bool = true) {
    self.profile = profile
    self.limit = limit
    self.nests = nests
  }

  /// Runs the work and looks at every crash.
  /// - Parameters:
  ///   - image: What is on the disk before.
  ///   - initial: The state that it is in.
  ///   - work: Your writing code. It tells the ledger what it does. Called once, on this thread.
  ///   - read: Your reading code: opens what is there and says which state it is. Called for each image on a disk of its
  ///     own; it has to be the same for the same image.
  /// - Returns: What was looked at.
  /// - Throws: `CrashTestFailure` for the first crash that shows something else; what `work` throws.
  public func run<State: Equatable & Sendable>(
    from image: Image = Image(), in initial: State,
    work: (SimulatedFileSystem, CrashLedger<State>) throws -> Void,
    read: @escaping @Sendable (SimulatedFileSystem) throws -> State
  ) throws -> CrashTestReport {
    let ledger = CrashLedger(initial)
    let looker = CrashLooker(self, ledger, read)
    let system = SimulatedFileSystem.restart(from: image)
    system.observeSyncs { system, event in looker.look(at: system, "at \(event)") }
    defer { system.observeSyncs(nil) }
    try work(system, ledger)
    looker.look(at: system, "after the work")
    return try looker.finish()
  }
}

/// What a crash test has looked at.
public struct CrashTestReport: Sendable, Equatable, CustomStringConvertible {
  /// Syncs of the work, and its end.
  public internal(set) var moments = 0
  /// Those, and those inside of the reading code, of which not every image was looked at.
  public internal(set) var incompleteMoments = 0
  /// Different images that were read.
  public internal(set) var states = 0
  /// Those of them that a crash inside of the reading code left.
  public internal(set) var nestedStates = 0

  /// One line.
  public var description: String {
    "\(states) states at \(moments) moments (\(nestedStates) of a crash in the recovery); "
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
