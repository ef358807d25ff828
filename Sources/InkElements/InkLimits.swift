// SPDX-License-Identifier: Apache-2.0

/// What a payload can hold. Whatever is outside is refused with its place named, on both sides of the codec.
public enum InkLimits {
  /// The most samples in one stroke: 16 Mi.
  public static let samples = 1 << 24
  /// The coordinate unit of a stroke that states none: a tenth of a point.
  public static let defaultUnitsPerPoint: UInt32 = 10
  /// The finest coordinate unit: a millionth of a point.
  public static let unitsPerPoint: UInt32 = 1_000_000
  /// Steps of pressure in 1.
  public static let pressureSteps = 1000.0
  /// The greatest pressure, far above the 6.667 that real devices report.
  public static let pressure = 1e6
  /// Steps of a stroke's width in a point.
  public static let widthSteps = 1000.0
  /// The greatest distance of a time from 0 in milliseconds: exact in a `Double`, and no sum of a few
  /// overflows.
  public static let milliseconds: Int64 = 1 << 53
  /// The greatest magnitude of an image's coordinates and sizes in points, and of its rotation in degrees.
  public static let imagePoints = 2_147_483_648.0
  /// The most memory that decoding a payload allocates, in bytes for each byte of payload (see `Stroke`'s
  /// decoding).
  public static let decodedBytesPerByte = 80

  /// The range of a quantised coordinate or radius.
  static let coordinates: ClosedRange<Int64> = -0x8000_0000...0x7FFF_FFFF
  /// The range of a quantised pressure.
  static let pressures: ClosedRange<Int64> = 0...1_000_000_000
  /// The range of a time.
  static let times: ClosedRange<Int64> = -milliseconds...milliseconds
}
