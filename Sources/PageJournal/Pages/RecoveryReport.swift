// SPDX-License-Identifier: Apache-2.0

/// What opening a page found (SPEC.md §7), the worst last.
public enum Verdict: String, Sendable, CaseIterable, Comparable {
  /// A snapshot alone, valid to its end.
  case clean
  /// Journals whose frames are all valid, or a merge that was cut off.
  case leftOpen
  /// Bad bytes at the end of the newest journal, nothing valid behind them.
  case tornTail
  /// Bad bytes with valid frames behind them, none of which says that they had been synchronised.
  case unsyncedTail
  /// A journal that does not belong to this page's present; set aside.
  case foreignJournal
  /// Bytes that had been synchronised are damaged.
  case corruption
  /// A valid frame whose payload does not decode.
  case undecodable
  /// A frame or file of a newer version.
  case needsNewerVersion
  /// The snapshot is damaged, lost its end, or is older than the document says.
  case damagedSnapshot
  /// The files could not be read: nothing is known about their content.
  case unavailable

  private var rank: Int { Verdict.allCases.firstIndex(of: self) ?? 0 }

  /// Ordered by how bad it is.
  public static func < (left: Verdict, right: Verdict) -> Bool { left.rank < right.rank }

  /// The verdict for a person.
  public var explanation: String {
    switch self {
    case .clean: "closed, nothing to do"
    case .leftOpen: "was not closed; nothing is missing"
    case .tornTail: "the last write was cut off; nothing acknowledged as durable is missing"
    case .unsyncedTail: "unsynchronised writes survived in part; nothing acknowledged as durable is missing"
    case .foreignJournal: "a journal of something else lies beside the page"
    case .corruption: "bytes that had been synchronised are damaged"
    case .undecodable: "a valid frame does not decode"
    case .needsNewerVersion: "written by a newer version"
    case .damagedSnapshot: "the snapshot is damaged or out of date"
    case .unavailable: "the files could not be read"
    }
  }

  /// Whether the verdict is what a healthy medium and a crash can produce.
  public var isHealthy: Bool { self <= .unsyncedTail }
}

/// What an open found and did. A plain value.
public struct RecoveryReport: Sendable, Equatable {
  /// A stretch of frames behind damage that are whole.
  public struct Salvageable: Sendable, Equatable {
    /// The file's name.
    public var file: String
    /// Where the first frame begins.
    public var offset: Int
    /// Bytes of all of them.
    public var length: Int
    /// How many frames.
    public var frames: Int
  }

  /// The finding.
  public var verdict: Verdict
  /// Journal frames whose effect is shown.
  public var framesApplied = 0
  /// Journal commits whose effect is shown.
  public var commitsApplied = 0
  /// Journal bytes, frames only, whose effect is shown.
  public var bytesApplied = 0
  /// Bytes that are not shown: set aside by a writable open, or left where they are by a read-only one.
  public var bytesSetAside = 0
  /// The name of the file that the verdict is about, if it is about one.
  public var file: String?
  /// Where in that file.
  public var offset: Int?
  /// Whole frames behind damage.
  public var salvageable: [Salvageable] = []
  /// Whether the search behind damage ended before the end of the file.
  public var searchGaveUp = false
  /// Names of journals that belong to something else.
  public var foreignFiles: [String] = []
  /// Names of the quarantine files that this open wrote or found equal.
  public var quarantined: [String] = []
  /// What made the verdict `unavailable`, or kept a page that could be written read-only.
  public var failure: StorageError?

  /// Makes a report with nothing but a verdict.
  public init(_ verdict: Verdict) { self.verdict = verdict }
}
