// SPDX-License-Identifier: Apache-2.0

import LNote
import PageJournal

enum CheckVerb: Verb {
  static let name = "check"
  static let summary = "say what is found, without changing anything"
  static let help = """
    usage: lnote check PATH [--json]

    PATH is a document or a page's file. Reads every page, takes no lock and writes nothing. Each page
    gets a verdict: clean, leftOpen, tornTail and unsyncedTail are what a close or a crash leaves, and
    exit 0; unavailable exits 74; every other verdict exits 65, with file, offset and what it means.
    """
  static let flags: Set<String> = ["--json"]
  static let options: Set<String> = []

  static func run(_ arguments: Arguments) throws(Failure) -> ExitCode {
    let path = try arguments.input("the path")
    let target = try Target(path)
    var code = ExitCode.ok
    var findings: [Value] = []
    var lines: [String] = []
    if case .document(let inspection) = target {
      documentFindings(inspection, &code, &findings, &lines)
    }
    var verdicts: [Verdict: Int] = [:]
    try target.forEachPage { (id, _, opened) throws(Failure) in
      let report = opened.report
      code = worse(code, exitCode(report.verdict))
      verdicts[report.verdict, default: 0] += 1
      findings.append(pageFinding(id, report))
      lines.append(sentence(id, report))
    }
    if arguments.has("--json") {
      let keys: [(String, Value)] = [
        ("schema", .integer(1)), ("path", .text(path)), ("ok", .bool(code == .ok)),
        ("findings", .list(findings)),
      ]
      Output.json(.object(keys), pretty: true)
    } else {
      for line in lines { Output.line(line) }
      Output.line("\(path): \(summary(verdicts))\(code == .ok ? "" : "; not everything is in order")")
    }
    return code
  }

  /// "3 pages: 2 clean, 1 leftOpen"
  private static func summary(_ verdicts: [Verdict: Int]) -> String {
    let pages = Output.count(verdicts.values.reduce(0, +), "page")
    guard !verdicts.isEmpty else { return pages }
    let parts = verdicts.sorted { $0.key < $1.key }.map { "\(Output.grouped($0.value)) \($0.key.rawValue)" }
    return "\(pages): \(parts.joined(separator: ", "))"
  }

  static func exitCode(_ verdict: Verdict) -> ExitCode {
    verdict.isHealthy ? .ok : verdict == .unavailable ? .io : .damaged
  }

  private static func worse(_ left: ExitCode, _ right: ExitCode) -> ExitCode {
    if left == .damaged || right == .damaged { return .damaged }
    return left == .ok ? right : left
  }

  private static func documentFindings(
    _ inspection: NoteInspection, _ code: inout ExitCode, _ findings: inout [Value], _ lines: inout [String]
  ) {
    if case .failure(let error) = inspection.record {
      let isDamage = error.code == .damaged || error.code == .newerVersion || error.code == .notFound
      code = isDamage ? .damaged : .io
      findings.append(
        .object([
          ("file", .text("document.json")), ("verdict", .text(isDamage ? "damaged" : "unavailable")),
          ("message", .text(error.sentence)),
        ]))
      lines.append("document.json: \(isDamage ? "damaged" : "unavailable"): \(error.sentence)")
    }
    for id in inspection.unlisted {
      findings.append(.object([("page", .text(id.description)), ("verdict", .text("unlisted"))]))
      lines.append("page \(id): unlisted: its files are there, the document does not name it; they are kept")
    }
  }

  private static func pageFinding(_ id: PageID, _ report: RecoveryReport) -> Value {
    var keys: [(String, Value)] = [
      ("page", .text(id.description)), ("verdict", .text(report.verdict.rawValue)),
      ("message", .text(report.verdict.explanation)), ("file", .optional(report.file)),
      ("offset", .optional(report.offset)), ("framesApplied", .integer(report.framesApplied)),
      ("commitsApplied", .integer(report.commitsApplied)), ("bytesSetAside", .integer(report.bytesSetAside)),
    ]
    let salvageable = report.salvageable.map { run in
      Value.object([
        ("file", .text(run.file)), ("offset", .integer(run.offset)), ("length", .integer(run.length)),
        ("frames", .integer(run.frames)),
      ])
    }
    keys.append(("salvageable", .list(salvageable)))
    if let failure = report.failure { keys.append(("error", .text(failure.sentence))) }
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
    if let failure = report.failure { text += "; \(failure.sentence)" }
    return text
  }
}
