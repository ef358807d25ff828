// SPDX-License-Identifier: Apache-2.0

import Foundation
import LNote

/// Standard output for results, standard error for everything else.
enum Output {
  /// Writes a line and hands it over at once; false when nobody reads any more.
  @discardableResult
  static func line(_ text: String) -> Bool { bytes([UInt8](text.utf8) + [0x0A]) }

  @discardableResult
  static func json(_ value: JSON, pretty: Bool = false) -> Bool { bytes(value.text(pretty: pretty) + [0x0A]) }

  @discardableResult
  static func bytes(_ bytes: [UInt8]) -> Bool {
    do {
      try FileHandle.standardOutput.write(contentsOf: Data(bytes))
      return true
    } catch {
      return false
    }
  }

  static func error(_ text: String) {
    // Nothing is left to do when standard error is gone too.
    try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
  }

  /// A line of progress that the next one overwrites: only on a terminal.
  static func progress(_ text: String) {
    guard isatty(2) == 1 else { return }
    let erase = ProcessInfo.processInfo.environment["NO_COLOR"] == nil ? "\r\u{1B}[2K" : "\r"
    try? FileHandle.standardError.write(contentsOf: Data((erase + text).utf8))
  }

  static func endProgress() {
    guard isatty(2) == 1 else { return }
    try? FileHandle.standardError.write(contentsOf: Data("\n".utf8))
  }

  static func count(_ number: Int, _ word: String) -> String {
    "\(grouped(number)) \(word)\(number == 1 ? "" : "s")"
  }

  /// 12,345
  static func grouped(_ number: Int) -> String {
    var text = ""
    for (index, digit) in String(number.magnitude).reversed().enumerated() {
      if index > 0, index % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return (number < 0 ? "-" : "") + String(text.reversed())
  }
}
