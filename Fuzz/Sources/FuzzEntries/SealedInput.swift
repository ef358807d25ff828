// SPDX-License-Identifier: Apache-2.0

/// An input of files whose crcs are made right before they are read: four bytes that say how, then the files.
///
///     u8      bit 0: crcs are made right; bit 1: then one byte is damaged; bit 2: the page's name is not the id in its
///             files; bit 3: journals are made to follow on
///     u16 LE  which byte is damaged
///     u8      the bits of it that are turned
struct SealedInput {
  static let size = 4

  let isSealed: Bool
  let hasOtherName: Bool
  let isLinked: Bool
  private let damage: (place: Int, bits: UInt8)?
  let rest: [UInt8]

  init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.size else { return nil }
    isSealed = bytes[0] & 1 != 0
    hasOtherName = bytes[0] & 4 != 0
    isLinked = bytes[0] & 8 != 0
    damage = bytes[0] & 2 != 0 ? (Int(bytes[1]) | Int(bytes[2]) << 8, bytes[3]) : nil
    rest = Array(bytes[Self.size...])
  }

  /// Turns the bits, somewhere in all of the files.
  func damage(_ files: inout [[UInt8]]) {
    let total = files.reduce(0) { $0 + $1.count }
    guard let damage, total > 0 else { return }
    var place = damage.place % total
    for index in files.indices {
      if place < files[index].count {
        files[index][place] ^= damage.bits
        return
      }
      place -= files[index].count
    }
  }
}
