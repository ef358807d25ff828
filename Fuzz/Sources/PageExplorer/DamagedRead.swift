// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults

/// What an open that read wrong bytes may find, from the right bytes and the frames in them.
struct DamagedRead {
  /// The files as they are.
  let image: Image
  /// The bytes that were read wrongly, by path.
  private var ranges: [String: Range<Int>] = [:]
  private var isOneBit = true

  init(_ image: Image, _ fired: some Sequence<FiredFault>, _ plan: FaultPlan) {
    self.image = image
    for fault in fired {
      guard plan.rules.indices.contains(fault.rule) else { continue }
      switch plan.rules[fault.rule].effect {
      case .flip(let bit): ranges[fault.path] = Int(clamping: bit / 8)..<(Int(clamping: bit / 8) + 1)
      case .zero(let sector), .stale(let sector), .misdirect(let sector, _):
        isOneBit = false
        ranges[fault.path] = Int(clamping: sector * 512)..<Int(clamping: sector * 512 + 512)
      case .error, .short, .space, .sync: continue
      }
    }
  }

  var isNothing: Bool { ranges.isEmpty }

  /// Whether a mark that was read as it is, or the snapshot's own end, says that bytes which were read wrongly had been
  /// synchronised. A page that shows less then has lost something, and knows it.
  var isVouchedFor: Bool { ranges.contains { isVouchedFor($0.key, $0.value) } }

  private func isVouchedFor(_ path: String, _ range: Range<Int>) -> Bool {
    guard let bytes = image[path] else { return false }
    let frames = FrameListing(bytes).frames
    if path.hasSuffix(".content") {
      return range.lowerBound < frames.last { $0.type == .end }?.end ?? 0
    }
    // What a later journal vouches for is all of this one.
    let later = PageFile.paths(image, ".journal").drop { $0 != path }.dropFirst()
    let isVouchedLater = later.contains { name in
      ranges[name] == nil && FrameListing(image[name] ?? []).frames.contains { $0.isMarked }
    }
    guard !isVouchedLater else { return true }
    // A first frame's mark speaks of earlier journals only. One wrong bit leaves the frame's own crc, or a computed
    // one, to prove what follows; where more is wrong, it takes a frame in between, and without the header's seed two.
    let isSeedGone = range.lowerBound < 12 && range.upperBound > 8
    let behind = frames.dropFirst().filter {
      $0.offset >= (isOneBit ? range.lowerBound + 1 : range.upperBound)
    }
    return behind.dropFirst(isSeedGone ? 3 : isOneBit ? 0 : 1).contains { $0.isMarked }
  }
}
