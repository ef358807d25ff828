// SPDX-License-Identifier: Apache-2.0

/// What a failed sync leaves behind: four ways seen on real file systems.
public enum SynchronizationFailure: String, Sendable, Hashable, CaseIterable {
  /// The sync throws. The pages count as clean: reads give the new bytes, but no later sync writes them
  /// (ext4, xfs).
  case clean
  /// The sync throws, and the file is back at what the last good sync had settled (btrfs).
  case reverted
  /// The sync returns as if all were well, with nothing on the medium; the next one throws (ext4 with data
  /// journalling).
  case late
  /// The sync throws, and the bytes written since the last good sync are zeros; the size stays.
  case lost
}

/// A file whose content can be put into the state that a failed sync leaves. Wrappers pass it on to what they
/// wrap, so that a fault injector anywhere above a simulated file system reaches it.
public protocol SynchronizationFailing: AnyObject {
  /// Leaves the file as a failed sync would; throws nothing itself.
  /// - Returns: false when the file system cannot do it, and only the error can be simulated.
  func failSynchronization(_ failure: SynchronizationFailure) -> Bool
}
