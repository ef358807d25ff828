// SPDX-License-Identifier: Apache-2.0

/// The files of a page as they were read, before anything is concluded.
struct PageFiles: Sendable {
  struct Journal: Sendable {
    var generation: UInt64
    var name: String
    var content: Result<[UInt8], StorageError>
  }

  var page: PageID
  /// nil when there is no snapshot file.
  var snapshot: Result<[UInt8], StorageError>?
  /// In ascending order of the generation in the name.
  var journals: [Journal] = []
  /// Generations in other names of the page (quarantines).
  var otherGenerations: [UInt64] = []

  var snapshotName: String { PageFileName.snapshot(page).text }
}

/// The least that a page has to be, as the document knows it from its last merge.
public struct PageFloor: Sendable, Equatable {
  /// The snapshot's generation.
  public var generation: UInt64
  /// The snapshot's commit counter.
  public var commit: UInt64

  /// Makes a floor.
  public init(generation: UInt64, commit: UInt64) {
    self.generation = generation
    self.commit = commit
  }
}
