// SPDX-License-Identifier: Apache-2.0

import LNote
import PageJournal

/// What a line is answered.
struct ApplyAnswer {
  /// What the operation gave, in the order in which it is printed.
  var fields: [(String, Value)] = []
  var failure: Refusal?
  /// With a failure: whether the operation keeps its place all the same. Nil when it was refused.
  var isApplied: Bool?

  init(_ fields: [(String, Value)] = []) { self.fields = fields }

  init(refused: Refusal) { failure = refused }

  var value: Value {
    guard let failure else { return .object([("ok", .bool(true))] + fields) }
    let applied = isApplied.map { [("applied", Value.bool($0))] } ?? []
    return .object([("ok", .bool(false))] + applied + fields + [("error", failure.value)])
  }
}

/// A document that is changed line by line.
final class ApplySession {
  enum Level: String {
    case buffered, written, durable
  }

  private let document: NoteDocument
  private let level: Level
  /// The pages that were changed, or that were to be.
  private var touched: Set<PageID> = []
  /// Why the `close` operation failed.
  private(set) var closeFailure: StorageError?

  init(_ document: NoteDocument, _ level: Level) {
    self.document = document
    self.level = level
  }

  /// The answer to a line, and whether it was the last.
  func answer(_ line: [UInt8]) -> (ApplyAnswer, isLast: Bool) {
    do throws(Refusal) {
      let request = try ApplyRequest(line: line)
      if request.op == "close" { return (close(), true) }
      return (try perform(request), false)
    } catch {
      return (ApplyAnswer(refused: error), false)
    }
  }

  private func close() -> ApplyAnswer {
    do throws(StorageError) {
      try closeDocument()
      return ApplyAnswer()
    } catch {
      closeFailure = error
      return ApplyAnswer(refused: Refusal(error))
    }
  }

  /// Closes the document. It does not hold for a page that had turned read-only with commits that reached no file.
  func closeDocument() throws(StorageError) {
    var lost: StorageError?
    for record in document.pages where touched.contains(record.id) {
      guard let page = try document.page(record.id).page, page.durableCommit < page.commit else { continue }
      lost = lost ?? page.obstacle
    }
    try document.close()
    if let lost { throw lost }
  }

  private func perform(_ request: ApplyRequest) throws(Refusal) -> ApplyAnswer {
    if let operation = try request.operation() {
      return try commit(try page(try request.page()), operation)
    }
    switch request.op {
    case "batch": return try commit(try page(try request.page()), try request.parts())
    case "sync": return try sync(request)
    case "compact": return try compact(request)
    case "addPage": return try addPage(request)
    case "removePage": return try removePage(request)
    case "movePage": return try movePage(request)
    case "addAsset": return try addAsset(request)
    default: throw Refusal(.usage, "there is no operation “\(request.op)”")
    }
  }

  // MARK: The page list

  private func addPage(_ request: ApplyRequest) throws(Refusal) -> ApplyAnswer {
    let (width, height) = (try request.number("width"), try request.number("height"))
    let before = Set(document.pages.map(\.id))
    var page: PageID?
    var answer = changePages({ () throws(StorageError) in
      page = try document.addPage(width: width, height: height).id
    })
    // A page that was applied without its list being known to be durable is named as well.
    page = page ?? document.pages.map(\.id).first { !before.contains($0) }
    if let page {
      answer.fields = [("page", .text(page.description))]
      answer.isApplied = true
    }
    return answer
  }

  private func removePage(_ request: ApplyRequest) throws(Refusal) -> ApplyAnswer {
    let page = try request.page()
    try require(page)
    var answer = changePages({ () throws(StorageError) in try document.removePage(page) })
    answer.isApplied = !document.isListed(page)
    return answer
  }

  private func movePage(_ request: ApplyRequest) throws(Refusal) -> ApplyAnswer {
    let (page, place) = (try request.page(), try request.index("to"))
    try require(page)
    guard place < document.pages.count else {
      throw Refusal(.usage, "the document has \(Output.count(document.pages.count, "page"))")
    }
    let from = document.pages.firstIndex { $0.id == page }
    var answer = changePages({ () throws(StorageError) in try document.movePage(page, to: place) })
    answer.isApplied = from != place && document.pages.firstIndex { $0.id == page } == place
    return answer
  }

  private func addAsset(_ request: ApplyRequest) throws(Refusal) -> ApplyAnswer {
    let (type, bytes) = (try request.text("type"), try request.bytes("data"))
    do throws(StorageError) {
      return ApplyAnswer([("asset", .text(try document.addAsset(bytes, type: type).description))])
    } catch {
      throw Refusal(error)
    }
  }

  /// A change of the page list, which is durable when it returns.
  private func changePages(_ body: () throws(StorageError) -> Void) -> ApplyAnswer {
    do throws(StorageError) {
      try body()
      return ApplyAnswer()
    } catch {
      var answer = ApplyAnswer(refused: Refusal(error))
      if error.code != .usage { answer.isApplied = false }
      return answer
    }
  }

  private func require(_ page: PageID) throws(Refusal) {
    guard document.isListed(page) else { throw Refusal(.noSuchPage, "the document has no page \(page)") }
  }

  // MARK: Commits

  private func page(_ id: PageID) throws(Refusal) -> Page {
    let opened: OpenedPage
    do throws(StorageError) {
      opened = try document.page(id)
    } catch {
      throw Refusal(error)
    }
    if let page = opened.page {
      touched.insert(id)
      return page
    }
    let report = opened.report
    let code: Refusal.Code
    switch report.verdict {
    case .needsNewerVersion: code = .newerVersion
    case .unavailable: code = .io
    default: code = .damaged
    }
    var message = "page \(id) cannot be written: \(report.verdict.rawValue): \(report.verdict.explanation)"
    if let file = report.file { message += " (\(file)\(report.offset.map { " at byte \($0)" } ?? ""))" }
    throw Refusal(code, message)
  }

  private func commit(_ page: Page, _ operation: PageJournal.Operation) throws(Refusal) -> ApplyAnswer {
    do throws(StorageError) {
      if case .append(let kind, let payload) = operation {
        let (id, ticket) = try page.append(kind: kind, payload: payload.span)
        return reach(page, ticket, [("id", .counter(id))])
      }
      let (ids, ticket) = try page.commit([operation])
      switch operation {
      case .insert: return reach(page, ticket, ids.first.map { [("id", .counter($0))] } ?? [])
      case .replace: return reach(page, ticket, [("ids", .list(ids.map { .counter($0) }))])
      default: return reach(page, ticket, [])
      }
    } catch {
      throw Refusal(error)
    }
  }

  private func commit(_ page: Page, _ operations: [PageJournal.Operation]) throws(Refusal) -> ApplyAnswer {
    do throws(StorageError) {
      let (ids, ticket) = try page.commit(operations)
      return reach(page, ticket, [("ids", .list(ids.map { .counter($0) }))])
    } catch {
      throw Refusal(error)
    }
  }

  /// The answer to an accepted commit, once the durability holds or has failed.
  private func reach(_ page: Page, _ ticket: Ticket, _ fields: [(String, Value)]) -> ApplyAnswer {
    var answer = ApplyAnswer(fields + [("commit", .counter(ticket.commit))])
    do throws(StorageError) {
      switch level {
      case .buffered: break
      case .written: try page.write()
      case .durable: try page.sync(ticket)
      }
    } catch {
      answer.failure = Refusal(error)
      answer.isApplied = true
    }
    return answer
  }

  private func sync(_ request: ApplyRequest) throws(Refusal) -> ApplyAnswer {
    if request.has("page") {
      let page = try page(try request.page())
      do throws(StorageError) {
        return ApplyAnswer([("durable", .counter(try page.sync()))])
      } catch {
        throw Refusal(error)
      }
    }
    do throws(StorageError) {
      try document.sync()
      var pages: [(String, Value)] = []
      for record in document.pages {
        let opened = try document.page(record.id)
        let durable = opened.page?.durableCommit ?? opened.view?.commit
        pages.append((record.id.description, durable.map { .counter($0) } ?? .null))
      }
      return ApplyAnswer([("pages", .object(pages))])
    } catch {
      throw Refusal(error)
    }
  }

  private func compact(_ request: ApplyRequest) throws(Refusal) -> ApplyAnswer {
    let ids = request.has("page") ? [try request.page()] : document.pages.map(\.id)
    for id in ids {
      let page = try page(id)
      do throws(StorageError) {
        try page.compact()
      } catch {
        throw Refusal(error)
      }
    }
    return ApplyAnswer()
  }
}
