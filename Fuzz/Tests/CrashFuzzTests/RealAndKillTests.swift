// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The two commands that cut off real things. Where there is no root, or no lnote, they have to say so.
@Suite(.serialized) struct RealAndKillTests {
  @Test(
    arguments: [
      (["real"], "real takes --filesystem ext4 or xfs"),
      (["real", "--filesystem", "zfs"], "real takes --filesystem ext4 or xfs, not \"zfs\""),
      (["real", "--filesystem"], "--filesystem needs a value"),
      (["real", "--filesystem", "xfs", "--cycles", "0"], "--cycles takes a number from 1, not \"0\""),
      (["real", "--filesystem", "xfs", "--seed", "-1"], "--seed takes a number from 0, not \"-1\""),
      (["real", "--filesystem", "xfs", "--canary", "buffered"], "--canary takes unsynced here"),
      (["real", "--filesystem", "xfs", "more"], "\"more\" is more than this command takes"),
      (["kill", "--filesystem", "xfs"], "there is no option --filesystem here"),
      (["kill", "--cycles", "many"], "--cycles takes a number from 1, not \"many\""),
      (["kill", "--lnote", "/nowhere/lnote"], "--lnote takes the program lnote, not \"/nowhere/lnote\""),
      (["kill", "--canary", "unsynced"], "--canary takes buffered here"),
    ] as [([String], String)])
  func commandLineThatMakesNoSenseIsOneSentence(_ arguments: [String], _ sentence: String) throws {
    let run = try ToolRun(arguments)
    #expect(run.code == 64)
    #expect(run.output.isEmpty)
    #expect(run.errors.hasPrefix("crash-fuzz: \(sentence)"), "\(run.errors)")
    #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
  }

  @Test func whatCannotBeTriedIsSkippedWithItsNumber() throws {
    let run = try ToolRun(["real", "--filesystem", "ext4", "--cycles", "37", "--mkfs", "/nowhere/mkfs.ext4"])
    #expect(run.code == 0)
    #expect(run.output.contains("\nskipped: 37 cycles\n"), "\(run.output)")
    let summary = try run.summary()
    #expect(summary["skipped"] as? Int == 37)
    #expect((summary["reason"] as? String)?.contains("/nowhere/mkfs.ext4") == true)
    #expect(summary["cycles"] == nil)
  }

  @Test(arguments: ["ext4", "xfs"])
  func realFileSystemLeavesWhatTheModelAllows(_ kind: String) throws {
    let run = try ToolRun(["real", "--filesystem", kind, "--cycles", "120", "--seed", "11"])
    let summary = try run.summary()
    if let reason = summary["reason"] { return print("skipped: \(reason)") }
    #expect(run.code == 0, "\(run.errors)")
    #expect(summary["images"] as? Int == 120)
    #expect((summary["seen"] as? [String: Int])?["some of the pending was there"] ?? 0 > 0)
  }

  @Test func synchronisationsThatDoNotHappenAreNoticed() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "kept-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let run = try ToolRun(
      ["real", "--filesystem", "xfs", "--cycles", "60", "--canary", "unsynced", "--keep", folder])
    let summary = try run.summary()
    if let reason = summary["reason"] { return print("skipped: \(reason)") }
    #expect(run.code == 1)
    #expect(summary["violations"] as? Int ?? 0 > 5)
    #expect(
      run.errors.contains(
        "\nagain: swift run -c release --package-path Fuzz crash-fuzz real --filesystem xfs"))
    let kept = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(kept.count > 5)
    #expect(kept.allSatisfy { FileManager.default.fileExists(atPath: "\(folder)/\($0)/log.txt") })
    #expect(kept.allSatisfy { FileManager.default.fileExists(atPath: "\(folder)/\($0)/image/pages") })
  }

  @Test func killLosesNothingThatWasAcknowledged() throws {
    guard let lnote = ToolRun.lnote else { return print("skipped: no lnote is built") }
    let run = try ToolRun(["kill", "--lnote", lnote, "--cycles", "60", "--seed", "5"])
    #expect(run.code == 0, "\(run.errors)")
    let summary = try run.summary()
    #expect(summary["cycles"] as? Int == 60)
    #expect(summary["acknowledged"] as? Int ?? 0 > 10)
  }

  @Test func whatWasOnlyBufferedIsNoticedWhenItIsGone() throws {
    guard let lnote = ToolRun.lnote else { return print("skipped: no lnote is built") }
    let folder = FileManager.default.temporaryDirectory.appending(path: "kept-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let run = try ToolRun(
      ["kill", "--lnote", lnote, "--cycles", "60", "--canary", "buffered", "--keep", folder])
    #expect(run.code == 1)
    #expect(try run.summary()["violations"] as? Int ?? 0 > 3)
  }
}
