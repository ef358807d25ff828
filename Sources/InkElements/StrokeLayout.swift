// SPDX-License-Identifier: Apache-2.0

/// The numbers of the stroke payload that encoder and decoder share; `docs/ink-payload.md` is the table.
enum StrokeLayout {
  /// The first byte: nibble varints of differences.
  static let encoding: UInt8 = 1
  /// Bits of the first varint behind it: which fields are there.
  static let start: UInt64 = 1
  static let pressure: UInt64 = 2
  static let time: UInt64 = 4
  static let color: UInt64 = 8
  static let radius: UInt64 = 16
  static let tool: UInt64 = 32
  static let flags: UInt64 = 64
  static let units: UInt64 = 128
  /// All of these bits. A bit that is not among them moves what follows, so only a newer reader can go on.
  static let known: UInt64 = 255
  /// Where each column's mode stands in the second varint. x has one bit, the others two.
  static let xShift: UInt64 = 0
  static let yShift: UInt64 = 1
  static let pressureShift: UInt64 = 3
  static let timeShift: UInt64 = 5
  static let radiusShift: UInt64 = 7
  /// One past the last mode.
  static let modeBits: UInt64 = 9
  /// The largest width in steps.
  static let widest: UInt64 = 0x7FFF_FFFF
}
