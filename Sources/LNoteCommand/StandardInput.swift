// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Standard input, line by line, as bytes: what is no UTF-8 is for the reader of the line to refuse.
struct StandardInput {
  enum Line {
    case bytes([UInt8])
    /// Longer than the limit; it was read to its end and thrown away.
    case tooLong
  }

  private let limit: Int
  /// Whether it was a failed read that ended the lines.
  private(set) var hasFailed = false

  init(limit: Int) { self.limit = limit }

  /// The next line without its end, or nil after the last. Takes no more from the pipe than what is there, so that
  /// whoever waits for an answer before the next line gets it.
  mutating func next() -> Line? {
    var line: [UInt8] = []
    var length = 0
    while true {
      let character = getchar_unlocked()
      if character == EOF {
        hasFailed = Self.isUnreadable()
        // What was cut off by a failed read is no line.
        if length == 0 || hasFailed { return nil }
        break
      }
      if character == 0x0A { break }
      length += 1
      if length <= limit {
        line.append(UInt8(truncatingIfNeeded: character))
      } else if !line.isEmpty {
        line = []
      }
    }
    return length > limit ? .tooLong : .bytes(line)
  }

  /// The C library says the same at an end and at a failure; a read tells them apart. At a terminal it would wait for
  /// the end to be typed again.
  private static func isUnreadable() -> Bool {
    guard isatty(0) == 0 else { return false }
    do {
      _ = try FileHandle.standardInput.read(upToCount: 1)
      return false
    } catch {
      return true
    }
  }
}
