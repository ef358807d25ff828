// SPDX-License-Identifier: Apache-2.0

/// What was gone through, and what was left out.
public struct CrashStatistics: Sendable, Equatable, CustomStringConvertible {
  /// The pending changes of one file and what may come of them.
  public struct FilePart: Sendable, Equatable {
    /// How many writes and size changes are pending.
    public var changes: Int
    /// How many pieces (sectors or pages, as the profile says) they touch.
    public var pieces: Int
    /// How many different contents are gone through.
    public var contents: Int
    /// Whether those are only some of what the profile allows.
    public var isSampled: Bool
  }

  /// How many name operations are pending.
  public var nameOperations: Int
  /// How many different trees of names are gone through.
  public var nameStates: Int
  /// Whether those are only some of what the profile allows.
  public var namesAreSampled: Bool
  /// The files that have pending changes; a file counts once more where a rename makes some of them certain.
  public var files: [FilePart]
  /// Names times contents, before equal images are taken out; at most 2^62.
  public var combinations: UInt64
  /// Images given so far.
  public var produced: Int
  /// Combinations passed over so far because an earlier tree of names gives the same image.
  public var duplicates: Int
  /// Combinations passed over so far because the caller knows the image.
  public var known: Int
  /// Whether the iterator came to its end without leaving anything out that the profile allows.
  public var isComplete: Bool

  /// One line.
  public var description: String {
    let sampled = files.filter(\.isSampled).count
    var line = "\(produced) images of \(combinations) combinations (\(duplicates) duplicates)"
    line += ": \(nameOperations) name operations in \(nameStates) states"
    if namesAreSampled { line += " (sampled)" }
    line += ", \(files.count) files with pending changes"
    if sampled > 0 { line += " (\(sampled) sampled)" }
    return line + (isComplete ? "; complete" : "; not complete")
  }
}
