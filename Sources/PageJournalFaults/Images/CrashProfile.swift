// SPDX-License-Identifier: Apache-2.0

/// What a file system, and the device below it, may do to pending changes when the power goes.
///
/// The ready-made profiles are `worst`, `nopsow`, `ext4` and `xfs`; each property can be changed on its own.
public struct CrashProfile: Sendable, Hashable, CustomStringConvertible {
  /// What a piece of a file that was not written may show instead of its new bytes.
  public enum Fill: String, Sendable, Hashable, CaseIterable {
    /// What was certain before, and what the change before the latest had left; zeros above the durable end.
    case old
    /// Zeros.
    case zero
    /// Bytes of no meaning, the same at each run, without zeros.
    case garbage
    /// The bytes at the same place of the file that was removed or replaced last, if there is one: what a block
    /// that is used again still holds.
    case stale
  }

  /// Which pending name operations may survive together.
  public enum NameOrder: String, Sendable, Hashable, CaseIterable {
    /// Any set in which no operation survives without the earlier ones on the same name.
    case anyPerName
    /// A prefix of all of them, whatever the directories, in the order they were called: one metadata journal.
    /// Settling a later one settles the earlier ones.
    case prefix
  }

  /// What it is called.
  public var name: String
  /// The size in bytes of the pieces that survive or not: a device's sector or a page of the cache; 1 MiB at most.
  public var unit: Int
  /// What a piece that was not written may show.
  public var fills: [Fill]
  /// Whether, with few pending pieces, each piece has a fill of its own; otherwise all that were not written
  /// have the same.
  public var mixesFills: Bool
  /// Powersafe overwrite: bytes below the durable end that no pending write covers keep their value, even when
  /// the sector around them is torn.
  public var powersafeOverwrite: Bool
  /// Whether the last write may also end inside a piece: after its first byte, in its middle, before its last.
  public var cutsInsideUnits: Bool
  /// Whether a pending cut of a file may take effect before earlier writes, or never although later writes did.
  public var reordersShrinks: Bool
  /// Which name operations may survive together.
  public var nameOrder: NameOrder
  /// Whether a rename over an existing file carries the bytes that the file had by then.
  public var replacingRenameCarriesData: Bool
  /// Up to how many pending pieces of a file all their subsets are tried; 12 at most.
  public var completeUnits: Int
  /// Up to how many pending name operations all the sets are tried; 16 at most.
  public var completeNames: Int

  /// Makes a profile; what is left out is as in `worst`.
  public init(
    name: String, unit: Int = 512, fills: [Fill] = [.old, .zero, .garbage], mixesFills: Bool = false,
    powersafeOverwrite: Bool = true, cutsInsideUnits: Bool = false, reordersShrinks: Bool = true,
    nameOrder: NameOrder = .anyPerName, replacingRenameCarriesData: Bool = false, completeUnits: Int = 6,
    completeNames: Int = 12
  ) {
    self.name = name
    self.unit = unit
    self.fills = fills
    self.mixesFills = mixesFills
    self.powersafeOverwrite = powersafeOverwrite
    self.cutsInsideUnits = cutsInsideUnits
    self.reordersShrinks = reordersShrinks
    self.nameOrder = nameOrder
    self.replacingRenameCarriesData = replacingRenameCarriesData
    self.completeUnits = completeUnits
    self.completeNames = completeNames
  }

  /// With its numbers brought into the range in which they make sense.
  var clamped: CrashProfile {
    var copy = self
    copy.unit = min(1 << 20, max(1, unit))
    copy.completeUnits = min(12, max(0, completeUnits))
    copy.completeNames = min(16, max(0, completeNames))
    return copy
  }

  /// Its name.
  public var description: String { name }

  /// All that is assumed to be possible: any subset of 512-byte sectors, the rest old, zeros or garbage; sizes
  /// that run ahead of the data or behind it; cuts early or never; names in any order that respects each name.
  public static let worst = CrashProfile(name: "worst")

  /// `worst`, and a torn sector loses also the bytes next to the ones that were being written.
  public static let nopsow = CrashProfile(name: "nopsow", powersafeOverwrite: false)

  /// ext4 with ordered data and delayed allocation. Names survive in the order of the calls, of all directories
  /// together. Data goes page by page (4,096 bytes) in any order; what was not written shows what was there,
  /// zeros in a grown part, never garbage. A rename over an existing file carries the data it had by then; over
  /// a free name it does not.
  public static let ext4 = CrashProfile(
    name: "ext4", unit: 4096, fills: [.old], reordersShrinks: false, nameOrder: .prefix,
    replacingRenameCarriesData: true)

  /// XFS. As ext4, but a rename over an existing file carries no data either.
  public static let xfs = CrashProfile(
    name: "xfs", unit: 4096, fills: [.old], reordersShrinks: false, nameOrder: .prefix)
}
