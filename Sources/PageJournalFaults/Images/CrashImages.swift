// SPDX-License-Identifier: Apache-2.0

/// Goes through the images that a power cut may leave, each once, in an order that is the same at each run.
///
/// It is passed through once and belongs to one thread. An image costs the bytes of the files that differ from
/// the image before it; everything else is shared, also with the file system it comes from. Equal images are
/// recognised from the way they come about, so that no memory is needed for those that were given already.
public final class CrashImages: Sequence, IteratorProtocol {
  /// What was gone through until now.
  public private(set) var statistics: CrashStatistics
  /// The profile that is followed.
  public let profile: CrashProfile

  private let source: CrashLayouts
  private let limit: Int
  private var picker: CombinationPicker
  private var layout = -1
  private var digits: [Int] = []
  private var nodes: [Image.Node] = []
  /// The layout that `fixedDigest`, of its directories, and `slotDigests`, for each file and content, belong to.
  private var digested = -1
  private var fixedDigest = ImageDigest()
  private var slotDigests: [[ImageDigest]] = []
  /// Whether content i of one file is also a content of another: for pairs of files, asked once.
  private var shared: [[Int]: [Bool?]] = [:]

  init(disk: SimulatedDisk, profile: CrashProfile, limit: Int?) {
    let profile = profile.clamped
    self.profile = profile
    let source = CrashLayouts(disk: disk, profile: profile)
    self.source = source
    self.limit = Swift.max(0, limit ?? .max)
    picker = CombinationPicker(source, limit: limit)
    let changed = source.contents.filter { $0.changeCount > 0 }
    statistics = CrashStatistics(
      nameOperations: disk.pendingNames.count, nameStates: source.layouts.count,
      namesAreSampled: source.isSampled,
      files: changed.map {
        CrashStatistics.FilePart(
          changes: $0.changeCount, pieces: $0.pieces.count, contents: $0.count, isSampled: $0.isSampled)
      },
      combinations: picker.total, produced: 0, duplicates: 0, known: 0, isComplete: false)
  }

  /// The next image that nobody knows yet, or nil when there is none or the limit is reached.
  ///
  /// For those who look at many moments and remember the fingerprints of what they have seen: an image that is known
  /// is passed over without being built. The limit counts it all the same, so that which images are looked at does not
  /// depend on what is known.
  /// - Parameter isKnown: Asked with the fingerprint of each image, `Image.digest`; for equal ones more than once.
  public func next(
    unless isKnown: (ImageDigest) throws -> Bool
  ) rethrows -> (image: Image, digest: ImageDigest)? {
    while statistics.produced + statistics.known < limit, let (number, picked) = picker.next() {
      let digest = digest(number, picked)
      if try isKnown(digest) {
        statistics.known += 1
        continue
      }
      build(number, picked)
      statistics.produced += 1
      return (Image(sortedPaths: source.layouts[number].paths, nodes: nodes), digest)
    }
    noteEnd()
    return nil
  }

  /// The next image, or nil when there is none or the limit is reached.
  public func next() -> Image? {
    while statistics.produced < limit, let (number, picked) = picker.next() {
      guard !isRepeated(number, picked) else {
        statistics.duplicates += 1
        continue
      }
      build(number, picked)
      statistics.produced += 1
      return Image(sortedPaths: source.layouts[number].paths, nodes: nodes)
    }
    noteEnd()
    return nil
  }

  private func noteEnd() {
    statistics.isComplete =
      picker.isExhausted && !source.isSampled && !source.contents.contains { $0.isSampled }
  }

  // MARK: Fingerprints

  private func digest(_ number: Int, _ picked: [Int]) -> ImageDigest {
    if digested != number {
      digested = number
      (fixedDigest, slotDigests) = source.digests(of: number)
    }
    var digest = fixedDigest
    for index in picked.indices { digest.add(slotDigests[index][picked[index]]) }
    return digest
  }

  // MARK: Building

  private func build(_ number: Int, _ picked: [Int]) {
    let wanted = source.layouts[number]
    let isOther = number != layout
    if isOther {
      layout = number
      nodes = wanted.template
    }
    for (index, slot) in wanted.slots.enumerated() where isOther || digits[index] != picked[index] {
      nodes[slot.place] = .file(source.contents[slot.contents].bytes(picked[index]))
    }
    digits = picked
  }

  private func isRepeated(_ number: Int, _ picked: [Int]) -> Bool {
    let layout = source.layouts[number]
    return layout.rivals.contains { rival in
      rival.differing.allSatisfy { slot, other in
        isShared(content: picked[slot], of: layout.slots[slot].contents, with: other)
      }
    }
  }

  private func isShared(content: Int, of file: Int, with other: Int) -> Bool {
    let pair = [file, other]
    let contents = source.contents[file]
    if let known = shared[pair]?[content] { return known }
    let answer = source.contents[other].contains(contents.bytes(content))
    shared[pair, default: [Bool?](repeating: nil, count: contents.count)][content] = answer
    return answer
  }
}
