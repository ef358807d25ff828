// SPDX-License-Identifier: Apache-2.0

import PageJournal
import PageJournalFaults
import Testing

/// Fingerprints of images that differ as little as crashes make them differ.
@Suite struct ImageDigestTests {
  private func images(_ family: Int, _ body: (Image) -> Void) {
    switch family {
    case 0:
      for number in 0..<(1 << 16) {
        body(Image(["/a": (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }]))
      }
    case 1:
      for bit in 0..<(1 << 15) {
        var page = zeros(4096)
        page[bit / 8] = 1 << UInt8(bit % 8)
        body(Image(["/a": page, "/b": [1]]))
      }
    case 2:
      for size in 0..<3000 {
        body(Image(["/a": zeros(size)]))
        body(Image(["/b": zeros(size)]))
        body(Image(["/a": zeros(size), "/b": zeros(size)]))
      }
    default:
      // The same contents under other names, and names that others begin with.
      for mask in 0..<(1 << 15) {
        var files: [String: [UInt8]] = [:]
        for bit in 0..<15 { files["/" + String(repeating: "a", count: bit + 1)] = [UInt8(mask >> bit & 1)] }
        body(Image(files))
      }
    }
  }

  /// No proof, but what a function that mixes badly would fail: of n images, 32 bits of a random function are the same
  /// for about n^2 / 2^33 pairs.
  @Test(arguments: 0..<4) func partsOfAFingerprintMeetNoMoreOftenThanByChance(_ family: Int) {
    var whole: Set<ImageDigest> = []
    var parts = [Set<UInt32>](repeating: [], count: 4)
    var count = 0
    images(family) { image in
      let digest = image.digest
      whole.insert(digest)
      let digits = digest.description
      for part in 0..<4 {
        let start = digits.utf8.index(digits.startIndex, offsetBy: part * 8)
        let end = digits.utf8.index(start, offsetBy: 8)
        if let bits = UInt32(digits[start..<end], radix: 16) { parts[part].insert(bits) }
      }
      count += 1
    }
    #expect(whole.count == count)
    for part in parts { #expect(count - part.count <= 6, "of \(count)") }
  }
}
