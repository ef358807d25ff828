// SPDX-License-Identifier: Apache-2.0

import PageExplorer
import PageJournal

#if Mutants

  /// A bug, and the invariant that has to catch it.
  struct SeededBug: Sendable {
    enum Place: Sendable {
      case engine(Mutant)
      case fileSystem(FileSystemBug)
    }

    var name: String
    /// The number of the invariant in SPEC.md, named beforehand.
    var invariant: Int
    var place: Place
    var battery: Battery

    /// Runs the battery with the bug on.
    func run() -> Outcome {
      switch place {
      case .engine(let mutant):
        Mutant.current = mutant
        return battery.run()
      case .fileSystem(let bug):
        return Interposition.with(bug) { battery.run() }
      }
    }
  }

  extension SeededBug {
    static let all: [SeededBug] = inFileSystem + inEngine

    private static func engine(_ mutant: Mutant, _ invariant: Int, _ battery: Battery) -> SeededBug {
      SeededBug(name: mutant.rawValue, invariant: invariant, place: .engine(mutant), battery: battery)
    }

    private static func fileSystem(_ name: String, _ bug: FileSystemBug, _ invariant: Int, _ battery: Battery)
      -> SeededBug
    {
      SeededBug(name: name, invariant: invariant, place: .fileSystem(bug), battery: battery)
    }

    private static let plain = Battery.crashes(starts: ["closed-page"], length: 2)
    private static let level0 = Battery.crashes(starts: ["level-0"], length: 2)
    private static let pending = Battery.crashes(starts: ["merge-pending"], length: 2)
    private static let unsynced = Battery.crashes(starts: ["nothing-synced"], length: 2)

    // MARK: What a wrapped file system can express

    private static let inFileSystem: [SeededBug] = [
      // A page is renamed into place before its bytes are durable: the cut leaves a file of nothing.
      fileSystem("temporary-not-synced", SkippedFileSync(".content.tmp"), 5, level0),
      fileSystem("rename-before-sync", EarlyRename(".content.tmp"), 5, level0),
      fileSystem("directory-never-synced", SkippedDirectorySync { _, _, _ in true }, 3, plain),
      fileSystem(
        "journal-name-not-synced",
        SkippedDirectorySync { _, _, latest in
          if case .created(let path)? = latest { path.hasSuffix(".journal") } else { false }
        }, 1, plain),
      fileSystem(
        "rename-not-synced",
        SkippedDirectorySync { _, _, latest in
          if case .renamed(_, let path)? = latest { path.hasSuffix(".content") } else { false }
        }, 1, level0),
      // An opening acts on a switch that it has only read.
      fileSystem(
        "opening-does-not-sync-names", SkippedDirectorySync { _, number, _ in number == 1 }, 3,
        .kills(starts: ["level-0"], length: 1)),
      fileSystem("journals-unlinked-before-sync", EarlyUnlink(), 2, pending),
      // Where a name is new, the synchronisation of the directory is the call with which it happens: in time.
      fileSystem("acknowledged-before-sync", LateSync(), 1, .crashes(starts: ["long-journal"], length: 2)),
      fileSystem(
        "extension-not-synced", SkippedFileSync(".content"), 3, .kills(starts: ["closed-page"], length: 1)),
      fileSystem(
        "failed-sync-tried-again", RepeatedSync(), 11, .faults(.synchronisation, workloads: ["commits"])),
      fileSystem(
        "failed-sync-believed", BelievedSync(), 11, .faults(.synchronisation, workloads: ["commits"])),
      fileSystem("no-space-swallowed", SwallowedNoSpace(), 11, .faults(.noSpace, workloads: ["commits"])),
      fileSystem("short-write-ignored", IgnoredShortWrite(), 1, .faults(.short, workloads: ["commits"])),
      fileSystem("lock-given-to-everybody", NoLock(), 1, .writers),
      // The document around the pages.
      fileSystem(
        "new-page-name-not-synced",
        SkippedDirectorySync { path, _, latest in
          guard path.hasSuffix("/pages"), case .renamed(_, let target)? = latest else { return false }
          return target.hasSuffix(".content")
        }, 8, .documents(length: 2)),
      fileSystem(
        "removed-page-comes-back",
        SkippedDirectorySync { path, _, latest in
          guard path.hasSuffix("/pages") else { return false }
          switch latest {
          case .renamed(_, let target): return target.hasSuffix(".removed")
          case .removed(let gone): return gone.hasSuffix(".removed")
          default: return false
          }
        }, 8, .documents(length: 2)),
      fileSystem("asset-not-synced", SkippedFileSync(".png.tmp"), 7, .documents(length: 2)),
      fileSystem(
        "asset-name-not-synced", SkippedDirectorySync { path, _, _ in path.hasSuffix("/assets") }, 7,
        .documents(length: 2)),
      fileSystem("record-not-synced", SkippedFileSync("/document.json.tmp"), 8, .documents(length: 2)),
      fileSystem("record-renamed-before-sync", EarlyRename("/document.json.tmp"), 8, .documents(length: 2)),
      fileSystem(
        "record-name-not-synced", SkippedDirectorySync { path, _, _ in path.hasSuffix("/n.lnote") }, 8,
        .documents(length: 2)),
    ]

    // MARK: What is compiled into the engine and the package layer

    private static let inEngine: [SeededBug] = [
      engine(.checksumOfThePayloadOnly, 5, .damage),
      engine(.emptyFrameNeedsNoChecksum, 5, plain),
      engine(.lengthIsNotChecked, 12, .hostile),
      engine(.statedSizeIsAllocated, 12, .hostile),
      engine(.searchReadsEverything, 12, .hostile),
      engine(.newerVersionIsRead, 13, .newer),
      engine(.nextIDIsForgotten, 2, plain),
      engine(.halfABatchIsReplayed, 1, plain),
      engine(.unknownTypeIsIgnored, 13, .newer),
      engine(.extensionForgetsAttributes, 1, plain),
      engine(.oldGenerationIsReplayed, 4, .resurrection),
      engine(.unlistedJournalIsRemoved, 6, .resurrection),
      engine(.gapIsBridged, 1, .crashes(starts: ["nothing-synced"], length: 2, depth: 0)),
      engine(.nonceIsIgnored, 4, .resurrection),
      engine(.corruptionIsCalledTorn, 5, .damage),
      engine(.tornIsCalledCorruption, 5, plain),
      engine(.tornTailIsDropped, 6, .setAside),
      engine(.tornExtensionIsExtended, 2, plain),
      engine(.readErrorIsAbsence, 6, .faults(.reading, workloads: ["left-open"])),
      engine(.quarantineAfterTheCut, 6, .setAside),
      engine(.openingRewritesAlways, 2, plain),
      engine(.absorbedJournalStays, 9, plain),
      engine(.temporaryFileStays, 9, level0),
      engine(.inspectorTidiesUp, 13, level0),
      engine(.captureBeforeLastCommit, 1, plain),
      engine(.markClaimsTooMuch, 5, pending),
      engine(.newestJournalOnlyIsSynced, 1, unsynced),
      engine(.failedSyncIsRepeated, 11, .faults(.synchronisation, workloads: ["commits"])),
      engine(.failedWriteIsNotCut, 11, .faults(.noSpace, workloads: ["commits"])),
      engine(.extensionIsNotVerified, 1, .medium),
      engine(.failedMergeDropsJournals, 1, .medium),
      engine(.mergeBeforeItsJournal, 5, plain),
      engine(.journalGoesBeforeItsMerge, 5, plain),
      engine(.mergeIsReportedEarly, 5, .documents(length: 2)),
      engine(.preparedJournalStays, 10, .crashes(starts: ["made-ahead"], length: 1)),
      engine(.nonceIsNotInjected, 14, .repetition),
      engine(.recordShownBeforeDurable, 3, .documentKills),
      engine(.listBeforePageFile, 8, .documents(length: 2)),
      engine(.removalIsNotRecorded, 8, .documents(length: 2)),
      engine(.unlistedPageIsSwept, 6, .unlisted),
    ]
  }

#endif
