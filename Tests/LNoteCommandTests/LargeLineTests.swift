// SPDX-License-Identifier: Apache-2.0

import Foundation
import LNoteFormats
import Testing

@Suite(.serialized) struct LargeLineTests {
  /// The base64 of zeros.
  private func zeros(_ count: Int) -> String {
    let rest = count % 3
    return String(repeating: "A", count: count / 3 * 4) + (rest == 1 ? "AA==" : rest == 2 ? "AAA=" : "")
  }

  @Test func aPayloadOf64MiBIsTakenAndOneByteMoreIsNot() throws {
    let f = try Fixture()
    let limit = 67_108_864
    let run = try f.apply([
      f.line("append", #""kind":200,"payload":"\#(zeros(limit))""#),
      f.line("append", #""kind":200,"payload":"\#(zeros(limit + 1))""#),
      f.append(200, "after"),
    ])
    #expect(run.code == 0)
    let answers = try run.answers()
    try #require(answers.count == 3)
    #expect(answers[0]["id"]?.int == 1)
    #expect(answers[1].errorCode == "tooLarge" && answers[1]["applied"] == nil)
    #expect(answers[2]["id"]?.int == 2)
    let check = try Command.run("check", f.document)
    #expect(check.code == 0, "\(check.text)")
    let dump = try Command.run("dump", f.document)
    #expect(dump.code == 0 && dump.output.count > limit)
  }

  @Test func aLineBeyondEveryLimitIsAnsweredAndForgotten() throws {
    let f = try Fixture()
    let before = try f.dump()
    let run = try Command.shell(
      "(head -c 300000000 /dev/zero; echo; echo '\(f.append(9, "after"))') | $L apply d.lnote", in: f.scratch)
    let answers = try run.answers()
    #expect(answers.map { $0.errorCode ?? "ok" } == ["tooLarge", "ok"])
    #expect(before["commit"] == .integer(0))
    #expect(try f.payloads() == ["after"])
  }

  @Test func attributesHaveTheirLimits() throws {
    let f = try Fixture()
    let key = String(repeating: "k", count: 255)
    let run = try f.apply([
      f.line("set", #""key":"\#(key)","value":"\#(zeros(1 << 20))""#),
      f.line("set", #""key":"v","value":"\#(zeros((1 << 20) + 1))""#),
    ])
    #expect(try run.answers().map { $0.errorCode ?? "ok" } == ["ok", "tooLarge"])
    guard case .object(let attributes)? = try f.dump()["attributes"] else {
      Issue.record("no attributes")
      return
    }
    #expect(Array(attributes.keys) == [key])
  }

  @Test func manyLinesTakeTimeInProportion() throws {
    let f = try Fixture()
    let clock = ContinuousClock()
    func seconds(_ count: Int) throws -> Double {
      let lines = (0..<count).map { _ in f.append(200, "0123456789012345678901234567890123456789") }
      let start = clock.now
      #expect(try f.apply(lines, "--durability", "buffered").lines.count == count)
      let took = clock.now - start
      return Double(took.components.seconds) + Double(took.components.attoseconds) * 1e-18
    }
    let small = try seconds(2_000)
    let large = try seconds(20_000)
    print("apply, buffered: \(Int(20_000 / large)) lines a second")
    // Ten times the lines, with room for a busy machine; quadratic would be a hundred times.
    #expect(large < 30 * small + 2)
  }
}
