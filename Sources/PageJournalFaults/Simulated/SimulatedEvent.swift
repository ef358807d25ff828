// SPDX-License-Identifier: Apache-2.0

/// One call that changed a simulated file system, or settled something in it. Calls that failed are no events.
public struct SimulatedEvent: Sendable, Equatable, CustomStringConvertible {
  /// Counted from 1 in each file system.
  public var number: UInt64
  /// What was done.
  public var operation: FileOperation
  /// To which path; for a file, the one it was opened by.
  public var path: String
  /// The new path of a rename.
  public var target: String?
  /// Where a write began, or the size that a truncation set.
  public var offset: UInt64
  /// How many bytes a write had.
  public var count: Int

  /// One line: number, operation, paths, place.
  public var description: String {
    var line = "\(number) \(operation.rawValue) \(path)"
    if let target { line += " -> \(target)" }
    if operation == .write { line += " [\(offset) +\(count)]" }
    if operation == .truncate { line += " [to \(offset)]" }
    return line
  }
}
