// SPDX-License-Identifier: Apache-2.0

import Foundation
import PageExplorer

/// Cycles of `lnote apply` and `kill -9` on one document, which is carried on from cycle to cycle, so that damage that
/// shows late is found as well; after some it is closed, looked through, and a new one is begun.
final class KillCycles {
  /// Cycles with one document.
  static let chain = 10

  /// What was done and seen, by what is counted.
  private(set) var counts: [String: Int] = [:]
  private(set) var sent = 0
  private(set) var acknowledged = 0
  /// Operations that were found done without having been acknowledged.
  private(set) var ahead = 0
  /// The lines of the last cycle with their answers.
  private(set) var log: [String] = []
  let document: String

  private let lnote: String
  private let seed: UInt64
  private let isCanary: Bool
  private let reader: KillReader
  private var state = KillDocument()
  private var ids: [Int: String] = [:]
  private var assets: [String: [UInt8]] = [:]
  private var nextPage = 0
  /// Operations of the last session without an answer.
  private var inFlight: ArraySlice<KillOperation> = []
  /// Whether the document was seen.
  private var isThere = false
  /// The page that nobody listed after the last cycle, if there was one.
  private var unlistedBefore: [String] = []

  init(lnote: String, seed: UInt64, scratch: String, isCanary: Bool) throws {
    self.lnote = lnote
    self.seed = seed
    self.isCanary = isCanary
    document = scratch + "/k.lnote"
    reader = try KillReader(lnote, document)
  }

  private func count(_ name: String, if holds: Bool = true) { if holds { counts[name, default: 0] += 1 } }

  /// One cycle. Throws what must never be.
  func run(_ cycle: Int, isFirst: Bool) throws {
    var dice = KillDice(seed: seed)
    dice = KillDice(seed: dice.random.next() &+ UInt64(cycle) &* 0x9E37_79B9)
    log = []
    if cycle % Self.chain == 0 || isFirst { try begin(&dice) }
    let session = try KillSession(lnote, document, isBuffered: isCanary, &dice)
    let states = try feed(session, &dice)
    count(session.ending.rawValue)
    sent += session.sent
    acknowledged += session.acknowledged
    try compare(states, session)
    let isLast = cycle % Self.chain == Self.chain - 1
    if isLast || dice.number(0...3) == 0 { try recover() }
  }

  /// A new document of two pages; for some, none: then its making is killed as well.
  private func begin(_ dice: inout KillDice) throws {
    try? FileManager.default.removeItem(atPath: document)
    state = KillDocument()
    ids = [:]
    assets = [:]
    isThere = false
    unlistedBefore = []
    guard dice.number(0...3) > 0 else { return }
    let making = try KillProcess(lnote, ["apply", document, "--create"])
    for width in [612, 595] {
      let operation = KillOperation.addPage(nextPage, width: width)
      nextPage += 1
      making.send(try operation.line(ids))
      state.apply(operation)
    }
    making.endRequests()
    let answers = making.rest(atMost: 30)
    guard making.wait() == 0, answers.count == 2 else {
      throw KillProcess.Failure(description: "no document could be made: \(answers)")
    }
    for (page, answer) in zip(state.pages, answers) {
      let fields = try JSONSerialization.jsonObject(with: Data(answer.utf8)) as? [String: Any]
      ids[page.number] = fields?["page"] as? String
    }
    isThere = true
  }

  // MARK: Until the kill

  /// Sends operations until the session is over.
  /// - Returns: the states that the document may have now, the least first.
  private func feed(_ session: KillSession, _ dice: inout KillDice) throws -> [KillDocument] {
    var states = [state]
    var operations: [KillOperation] = []
    var usable: [String] = []
    func take(_ answers: [[String: Any]]) throws {
      for answer in answers {
        guard session.acknowledged < operations.count else {
          throw Violation(8, "an answer that nothing was asked for: \(answer)")
        }
        let operation = operations[session.acknowledged]
        log.append("answer \(session.acknowledged + 1): \(answer)")
        guard answer["ok"] as? Bool == true else {
          throw Violation(1, "an operation was refused: \(operation): \(answer)")
        }
        switch operation {
        case .addPage(let number, _): ids[number] = answer["page"] as? String
        case .addAsset(let bytes):
          guard let id = answer["asset"] as? String else { continue }
          assets[id] = bytes
          usable.append(id)
        case .commit(let page, _, _):
          let commit = states[session.acknowledged + 1].pages.first { $0.number == page }?.commit
          guard answer["commit"] as? Int == commit else {
            throw Violation(1, "commit \(commit ?? 0) was answered \(answer)")
          }
        default: break
        }
        session.acknowledged += 1
      }
    }
    while session.isGoingOn {
      while session.mayAsk, let last = states.last {
        let operation = dice.operation(
          on: last, known: Set(ids.keys), assets: usable, nextPage: nextPage)
        if case .addPage = operation { nextPage += 1 }
        let line = try operation.line(ids)
        log.append("\(operations.count + 1): \(line)")
        operations.append(operation)
        states.append(last)
        states[states.count - 1].apply(operation)
        session.ask(line)
      }
      try take(session.answers())
    }
    try take(try session.end())
    if session.isWhole {
      guard session.code == 0, session.acknowledged == operations.count else {
        throw Violation(
          8, "it ended with \(session.code ?? -1) and \(session.acknowledged) of \(operations.count) answers")
      }
    }
    inFlight = operations.count > session.acknowledged ? operations[session.acknowledged...] : []
    return Array(states[session.acknowledged...])
  }

  // MARK: What is left

  private func compare(_ states: [KillDocument], _ session: KillSession) throws {
    let check = try KillProcess(lnote, ["check", document])
    guard FileManager.default.fileExists(atPath: document) else {
      guard !isThere, session.acknowledged == 0 else { throw Violation(8, "the document is gone") }
      // It was killed before it was made: the next cycle tries again.
      count("before the document was there")
      return
    }
    isThere = true
    let dump = try reader.dump()
    let output = check.rest(atMost: 30)
    if let error = dump["error"] as? [String: Any] {
      throw Violation(6, "dump: \(error)")
    }
    guard check.wait() == 0 else { throw Violation(5, "check: \(output.joined(separator: "; "))") }
    for page in dump["pages"] as? [[String: Any]] ?? [] {
      count((page["recovery"] as? [String: Any])?["verdict"] as? String ?? "no verdict")
    }
    guard let place = states.firstIndex(where: { objection(to: dump, $0) == nil }) else {
      let reasons = states.prefix(3).compactMap { objection(to: dump, $0) }
      throw Violation(
        1, "the document is none of the \(states.count) states that were acknowledged or sent: \(reasons)")
    }
    try expectListed(dump)
    ahead += place
    state = states[place]
    noteNewPages(dump)
    for id in KillAssets.named(by: state, assets.keys) { try expectAsset(id) }
    for operation in inFlight.dropFirst(place) {
      count("killed in \(operation.name)")
      break
    }
  }

  /// What a dump says against a state; nil when it shows it.
  private func objection(to dump: [String: Any], _ state: KillDocument) -> String? {
    let pages = dump["pages"] as? [[String: Any]] ?? []
    guard pages.count == state.pages.count else {
      return "\(pages.count) pages instead of \(state.pages.count)"
    }
    for (page, found) in zip(state.pages, pages) {
      let id = found["id"] as? String ?? ""
      if let known = ids[page.number] {
        guard known == id else { return "another page list" }
      } else if ids.values.contains(id) {
        return "another page list"
      }
      if let objection = page.objection(to: found) { return "page \(id): \(objection)" }
    }
    return nil
  }

  /// A page file that nobody lists is what is left of making or removing a page, one at most.
  private func expectListed(_ dump: [String: Any]) throws {
    let unlisted = dump["unlisted"] as? [String] ?? []
    guard !unlisted.isEmpty else {
      unlistedBefore = []
      return
    }
    let isPossible = inFlight.contains { if case .addPage = $0 { true } else { false } }
    guard unlisted.count == 1, isPossible || unlistedBefore == unlisted else {
      throw Violation(8, "nobody lists \(unlisted)")
    }
    unlistedBefore = unlisted
    count("a page not listed yet")
  }

  private func noteNewPages(_ dump: [String: Any]) {
    for (page, found) in zip(state.pages, dump["pages"] as? [[String: Any]] ?? []) {
      ids[page.number] = found["id"] as? String
    }
    ids = ids.filter { number, _ in state.pages.contains { $0.number == number } }
  }

  private func expectAsset(_ id: String) throws {
    let found = FileManager.default.contents(atPath: "\(document)/assets/\(id).png").map { [UInt8]($0) }
    guard found == assets[id] else {
      throw Violation(7, "a page names asset \(id), which \(found == nil ? "is gone" : "has other bytes")")
    }
  }

  // MARK: As an app would

  /// Opens for writing and closes; then nothing may be left over.
  private func recover() throws {
    guard FileManager.default.fileExists(atPath: document) else { return }
    let shown = try reader.recover()
    guard shown["error"] == nil else { throw Violation(6, "dump --recover: \(shown)") }
    for dump in [shown, try reader.dump()] {
      if let objection = objection(to: dump, state) {
        throw Violation(2, "opened and closed it shows something else: \(objection)")
      }
    }
    count("closed in between")
    unlistedBefore = []
    let unlisted = try reader.dump()["unlisted"] as? [String] ?? []
    guard unlisted.isEmpty else { throw Violation(8, "after a close nobody lists \(unlisted)") }
    let named = KillAssets.named(by: state, assets.keys)
    for id in named { try expectAsset(id) }
    let pages = state.pages.compactMap { ids[$0.number].map { "\($0).content" } }
    guard Set(names("pages").filter { !$0.hasSuffix(".quarantine") }) == Set(pages) else {
      throw Violation(9, "the close left \(names("pages")), not \(pages.sorted())")
    }
    // An asset that nobody names is the worst that a crash may leave.
    for folder in ["", "assets", "thumbnails"] {
      let temporary = names(folder).filter { $0.hasSuffix(".tmp") }
      guard temporary.isEmpty else { throw Violation(9, "the close left \(temporary)") }
    }
    assets = assets.filter { named.contains($0.key) }
  }

  private func names(_ folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: "\(document)/\(folder)")) ?? []).sorted()
  }
}
