// SPDX-License-Identifier: Apache-2.0

/// How much a file may hold once it is unpacked. Memory in use stays below three times what this allows, plus
/// 1 GiB where a line of JSON is very long (32 MiB are the most).
public struct DecompressionLimit: Sendable, Equatable {
  /// Bytes, whatever the ratio; also for files that are not compressed.
  public var bytes: Int
  /// Unpacked bytes for each packed one, beyond `free`.
  public var ratio: Int
  /// Bytes up to which the ratio does not matter.
  public var free: Int

  /// Makes a limit. Numbers below 0 count as 0.
  public init(bytes: Int = 1 << 30, ratio: Int = 200, free: Int = 16 << 20) {
    self.bytes = max(bytes, 0)
    self.ratio = max(ratio, 0)
    self.free = max(free, 0)
  }

  /// 1 GiB, and 200 : 1 beyond 16 MiB.
  public static let standard = DecompressionLimit()

  /// The most that `packed` bytes may become.
  func allowed(packed: Int) -> Int {
    let (product, overflow) = packed.multipliedReportingOverflow(by: ratio)
    return min(bytes, max(free, overflow ? bytes : product))
  }
}
