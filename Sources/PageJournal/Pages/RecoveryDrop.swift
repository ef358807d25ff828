// SPDX-License-Identifier: Apache-2.0

extension Recovery {
  /// The policy `drop`: what can be read becomes the page, damage is set aside. Never for a newer version.
  mutating func drop(_ files: PageFiles) {
    guard report.verdict != .needsNewerVersion, report.verdict != .unavailable else { return }
    plan = .rewrite
    let isSnapshotWhole = reading?.condition == .complete
    if !isSnapshotWhole || report.verdict == .damagedSnapshot, case .success(let bytes)? = files.snapshot {
      setAsideWhole(files.snapshotName, bytes)
      for journal in files.journals {
        if case .success(let bytes) = journal.content {
          setAsideWhole(journal.name, bytes, journal.generation)
          if !absorbed.contains(where: { $0.generation == journal.generation }) {
            absorbed.append(Self.unread(bytes, journal.generation))
          }
        }
      }
    }
  }

  private mutating func setAsideWhole(_ name: String, _ bytes: [UInt8], _ generation: UInt64 = 0) {
    guard !bytes.isEmpty, !aside.contains(where: { $0.name == name && $0.offset == 0 }) else { return }
    aside.append(Aside(name: name, generation: generation, offset: 0, bytes: bytes))
  }

  mutating func noteQuarantined(_ names: [String]) { report.quarantined = names }
}
