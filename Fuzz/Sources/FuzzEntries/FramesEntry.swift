// SPDX-License-Identifier: Apache-2.0

import PageJournal

/// Scanner and search over any bytes: what they report is there, and nothing that is there is passed over.
enum FramesEntry {
  static func check(_ bytes: [UInt8]) throws {
    guard let input = SealedInput(bytes) else { return }
    var files = [input.rest]
    if input.isSealed { FrameBytes.reseal(&files[0]) }
    input.damage(&files)
    try checkFile(files[0])
  }

  static func checkFile(_ file: [UInt8]) throws {
    let listing = FrameListing(file)
    try checkKind(listing, file)
    try requireSentence(listing.header)
    guard listing.kind != .unknown else {
      try require(listing.frames.isEmpty && listing.stopOffset == 0, "frames without a header")
      try checkRuns(listing.behind, file, from: 0)
      return
    }
    let seed = UInt32(FrameBytes.number(file, 8, count: 4))
    try checkFrames(listing, file, seed)
    switch listing.stop {
    case .end: try require(listing.stopOffset == file.count, "“end” before the end")
    case .zeros:
      let isZero = file[listing.stopOffset...].allSatisfy { $0 == 0 }
      try require(isZero && listing.stopOffset < file.count, "“zeros” where there are others, or none")
    case .bad:
      try require(listing.stopOffset < file.count, "“bad” at the end")
      try checkRuns(listing.behind, file, from: listing.stopOffset)
      try checkProofs(listing, file, seed)
      try checkNothingPassedOver(listing, file, seed)
    }
    if let middle = listing.frames.dropFirst(listing.frames.count / 2).first {
      let cut = FrameListing(Array(file[..<middle.end]))
      let count = listing.frames.count / 2 + 1
      try require(
        cut.frames == Array(listing.frames.prefix(count)) && cut.stop == .end,
        "a file cut behind its frame \(count) has \(cut.frames.count)")
    }
  }

  private static func checkKind(_ listing: FrameListing, _ file: [UInt8]) throws(BrokenProperty) {
    let journal = FrameBytes.header(file, magic: FrameBytes.journalMagic)
    let snapshot = FrameBytes.header(file, magic: FrameBytes.snapshotMagic)
    let kind: FrameListing.Kind = journal != nil ? .journal : snapshot != nil ? .snapshot : .unknown
    try require(listing.kind == kind, "the header is that of a \(kind.rawValue), not \(listing.kind.rawValue)")
    if let header = journal ?? snapshot {
      try require(listing.start == header.length, "frames begin at \(header.length), not \(listing.start)")
    }
  }

  private static func checkFrames(
    _ listing: FrameListing, _ file: [UInt8], _ seed: UInt32
  ) throws(BrokenProperty) {
    let expected = FrameBytes.frames(file, from: listing.start, seed: seed)
    try require(
      listing.frames.count == expected.count, "\(listing.frames.count) frames, not \(expected.count)")
    var written = Array(file[..<listing.start])
    for (frame, other) in zip(listing.frames, expected) {
      let found = FrameBytes.Found(
        offset: frame.offset, typeByte: frame.typeByte, payload: frame.payload, crc: frame.crc)
      try require(found == other, "frame at \(other.offset): \(found) instead of \(other)")
      var head = [UInt8](repeating: 0, count: FrameBytes.prefix)
      FrameBytes.put(UInt64(frame.payload.count), 4, into: &head, at: 0)
      FrameBytes.put(UInt64(frame.crc), 4, into: &head, at: 4)
      head[8] = frame.typeByte
      written += head + file[frame.payload]
    }
    try require(written == Array(file[..<listing.stopOffset]), "frames written again are other bytes")
  }

  /// Runs are whole, in order, and do not overlap.
  private static func checkRuns(
    _ runs: [FrameSearch.Run], _ file: [UInt8], from start: Int
  ) throws(BrokenProperty) {
    var place = start
    for run in runs {
      try require(
        run.start >= place && run.end <= file.count && run.frames > 0, "a run \(run) from \(place) on")
      place = run.start
      for _ in 0..<run.frames {
        guard let length = FrameBytes.plausibleLength(file, place) else {
          throw BrokenProperty("no frame at \(place) in a run \(run)")
        }
        place += FrameBytes.prefix + length
      }
      try require(place == run.end, "the frames of a run \(run) end at \(place)")
    }
  }

  /// Of each run, every frame but the first follows from the one before it, and the marks are as told.
  private static func checkProofs(
    _ listing: FrameListing, _ file: [UInt8], _ seed: UInt32
  ) throws(BrokenProperty) {
    for run in listing.behind {
      var place = run.start
      var last: UInt32?
      var isMarked = false
      while place < run.end {
        if let last {
          let proved = FrameBytes.frame(file, place, seed: seed, last: last) != nil
          try require(proved, "the frame at \(place) is not proved")
        }
        isMarked = isMarked || file[place + 8] & 0x80 != 0
        last = UInt32(FrameBytes.number(file, place + 4, count: 4))
        place += FrameBytes.prefix + (FrameBytes.plausibleLength(file, place) ?? 0)
      }
      try require(isMarked == run.isMarked, "the marks of a run \(run)")
    }
  }

  /// A frame that the one before it proves is in a run, unless that one is inside of a run itself.
  private static func checkNothingPassedOver(
    _ listing: FrameListing, _ file: [UInt8], _ seed: UInt32
  ) throws(BrokenProperty) {
    guard !listing.searchGaveUp, file.count <= 1 << 14 else { return }
    func isSeen(_ place: Int) -> Bool { listing.behind.contains { $0.start <= place && place < $0.end } }
    var trials = 0
    var place = listing.stopOffset
    while place < file.count {
      defer { place += 1 }
      guard let length = FrameBytes.plausibleLength(file, place), !isSeen(place) else { continue }
      trials += 1
      guard trials <= 256 else { return }
      let last = UInt32(FrameBytes.number(file, place + 4, count: 4))
      let next = place + FrameBytes.prefix + length
      guard FrameBytes.frame(file, next, seed: seed, last: last) != nil else { continue }
      try require(
        isSeen(next),
        "the frame at \(next) is proved by the one at \(place) and was not found; bad at \(listing.stopOffset), found \(listing.behind)"
      )
      // What stands between is the payload of a frame whose place its successor proves.
      place = next - 1
    }
  }
}
