// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Base64 (RFC 4648, standard alphabet) of whole buffers.
enum Base64 {
  /// The text of `bytes`, padded, in one line.
  static func encoded(_ bytes: [UInt8]) -> [UInt8] { [UInt8](Data(bytes).base64EncodedData()) }

  /// The bytes of `text`, or nil where it is no Base64. White space of XML may stand anywhere, and padding
  /// may be absent. Foundation alone would take any other byte for one to ignore, or refuse line ends.
  static func decoded(_ text: some Sequence<UInt8>) -> [UInt8]? {
    var packed = Data(text.filter { !isWhiteSpace($0) })
    let isPadded = packed.last == UInt8(ascii: "=")
    if !isPadded, packed.count % 4 > 1 {
      packed.append(contentsOf: repeatElement(UInt8(ascii: "="), count: 4 - packed.count % 4))
    }
    return Data(base64Encoded: packed).map { [UInt8]($0) }
  }
}

/// True for what XML and JSON call white space.
func isWhiteSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }
