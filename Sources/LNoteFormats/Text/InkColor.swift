// SPDX-License-Identifier: Apache-2.0

import InkElements

/// Colours (0xRRGGBBAA) and their texts.
enum InkColor {
  /// "#rrggbb" (opaque) or "#rrggbbaa", in either case of letters; nil for anything else.
  static func parse(hex: String) -> UInt32? {
    let text = Array(hex.utf8)
    guard text.first == UInt8(ascii: "#"), text.count == 7 || text.count == 9 else { return nil }
    var value: UInt32 = 0
    for character in text.dropFirst() {
      switch character {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt32(character - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"):
        value = value << 4 | UInt32(character - UInt8(ascii: "a") + 10)
      case UInt8(ascii: "A")...UInt8(ascii: "F"):
        value = value << 4 | UInt32(character - UInt8(ascii: "A") + 10)
      default: return nil
      }
    }
    return text.count == 7 ? value << 8 | 0xFF : value
  }

  /// "#rrggbbaa".
  static func text(_ color: UInt32) -> String { "#" + hex(color, digits: 8) }

  /// "#rrggbb", or "#rgb" where that is the same.
  static func textWithoutAlpha(_ color: UInt32) -> String {
    let rgb = color >> 8
    let doubled = (rgb >> 16) % 17 == 0 && (rgb >> 8 & 255) % 17 == 0 && (rgb & 255) % 17 == 0
    guard doubled else { return "#" + hex(rgb, digits: 6) }
    return "#" + hex((rgb >> 20) << 8 | (rgb >> 12 & 15) << 4 | (rgb & 15), digits: 3)
  }

  /// The colours that old Xournal files call by name.
  static let named: [String: UInt32] = [
    "black": 0x0000_00FF, "blue": 0x3333_CCFF, "red": 0xFF00_00FF, "green": 0x0080_00FF,
    "gray": 0x8080_80FF, "lightblue": 0x00C0_FFFF, "lightgreen": 0x00FF_00FF, "magenta": 0xFF00_FFFF,
    "orange": 0xFF80_00FF, "yellow": 0xFFFF_00FF, "white": 0xFFFF_FFFF,
  ]

  private static func hex(_ value: UInt32, digits: Int) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: max(digits - text.count, 0)) + text
  }
}

extension Tool {
  /// The name that text formats use, or nil.
  var name: String? {
    switch self {
    case .pen: "pen"
    case .highlighter: "highlighter"
    case .eraser: "eraser"
    case .pencil: "pencil"
    default: nil
    }
  }

  /// The tool of a name.
  init?(name: String) {
    switch name {
    case "pen": self = .pen
    case "highlighter": self = .highlighter
    case "eraser": self = .eraser
    case "pencil": self = .pencil
    default: return nil
    }
  }
}
