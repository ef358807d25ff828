// SPDX-License-Identifier: Apache-2.0

import PageJournal

/// A page whose one file is a snapshot.
enum SnapshotEntry {
  static func check(_ bytes: [UInt8]) throws {
    guard let input = SealedInput(bytes) else { return }
    var files = [input.rest]
    if input.isSealed { FrameBytes.reseal(&files[0]) }
    input.damage(&files)
    try PageTrial(snapshot: files[0], journals: [], input).run()
  }
}

/// A page of a snapshot and journals: each "PJjl" in the input begins a journal, what is before the first is the snapshot.
enum PageEntry {
  private static let journalLimit = 3

  static func check(_ bytes: [UInt8]) throws {
    guard let input = SealedInput(bytes) else { return }
    var files = split(input.rest)
    if input.isSealed {
      FrameBytes.reseal(&files[0])
      if input.isLinked { link(&files) }
      for index in files.indices.dropFirst() { FrameBytes.reseal(&files[index]) }
    }
    input.damage(&files)
    let snapshot = files.removeFirst()
    try PageTrial(snapshot: snapshot.isEmpty ? nil : snapshot, journals: files, input).run()
  }

  private static func split(_ bytes: [UInt8]) -> [[UInt8]] {
    var files: [[UInt8]] = []
    var start = 0
    for place in bytes.indices
    where bytes[place] == 0x50 && bytes[place...].starts(with: FrameBytes.journalMagic) {
      guard files.count < journalLimit else { break }
      files.append(Array(bytes[start..<place]))
      start = place
    }
    return files + [Array(bytes[start...])]
  }

  /// Gives journals the generations, nonces, commits and ends of those before them, so that they follow on whatever
  /// became of the frames. The counts of commits are those of the frames.
  private static func link(_ files: inout [[UInt8]]) {
    guard let header = FrameBytes.header(files[0], magic: FrameBytes.snapshotMagic),
      let end = FrameBytes.frames(files[0], from: header.length, seed: header.seed)
        .last(where: { $0.typeByte & 0x7F == 19 && $0.payload.count >= 40 })
    else { return }
    var generation = FrameBytes.number(files[0], end.payload.lowerBound, count: 8)
    var nonce = FrameBytes.number(files[0], end.payload.lowerBound + 8, count: 8)
    var commit = FrameBytes.number(files[0], end.payload.lowerBound + 16, count: 8)
    var before: (nonce: UInt64, length: UInt64, crc: UInt32) = (0, 0, 0)
    for index in files.indices.dropFirst() where files[index].count >= 80 {
      FrameBytes.put(generation, 8, into: &files[index], at: 32)
      if index == 1 { FrameBytes.put(nonce, 8, into: &files[index], at: 40) }
      FrameBytes.put(before.nonce, 8, into: &files[index], at: 48)
      FrameBytes.put(commit, 8, into: &files[index], at: 56)
      FrameBytes.put(before.length, 8, into: &files[index], at: 64)
      FrameBytes.put(UInt64(before.crc), 4, into: &files[index], at: 72)
      FrameBytes.reseal(&files[index])
      nonce = FrameBytes.number(files[index], 40, count: 8)
      generation &+= 1
      guard let header = FrameBytes.header(files[index], magic: FrameBytes.journalMagic) else { return }
      let frames = FrameBytes.frames(files[index], from: header.length, seed: header.seed)
      commit &+= UInt64(frames.count { (1...7).contains($0.typeByte & 0x7F) })
      before = (nonce, UInt64(frames.last?.payload.upperBound ?? header.length), frames.last?.crc ?? 0)
    }
  }
}
