// SPDX-License-Identifier: Apache-2.0

import LNote
import PageJournal

enum CheckVerb: Verb {
  static let name = "check"
  static let summary = "say what is found, without changing anything"
  static let help = """
    usage: lnote check PATH [--json]

    PATH is a document or a page's file. Reads every page, takes no lock and writes nothing. Each page gets a verdict:
    clean, leftOpen, tornTail and unsyncedTail are what a close or a crash leaves, and exit 0; unavailable exits 74;
    every other verdict exits 65, with file, offset and what it means.
    """
  static let flags: Set<String> = ["--json"]
  static let options: Set<String> = []

  static func run(_ arguments: Arguments) throws(Failure) -> ExitCode {
    let path = try arguments.only("path")
    let target = try Target(path)
    var code = ExitCode.ok
    var findings: [JSON] = []
    var lines: [String] = []
    if case .document(let inspection) = target {
      documentFindings(inspection, &code, &findings, &lines)
    }
    try target.forEachPage { (id, _, opened) throws(Failure) in
      let report = opened.report
      code = worse(code, exitCode(report.verdict))
      findings.append(pageFinding(id, report))
      lines.append(sentence(id, report))
    }
    if arguments.has("--json") {
      Output.json(
        .object(["schema": .integer(1), "path": .string(path), "findings": .array(findings)]), pretty: true)
    } else {
      for line in lines { Output.line(line) }
      if lines.isEmpty { Output.line("\(path): no pages") }
    }
    return code
  }

  static func exitCode(_ verdict: Verdict) -> ExitCode {
    verdict.isHealthy ? .ok : verdict == .unavailable ? .io : .damaged
  }

  private static func worse(_ left: ExitCode, _ right: ExitCode) -> ExitCode {
    if left == .damaged || right == .damaged { return .damaged }
    return left == .ok ? right : left
  }

  private static func documentFindings(
    _ inspection: NoteInspection, _ code: inout ExitCode, _ findings: inout [JSON], _ lines: inout [String]
  ) {
    if case .failure(let error) = inspection.record {
      let isDamage = error.code == .damaged || error.code == .newerVersion || error.code == .notFound
      code = isDamage ? .damaged : .io
      findings.append(
        .object([
          "file": .string("document.json"), "verdict": .string(isDamage ? "damaged" : "unavailable"),
          "message": .string(error.description),
        ]))
      lines.append("document.json: \(error.description)")
    }
    for id in inspection.unlisted {
      findings.append(.object(["page": .string(id.description), "verdict": .string("unlisted")]))
      lines.append("page \(id): unlisted: its files are there, the document does not name it; they are kept")
    }
  }

  private static func pageFinding(_ id: PageID, _ report: RecoveryReport) -> JSON {
    var keys: [String: JSON] = [
      "page": .string(id.description), "verdict": .string(report.verdict.rawValue),
      "message": .string(report.verdict.explanation),
      "framesApplied": .integer(Int64(report.framesApplied)),
      "commitsApplied": .integer(Int64(report.commitsApplied)),
      "bytesSetAside": .integer(Int64(report.bytesSetAside)),
    ]
    keys["file"] = report.file.map { .string($0) }
    keys["offset"] = report.offset.map { .integer(Int64($0)) }
    keys["error"] = report.failure.map { .string($0.description) }
    keys["salvageable"] = .array(
      report.salvageable.map { run in
        .object([
          "file": .string(run.file), "offset": .integer(Int64(run.offset)),
          "length": .integer(Int64(run.length)), "frames": .integer(Int64(run.frames)),
        ])
      })
    return .object(keys)
  }

  private static func sentence(_ id: PageID, _ report: RecoveryReport) -> String {
    var text = "page \(id): \(report.verdict.rawValue): \(report.verdict.explanation)"
    if let file = report.file {
      text += " (\(file)" + (report.offset.map { " at byte \($0)" } ?? "") + ")"
    }
    if report.commitsApplied > 0 {
      text += "; \(Output.count(report.commitsApplied, "commit")) from journals"
    }
    if report.bytesSetAside > 0 { text += "; \(Output.count(report.bytesSetAside, "byte")) not shown" }
    for run in report.salvageable {
      text += "; \(Output.count(run.frames, "whole frame")) at byte \(run.offset) of \(run.file)"
    }
    if report.searchGaveUp { text += "; the search for whole frames behind it was ended early" }
    if let failure = report.failure { text += "; \(failure)" }
    return text
  }
}
