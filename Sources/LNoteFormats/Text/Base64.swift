// SPDX-License-Identifier: Apache-2.0

/// Base64 (RFC 4648, standard alphabet) of whole buffers.
enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  private static let values: [UInt8] = {
    var table = [UInt8](repeating: 255, count: 256)
    for (value, character) in alphabet.enumerated() { table[Int(character)] = UInt8(value) }
    return table
  }()

  /// The text of `bytes`, padded, in one line.
  static func encoded(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var at = 0
    while at < bytes.count {
      let left = bytes.count - at
      let group =
        UInt32(bytes[at]) << 16 | (left > 1 ? UInt32(bytes[at + 1]) << 8 : 0)
        | (left > 2 ? UInt32(bytes[at + 2]) : 0)
      text.append(alphabet[Int(group >> 18)])
      text.append(alphabet[Int(group >> 12 & 63)])
      text.append(left > 1 ? alphabet[Int(group >> 6 & 63)] : UInt8(ascii: "="))
      text.append(left > 2 ? alphabet[Int(group & 63)] : UInt8(ascii: "="))
      at += 3
    }
    return text
  }

  /// The bytes of `text`, or nil where it is no Base64. White space of XML may stand anywhere, padding may be
  /// absent; bits that padding leaves over have to be 0, so that no two texts give the same bytes by
  /// accident.
  static func decoded(_ text: some Sequence<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.underestimatedCount / 4 * 3)
    var group: UInt32 = 0
    var count = 0
    var padding = 0
    for character in text {
      if isWhiteSpace(character) { continue }
      if character == UInt8(ascii: "=") {
        padding += 1
        continue
      }
      let value = values[Int(character)]
      guard value < 64, padding == 0 else { return nil }
      group = group << 6 | UInt32(value)
      count += 1
      if count == 4 {
        bytes += [UInt8(group >> 16), UInt8(group >> 8 & 255), UInt8(group & 255)]
        group = 0
        count = 0
      }
    }
    guard padding == 0 || padding + count == 4 else { return nil }
    switch count {
    case 0:
      return bytes
    case 2 where group & 15 == 0:
      bytes.append(UInt8(group >> 4))
      return bytes
    case 3 where group & 3 == 0:
      bytes += [UInt8(group >> 10), UInt8(group >> 2 & 255)]
      return bytes
    default:
      return nil
    }
  }
}

/// True for what XML and JSON call white space.
func isWhiteSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }
