// SPDX-License-Identifier: Apache-2.0

#if Mutants

  internal import Synchronization

  /// Bugs that can be switched on, one at a time, to see whether whoever looks for bugs finds them.
  ///
  /// Compiled under the package trait `Mutants` and absent from every other build. The names are long enough to be
  /// looked for in a binary. What each of them breaks is written where it is asked for.
  public enum Mutant: String, Sendable, CaseIterable {
    // Numbers and bytes.
    case checksumOfThePayloadOnly = "checksum-of-the-payload-only"
    case emptyFrameNeedsNoChecksum = "empty-frame-needs-no-checksum"
    case lengthIsNotChecked = "length-is-not-checked"
    case statedSizeIsAllocated = "stated-size-is-allocated"
    case searchReadsEverything = "search-reads-everything"
    case newerVersionIsRead = "newer-version-is-read"
    // What a file means.
    case nextIDIsForgotten = "next-id-is-forgotten"
    case halfABatchIsReplayed = "half-a-batch-is-replayed"
    case unknownTypeIsIgnored = "unknown-type-is-ignored"
    case extensionForgetsAttributes = "extension-forgets-attributes"
    // Recovery.
    case oldGenerationIsReplayed = "old-generation-is-replayed"
    case unlistedJournalIsRemoved = "unlisted-journal-is-removed"
    case gapIsBridged = "gap-is-bridged-over"
    case nonceIsIgnored = "nonce-is-ignored-in-chain"
    case corruptionIsCalledTorn = "corruption-is-called-torn"
    case tornIsCalledCorruption = "torn-is-called-corruption"
    case tornTailIsDropped = "torn-tail-is-dropped"
    case tornExtensionIsExtended = "torn-extension-is-extended"
    case readErrorIsAbsence = "read-error-is-absence"
    case quarantineAfterTheCut = "quarantine-after-the-cut"
    case openingRewritesAlways = "opening-rewrites-always"
    case absorbedJournalStays = "absorbed-journal-stays"
    case temporaryFileStays = "temporary-file-stays"
    case inspectorTidiesUp = "inspector-tidies-up"
    // Merging and saving.
    case captureBeforeLastCommit = "capture-before-last-commit"
    case markClaimsTooMuch = "mark-claims-too-much"
    case newestJournalOnlyIsSynced = "newest-journal-only-is-synced"
    case failedSyncIsRepeated = "failed-sync-is-repeated"
    case failedWriteIsNotCut = "failed-write-is-not-cut"
    case extensionIsNotVerified = "extension-is-not-verified"
    case failedMergeDropsJournals = "failed-merge-drops-journals"
    case mergeBeforeItsJournal = "merge-before-its-journal"
    case journalGoesBeforeItsMerge = "journal-goes-before-its-merge"
    case mergeIsReportedEarly = "merge-is-reported-early"
    case preparedJournalStays = "prepared-journal-stays"
    case nonceIsNotInjected = "nonce-is-not-injected"
    // The note package.
    case recordShownBeforeDurable = "record-shown-before-durable"
    case listBeforePageFile = "list-before-page-file"
    case removalIsNotRecorded = "removal-is-not-recorded"
    case unlistedPageIsSwept = "unlisted-page-is-swept"

    private static let chosen = Atomic<Int>(-1)

    /// The one that is on, for the whole process; nil for none.
    public static var current: Mutant? {
      get {
        let number = chosen.load(ordering: .relaxed)
        return allCases.indices.contains(number) ? allCases[number] : nil
      }
      set {
        let number = newValue.flatMap { allCases.firstIndex(of: $0) } ?? -1
        chosen.store(number, ordering: .relaxed)
      }
    }

    /// Whether this one is on.
    package static func isOn(_ mutant: Mutant) -> Bool { current == mutant }
  }

#endif
