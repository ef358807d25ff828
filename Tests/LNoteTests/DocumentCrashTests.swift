// SPDX-License-Identifier: Apache-2.0

import DocumentExplorer
import Foundation
import LNote
import PageJournal
import PageJournalFaults
import Testing

/// Power cuts at every synchronisation of short workloads on a whole package.
@Suite struct DocumentCrashTests {
  private struct Scope {
    /// Operations in a workload.
    var steps: Int
    /// Images at one synchronisation.
    var images: Int?
    /// Of how many images one has the crashes of its recovery gone through.
    var deepEvery: Int
    /// Images at each synchronisation of such a recovery.
    var innerImages = 4
    /// The least number of different states that have to be seen.
    var states: Int
  }

  /// More with PAGEJOURNAL_CRASH=full.
  private static var scope: Scope {
    if ProcessInfo.processInfo.environment["PAGEJOURNAL_CRASH"] == "full" {
      return Scope(steps: 3, images: nil, deepEvery: 1, innerImages: 12, states: 3000)
    }
    #if DEBUG
      return Scope(steps: 2, images: 12, deepEvery: 20, states: 500)
    #else
      return Scope(steps: 3, images: 24, deepEvery: 20, states: 3000)
    #endif
  }

  @Test func everyCrashOfAShortWorkloadLeavesADocumentThatHoldsWhatWasAcknowledged() throws {
    let scope = Self.scope
    var seen: Set<DocumentState> = []
    var images = 0
    var failures = 0
    for length in 1...scope.steps {
      for steps in DocumentWalk.sequences(length) where failures < 5 {
        // What the earlier steps leave was gone through by the shorter workloads.
        let workload = try CrashWorkload()
        for step in steps.dropLast() { try workload.run(step) }
        let moments = try DocumentWalk.moments(of: steps[length - 1], workload, limit: scope.images)
        for (number, moment) in moments.enumerated() where failures < 5 {
          images += 1
          guard seen.insert(moment).inserted else { continue }
          var check = CrashCheck(moment.expected, workload)
          check.check(
            moment.image, spoilsCache: seen.count % 3 == 0,
            innerImages: seen.count % scope.deepEvery == 0 ? scope.innerImages : 0)
          guard !check.findings.isEmpty else { continue }
          failures += 1
          let sequence = steps.map(\.rawValue).joined(separator: ", ")
          Issue.record(
            """
            \(sequence); image \(number), state \(seen.count):
            \(check.findings.joined(separator: "\n"))
            \(moment.image)
            """)
        }
      }
    }
    print("document crashes: \(images) images, \(seen.count) distinct states")
    #expect(seen.count > scope.states)
  }

  @Test func whatAProcessShowsThatOpensAfterAKillIsThereAfterAPowerCut() throws {
    var states = 0
    for steps in DocumentWalk.sequences(2) {
      let (images, finding) = try DocumentWalk.kills(steps, limit: 6)
      states += images
      if let finding { Issue.record("\(steps.map(\.rawValue)): \(finding.violation)\n\(finding.image)") }
    }
    print("kill, open, power cut: \(states) images")
    #expect(states > 300)
  }

  @Test(
    arguments: [
      ("/n.lnote", [.addPage]), ("/n.lnote/pages", [.append]), ("/n.lnote/assets", [.addImage]),
      ("/document.json.tmp", [.movePage]), (".png.tmp", [.addImage]), (".content.tmp", [.addPage]),
      (".journal", [.append]), (".content", [.append, .compact]),
    ] as [(String, [CrashWorkload.Step])])
  func aSynchronisationThatDoesNotHappenIsNoticed(_ forgotten: String, _ steps: [CrashWorkload.Step]) throws {
    let workload = try CrashWorkload(forgotten: forgotten)
    for step in steps.dropLast() { try workload.run(step) }
    let last = try #require(steps.last)
    var findings = 0
    for moment in try DocumentWalk.moments(of: last, workload, limit: 60) {
      var check = CrashCheck(moment.expected, workload)
      check.check(moment.image, spoilsCache: false, innerImages: 0)
      if !check.findings.isEmpty { findings += 1 }
    }
    #expect(findings > 0)
  }

  @Test func aCrashOfACreationLeavesAWholeDocumentOrNone() throws {
    let system = SimulatedFileSystem(recordsEvents: false)
    let bench = Bench(system)
    let moments = Locked<[(image: Image, isKilled: Bool)]>([])
    system.observeSyncs { system, _ in
      let images = system.crashImages(limit: 500).map { (image: $0, isKilled: false) }
      moments.with { $0 += images + [(system.kill(), true)] }
      let after = Bench(system.afterKill(), seed: 3)
      // What is opened after a kill is there for good: the package's own name as well.
      if let document = try? after.open(), let killed = after.fileSystem as? SimulatedFileSystem {
        let images = killed.crashImages(limit: 500).map { (image: $0, isKilled: true) }
        #expect(images.allSatisfy { $0.image.contains("/n.lnote/document.json") })
        document.abandon()
      }
    }
    try bench.create(title: "t").abandon()
    system.observeSyncs(nil)
    var whole = 0
    for moment in moments.value where moment.image.contains("/n.lnote") {
      whole += 1
      let after = Bench(SimulatedFileSystem.restart(from: moment.image), seed: 4)
      let document = try after.open()
      #expect(document.title == "t")
      #expect(document.obstacle == nil)
      let page = try document.addPage(width: 1, height: 1)
      #expect(page.count == 0)
      try document.close()
    }
    print("creation: \(moments.value.count) images, \(whole) with the document")
    #expect(whole > 0)
    #expect(whole < moments.value.count)
  }
}
