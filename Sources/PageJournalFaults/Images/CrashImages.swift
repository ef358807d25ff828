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
      combinations: picker.total, produced: 0, duplicates: 0, isComplete: false)
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
    statistics.isComplete =
      picker.isExhausted && !source.isSampled && !source.contents.contains { $0.isSampled }
    return nil
  }

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
