// SPDX-License-Identifier: Apache-2.0

/// What is left after a kill or a power cut, and what starts again from it.
extension SimulatedFileSystem {
  /// The file system a machine finds when the power is back: all of the image is certain, nothing is pending.
  /// The bytes are shared with the image until they are changed. O(number of paths).
  public static func restart(from image: Image, recordsEvents: Bool = true) -> SimulatedFileSystem {
    SimulatedFileSystem(disk: SimulatedDisk(image: image, recordsEvents: recordsEvents))
  }

  /// What everyone reads now, and what a killed process leaves.
  public func kill() -> Image { withDisk { $0.currentImage() } }

  /// What is certain: the image of a power cut that lost all that was pending.
  public func durableImage() -> Image { withDisk { $0.durableImage() } }

  /// What a power cut at this moment may leave, each image once, as allowed by a profile.
  ///
  /// The iterator holds a copy of the state; calls on this file system do not change what it gives.
  /// - Parameters:
  ///   - profile: What the file system and the device below are allowed to do.
  ///   - limit: The most images that are wanted. When there are more, they are picked evenly, the same at each
  ///     run, and the first two are "nothing pending survived" and "everything did"; `statistics` tells.
  public func crashImages(profile: CrashProfile = .worst, limit: Int? = nil) -> CrashImages {
    CrashImages(disk: withDisk { $0 }, profile: profile, limit: limit)
  }

  /// Whether a power cut at this moment may leave exactly this image.
  ///
  /// It is answered from the model's rule, not by going through `crashImages`, and so is exact also where those are only
  /// a sample. Names: a set of the pending operations that the profile lets survive together. Each file: a size that it
  /// had since it was certain, or at which a write was cut; and in each piece, whatever the others show, something that
  /// the piece showed since then or one of the profile's fills, garbage being that of `crashImages`. So every one of the
  /// `crashImages` is a member; a member that is none of them, also where they are complete, has pieces of different age
  /// or of different fills side by side.
  ///
  /// O(bytes of the image and of what is pending); with many renames in a row on the same names, or directories that
  /// came and went, it may search longer.
  public func couldLeave(_ image: Image, profile: CrashProfile = .worst) -> Bool {
    ImageMembership(disk: withDisk { $0 }, profile: profile, image: image).holds()
  }

  /// For an image that `couldLeave` denies, a sentence or several for a person, best guesses; empty for the others.
  public func objections(to image: Image, profile: CrashProfile = .worst) -> [String] {
    let membership = ImageMembership(disk: withDisk { $0 }, profile: profile, image: image)
    return membership.holds() ? [] : membership.objections()
  }
}
