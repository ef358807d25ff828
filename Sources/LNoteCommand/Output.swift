// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Standard output for results, standard error for everything else.
enum Output {
  private static let isBroken = Atomic<Bool>(false)
  /// Characters of the progress line that stands on the terminal.
  private static let progressWidth = Atomic<Int>(0)

  /// Whether something could not be written to standard output.
  static var hasFailed: Bool { isBroken.load(ordering: .relaxed) }

  /// Keeps the numbers of closed standard descriptors from being given to a file of a document, which would then
  /// get what is meant for the standard output.
  static let reservedDescriptors: [FileHandle] = {
    var taken: [FileHandle] = []
    while let handle = FileHandle(forReadingAtPath: "/dev/null"), handle.fileDescriptor <= 2 {
      taken.append(handle)
    }
    return taken
  }()

  /// Writes a line and hands it over at once; false when nobody reads any more.
  @discardableResult
  static func line(_ text: String) -> Bool { bytes([UInt8](text.utf8) + [0x0A]) }

  @discardableResult
  static func json(_ value: Value, pretty: Bool = false) -> Bool {
    bytes(value.bytes(pretty: pretty) + [0x0A])
  }

  @discardableResult
  static func bytes(_ bytes: [UInt8]) -> Bool {
    guard !hasFailed else { return false }
    do {
      try FileHandle.standardOutput.write(contentsOf: Data(bytes))
      return true
    } catch {
      isBroken.store(true, ordering: .relaxed)
      return false
    }
  }

  static func error(_ text: String) {
    clearProgress()
    errorBytes(text + "\n")
  }

  /// A line of progress that the next one overwrites: only on a terminal. It is blanks that wipe out the former one,
  /// so that no terminal has to know a control sequence.
  static func progress(_ text: String) {
    guard isatty(2) == 1 else { return }
    let width = text.count
    let former = progressWidth.exchange(width, ordering: .relaxed)
    errorBytes("\r" + text + String(repeating: " ", count: max(0, former - width)))
  }

  static func clearProgress() {
    let former = progressWidth.exchange(0, ordering: .relaxed)
    if former > 0 { errorBytes("\r" + String(repeating: " ", count: former) + "\r") }
  }

  private static func errorBytes(_ text: String) {
    // Nothing is left to do when standard error is gone too.
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
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
