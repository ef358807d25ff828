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
  /// The error number of a read that failed, after the last line.
  private(set) var failure: Int32?

  init(limit: Int) { self.limit = limit }

  /// The next line without its end, or nil after the last. Takes no more from the pipe than what is there, so that
  /// whoever waits for an answer before the next line gets it.
  mutating func next() -> Line? {
    var line: [UInt8] = []
    var length = 0
    errno = 0
    while true {
      let character = getchar_unlocked()
      if character == EOF {
        if errno != 0 { failure = errno }
        // What was cut off by a failed read is no line.
        if length == 0 || failure != nil { return nil }
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
}
