// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One `lnote apply`, from its start to its end at some instant.
final class KillSession {
  /// What ends it.
  enum Ending: String {
    case killed = "killed"
    case killedWhileClosing = "killed while closing"
    case closed = "closed"
  }

  let ending: Ending
  private(set) var sent = 0
  var acknowledged = 0
  /// Its exit code.
  private(set) var code: Int32?

  private let process: KillProcess
  private let moment: ContinuousClock.Instant
  /// Operations that are on their way at once.
  private let ahead: Int
  private let closing: Duration

  init(_ lnote: String, _ document: String, isBuffered: Bool, _ dice: inout KillDice) throws {
    let chosen = ["durable", "durable", "written"][dice.number(0...2)]
    let level = isBuffered ? "buffered" : chosen
    let threshold = [300, 4000, 60_000, 1 << 20][dice.number(0...3)]
    let chance = dice.number(0...19)
    ending = chance == 0 ? .closed : chance < 4 ? .killedWhileClosing : .killed
    ahead = [1, 1, 4, 64][dice.number(0...3)]
    // The start takes some of it: opening, and on a crashed page recovering, is where much happens.
    let most = [12_000, 25_000, 60_000][dice.number(0...2)]
    moment = .now + .microseconds(dice.number(0...most))
    closing = .microseconds(dice.number(0...4000))
    process = try KillProcess(
      lnote, ["apply", document, "--create", "--durability", level, "--compact-at", "\(threshold)"])
  }

  var isWhole: Bool { ending == .closed }

  /// Whether its time is not up.
  var isGoingOn: Bool { ContinuousClock.now < moment && !process.isSilent }

  var mayAsk: Bool { isGoingOn && sent - acknowledged < ahead }

  func ask(_ line: String) {
    process.send(line)
    sent += 1
  }

  func answers() throws -> [[String: Any]] { try parsed(process.lines(until: moment)) }

  /// Ends it, and gives what it had said before.
  func end() throws -> [[String: Any]] {
    var last: [String] = []
    switch ending {
    case .killed: break
    case .closed:
      last = process.lines(until: .now)
      while sent > acknowledged + last.count, !process.isSilent {
        last += process.lines(until: .now + .seconds(30))
      }
      process.endRequests()
      last += process.rest(atMost: 30)
    case .killedWhileClosing:
      process.endRequests()
      let deadline = ContinuousClock.now + closing
      while ContinuousClock.now < deadline, !process.isSilent { last += process.lines(until: deadline) }
    }
    if ending != .closed { process.kill() }
    last += process.rest(atMost: 30)
    code = process.wait()
    return try parsed(last)
  }

  private func parsed(_ lines: [String]) throws -> [[String: Any]] {
    try lines.map { line in
      let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
      return value as? [String: Any] ?? ["answer": line]
    }
  }
}

/// Two processes that read documents, one as they are, one as an app would.
final class KillReader {
  private let document: String
  private let looking: KillProcess
  private let recovering: KillProcess

  init(_ lnote: String, _ document: String) throws {
    self.document = document
    looking = try KillProcess(lnote, ["dump", "--batch"])
    recovering = try KillProcess(lnote, ["dump", "--batch", "--recover"])
  }

  func dump() throws -> [String: Any] { try ask(looking) }

  func recover() throws -> [String: Any] { try ask(recovering) }

  private func ask(_ process: KillProcess) throws -> [String: Any] {
    process.send(document)
    guard let line = process.lines(until: .now + .seconds(30)).first,
      let value = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    else { throw KillProcess.Failure(description: "lnote dump gives no answer") }
    return value
  }
}
