// SPDX-License-Identifier: Apache-2.0

import PageJournalFaults

@testable import PageJournal

/// Files whose every crc is right and whose every number is made to hurt.
struct HostileMaker {
  private var random: SplitMix64
  private let page = PageID(high: 0x0123_4567_89ab_4cde, low: 0x8f01_2345_6789_abcd)

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  private static let numbers: [UInt64] = [
    0, 1, 2, 3, 4, 5, 127, 128, 255, 16_384, 1 << 30, 1 << 30 + 1, UInt64(Int32.max), 1 << 32, 1 << 61,
    1 << 62,
    1 << 62 - 1, UInt64(Int.max), 1 << 63, .max - 2, .max - 1, .max,
  ]

  private mutating func number(_ below: Int) -> Int { below <= 0 ? 0 : Int(random.next() % UInt64(below)) }

  private mutating func chance(_ percent: Int) -> Bool { number(100) < percent }

  private mutating func hostile() -> UInt64 {
    chance(80) ? Self.numbers[number(Self.numbers.count)] : random.next() >> UInt64(number(64))
  }

  /// A small number most of the time.
  private mutating func count(_ usual: Int) -> UInt64 { chance(6) ? hostile() : UInt64(usual) }

  private mutating func small(_ below: Int) -> UInt64 { chance(5) ? hostile() : UInt64(number(below)) }

  // MARK: Files

  /// The files of one case.
  mutating func files() -> PageFiles {
    var files = PageFiles(page: page)
    let (snapshot, end) = snapshot()
    files.snapshot = .success(snapshot)
    var before: (nonce: UInt64, length: Int, crc: UInt32)?
    var nonce = end.nonce
    var state = SnapshotReading(snapshot).state
    for index in 0..<number(3) {
      let generation = chance(4) ? hostile() : end.generation &+ UInt64(index)
      let header = JournalHeader(
        seed: UInt32(truncatingIfNeeded: random.next()), page: page, generation: generation,
        nonce: nonce, previousNonce: before?.nonce ?? count(0), commit: count(0) &+ state.commit,
        previousLength: UInt64(before?.length ?? 0), previousCRC: before?.crc ?? 0)
      var maker = FrameMaker(header)
      for _ in 0..<number(7) {
        let type = type(journal: true)
        var longer = maker
        longer.add(type, payload(type))
        if chance(10) || replayed(longer, state) != nil { maker = longer }
      }
      state = replayed(maker, state) ?? state
      before = (header.nonce, maker.bytes.count, maker.last)
      nonce = random.next()
      files.journals.append(
        .init(
          generation: generation, name: PageFileName.journal(page, generation: generation).text,
          content: .success(spoilt(maker.bytes))))
    }
    files.journals.sort { $0.generation < $1.generation }
    var names: Set<String> = []
    files.journals.removeAll { !names.insert($0.name).inserted }
    if chance(3) { files.otherGenerations.append(hostile()) }
    return files
  }

  /// The state behind a journal, or nil when a frame of it cannot be applied. Most frames that cannot are left out:
  /// else hardly any case would get past its first one.
  private func replayed(_ maker: FrameMaker, _ state: PageState) -> PageState? {
    var reading = JournalReading(maker.bytes)
    var state = state
    reading.replay(onto: &state)
    return reading.stop == .clean ? state : nil
  }

  /// The count that makes an `end` behind these frames hold, or nil.
  private func count(_ maker: FrameMaker, _ end: SnapshotEnd) -> UInt64? {
    // A frame changes it by three at most.
    let near = end.count < 100 ? end.count : 0
    return (near - min(near, 3)...near + 3).first { count in
      var trial = maker
      var end = end
      end.count = count
      trial.add(end)
      return SnapshotReading(trial.bytes).condition == .complete
    }
  }

  /// Now and then zeros, rubbish or less at the end.
  private mutating func spoilt(_ bytes: [UInt8]) -> [UInt8] {
    switch number(20) {
    case 0: bytes + [UInt8](repeating: 0, count: number(40))
    case 1: bytes + random.bytes(number(40))
    case 2: Array(bytes.prefix(number(bytes.count + 1)))
    default: bytes
    }
  }

  private mutating func snapshot() -> ([UInt8], SnapshotEnd) {
    var maker = FrameMaker(
      SnapshotHeader(seed: UInt32(truncatingIfNeeded: random.next()), page: page))
    var end = SnapshotEnd(generation: 1, nonce: 1, commit: 0, nextID: 1, count: 0, absorbed: [])
    for _ in 0..<(1 + number(2)) {
      end.generation = chance(5) ? hostile() : end.generation
      end.commit = small(6)
      end.nextID = chance(10) ? hostile() : 40
      end.absorbed = chance(10) ? [.init(generation: hostile(), seed: 1, length: hostile(), crc: 2)] : []
      for _ in 0..<number(5) {
        let type = type(journal: false)
        var longer = maker
        longer.add(type, payload(type))
        let count = count(longer, end)
        if chance(5) || count != nil { maker = longer }
        end.count = count ?? end.count
      }
      end.count = count(maker, end) ?? small(3)
      if chance(4) { end.count = hostile() }
      if chance(92) {
        maker.add(end)
      } else {
        maker.add(.end, payload(FrameType.end.rawValue))
      }
    }
    return (spoilt(maker.bytes), end)
  }

  private mutating func type(journal isJournal: Bool) -> UInt8 {
    let type: UInt8
    if chance(3) {
      type = UInt8(truncatingIfNeeded: random.next())
    } else if isJournal != chance(1) {
      type = UInt8(1 + number(8))
    } else {
      type = [16, 16, 16, 17, 18, 18, 19, 0x40 | 5][number(8)]
    }
    return chance(10) ? type | FrameLayout.syncedMark : type
  }

  // MARK: Payloads

  private mutating func payload(_ typeByte: UInt8) -> [UInt8] {
    var bytes = meant(typeByte & FrameLayout.typeMask)
    switch number(40) {
    case 0: bytes = Array(bytes.prefix(number(bytes.count + 1)))
    case 1: bytes += random.bytes(number(9))
    case 2 where !bytes.isEmpty: bytes[number(bytes.count)] = UInt8(truncatingIfNeeded: random.next())
    case 3: bytes = random.bytes(number(30))
    default: break
    }
    return bytes
  }

  private mutating func content(_ bytes: inout [UInt8]) {
    bytes.append(chance(3) ? 0 : UInt8(1 + number(255)))
    let length = number(4)
    bytes.appendVarint(count(length))
    bytes += random.bytes(length)
  }

  private mutating func meant(_ type: UInt8) -> [UInt8] {
    var bytes: [UInt8] = []
    switch FrameType(rawValue: type) {
    case .append: content(&bytes)
    case .insert:
      bytes.appendVarint(small(4))
      content(&bytes)
    case .replace:
      bytes.appendVarint(small(9))
      let parts = 1 + number(3)
      bytes.appendVarint(count(parts))
      for _ in 0..<parts { content(&bytes) }
    case .remove: bytes.appendVarint(small(9))
    case .move:
      bytes.appendVarint(small(9))
      bytes.appendVarint(small(4))
    case .set, .attributes:
      let parts = type == FrameType.attributes.rawValue ? number(3) : 1
      if type == FrameType.attributes.rawValue { bytes.appendVarint(count(parts)) }
      for _ in 0..<parts {
        bytes.append(1)
        bytes.append(UInt8(97 + number(3)))
        let length = number(3)
        bytes.appendVarint(count(length))
        bytes += random.bytes(max(0, length - 1))
      }
    case .batch:
      let parts = number(4)
      bytes.appendVarint(count(parts))
      for _ in 0..<parts {
        let type = UInt8(1 + number(chance(4) ? 20 : 6))
        let part = type == 7 ? [0] : meant(type)
        bytes.append(type)
        bytes.appendVarint(count(part.count))
        bytes += part
      }
    case .takeOut:
      let parts = number(3)
      bytes.appendVarint(count(parts))
      for _ in 0..<parts { bytes.appendVarint(small(5)) }
    case .place: bytes = place()
    case .end:
      for _ in 0..<5 { bytes.appendLittleEndian(hostile()) }
      bytes.appendVarint(hostile())
    default: bytes = random.bytes(number(20))
    }
    return bytes
  }

  private mutating func place() -> [UInt8] {
    var body: [UInt8] = []
    let parts = number(4)
    body.appendVarint(chance(70) ? UInt64(number(2)) : small(9))
    body.appendVarint(count(parts))
    for index in 0..<parts {
      let isFar = chance(4)
      body.appendZigzag(isFar ? Int64(bitPattern: hostile()) : index == 0 ? Int64(number(30)) : 0)
    }
    for _ in 0..<parts { body.append(chance(3) ? 0 : 1) }
    var payload = 0
    for _ in 0..<parts {
      let length = number(4)
      payload += max(0, length - 1)
      body.appendVarint(count(chance(90) ? max(1, length) : 0))
    }
    body += random.bytes(payload)
    if chance(10) { body += [UInt8](repeating: 0, count: number(3000)) }
    let packed = chance(25) ? Deflate.compressed(body) : nil
    var bytes: [UInt8] = [chance(2) ? UInt8(number(256)) : packed == nil ? 0 : 1]
    bytes.appendVarint(count(body.count))
    return bytes + (packed ?? body)
  }
}
