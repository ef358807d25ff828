// SPDX-License-Identifier: Apache-2.0

/// Reads frames one after the other and stops at the first place that is not the next frame.
///
/// One pass, no allocation; a length is checked against the limit and the bytes left before it is used.
public struct FrameScanner: Sendable {
  /// Why a scan ended.
  public enum Stop: Sendable, Equatable {
    /// Exactly at the end of the bytes.
    case end
    /// At zeros that go on to the end: space prepared for later.
    case zeros
    /// At bytes that are not the next frame.
    case bad
  }

  private let bytes: [UInt8]
  /// Where the next frame has to begin.
  public private(set) var offset: Int
  /// The chain behind the last frame read.
  public private(set) var chain: FrameChain

  /// Scans from an offset with the chain as it is there. An offset outside of the bytes counts as the nearest inside.
  public init(_ bytes: [UInt8], from offset: Int, chain: FrameChain) {
    self.bytes = bytes
    self.offset = min(max(0, offset), bytes.count)
    self.chain = chain
  }

  /// The next frame, or nil when there is none; `stop()` then says why.
  public mutating func next() -> Frame? {
    guard let length = plausibleFrameLength(bytes, at: offset) else { return nil }
    #if Mutants
      if Mutant.isOn(.emptyFrameNeedsNoChecksum), length == 0 { return empty() }
    #endif
    let stored = bytes.littleEndian32(at: offset + 4)
    guard chain.crc(of: bytes.span, at: offset, length: length) == stored else { return nil }
    let start = offset + FrameLayout.prefix
    let frame = Frame(
      offset: offset, typeByte: bytes[offset + 8], payload: start..<(start + length), crc: stored)
    offset = frame.end
    chain.last = stored
    return frame
  }

  #if Mutants
    private mutating func empty() -> Frame {
      let start = offset + FrameLayout.prefix
      let crc = bytes.littleEndian32(at: offset + 4)
      let frame = Frame(offset: offset, typeByte: bytes[offset + 8], payload: start..<start, crc: crc)
      (offset, chain.last) = (start, crc)
      return frame
    }
  #endif

  /// What stands at `offset`, which `next` did not accept.
  public func stop() -> Stop {
    if offset >= bytes.count { return .end }
    return isZero(bytes, from: offset) ? .zeros : .bad
  }
}

/// The length field at an offset if it could be a frame's: prefix and payload within the bytes, a type.
func plausibleFrameLength(_ bytes: [UInt8], at offset: Int) -> Int? {
  guard offset >= 0, bytes.count - offset >= FrameLayout.prefix else { return nil }
  let length = Int(bytes.littleEndian32(at: offset))
  #if Mutants
    if Mutant.isOn(.emptyFrameNeedsNoChecksum), length == 0 { return 0 }
    if Mutant.isOn(.lengthIsNotChecked), bytes[offset + 8] & FrameLayout.typeMask != 0 { return length }
  #endif
  guard length <= FrameLayout.maximumPayload, length <= bytes.count - offset - FrameLayout.prefix,
    bytes[offset + 8] & FrameLayout.typeMask != 0
  else { return nil }
  return length
}

/// Whether all bytes from an offset on are zero.
func isZero(_ bytes: [UInt8], from offset: Int) -> Bool {
  var index = offset
  while index < bytes.count {
    if bytes[index] != 0 { return false }
    index += 1
  }
  return true
}
