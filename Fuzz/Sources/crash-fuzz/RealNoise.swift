// SPDX-License-Identifier: Apache-2.0

import CVolume
import Foundation
import PageJournalFaults
import Synchronization

/// What else happens on a volume: some pages of a file are written before the others, and other files are synchronised,
/// which takes names and sizes along. So a power cut finds more than all or nothing.
final class RealNoise: Sendable {
  private let folder: String
  private let other: String
  private let rate: Int
  private let random: Mutex<SplitMix64>

  /// - Parameters:
  ///   - folder: whose files are written in part.
  ///   - other: a file that is synchronised.
  ///   - rate: before how many calls of a hundred something happens.
  init(in folder: String, other: String, rate: Int, seed: UInt64) {
    self.folder = folder
    self.other = other
    self.rate = rate
    random = Mutex(SplitMix64(seed: seed))
  }

  func act() {
    guard random.withLock({ Int.random(in: 0..<100, using: &$0) }) < rate else { return }
    actNow()
  }

  /// What makes most of the next power cut: parts of files are written, then names and sizes, or the reverse.
  func actBeforeCut() {
    guard rate > 0 else { return }
    for _ in 0..<random.withLock({ Int.random(in: 0..<4, using: &$0) }) { actNow() }
  }

  private func actNow() {
    let (choice, place, file, waits) = random.withLock { random in
      (
        Int.random(in: 0..<10, using: &random), Int64.random(in: 0..<16, using: &random), random.next(),
        Bool.random(using: &random)
      )
    }
    if choice < 3 { return synchronizeOther() }
    let all = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    // Most of what is pending is in journals.
    let journals = all.filter { $0.hasSuffix(".journal") }
    let names = choice < 8 && !journals.isEmpty ? journals : all
    guard !names.isEmpty else { return }
    let path = "\(folder)/\(names[Int(file % UInt64(names.count))])"
    // Whole pages, from one of the first on; a length of nothing means up to the end.
    _ = cvolume_write_range(path, place < 8 ? place << 12 : 0, place % 3 << 12, waits ? 1 : 0)
  }

  private func synchronizeOther() {
    let descriptor = Foundation.open(other, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    var byte = UInt8.random(in: 0...255)
    _ = pwrite(descriptor, &byte, 1, 0)
    _ = fsync(descriptor)
    close(descriptor)
  }
}
