// SPDX-License-Identifier: Apache-2.0

import LNote
import PageJournal

/// A document that is changed line by line.
final class ApplySession {
  enum Level: String {
    case buffered, written, durable
  }

  private let document: NoteDocument
  private let level: Level
  private(set) var closeFailure: StorageError?

  init(_ document: NoteDocument, _ level: Level) {
    self.document = document
    self.level = level
  }

  /// The answer to a line, and whether it was the last.
  func answer(_ line: String) -> (JSON, isLast: Bool) {
    do throws(Refusal) {
      let request = try ApplyRequest(JSON(parsing: [UInt8](line.utf8)))
      if request.op == "close" { return (close(), true) }
      return (.object(try perform(request)), false)
    } catch {
      return (.object(["ok": .bool(false), "error": error.json]), false)
    }
  }

  private func close() -> JSON {
    do throws(StorageError) {
      try document.close()
      return .object(["ok": .bool(true)])
    } catch {
      closeFailure = error
      return .object(["ok": .bool(false), "error": Refusal(error).json])
    }
  }

  private func perform(_ request: ApplyRequest) throws(Refusal) -> [String: JSON] {
    if let operation = try request.operation() {
      let page = try page(try request.page())
      return try commit(page, operation, isBatch: false)
    }
    switch request.op {
    case "batch":
      let page = try page(try request.page())
      return try commit(page, try request.parts())
    case "sync": return try sync(request)
    case "compact": return try compact(request)
    case "addPage":
      let (width, height) = (try request.number("width"), try request.number("height"))
      let before = Set(document.pages.map(\.id))
      var page: PageID?
      var keys = changePages({ () throws(StorageError) in
        page = try document.addPage(width: width, height: height).id
      })
      // A page that was applied without its list being known to be durable is named as well.
      page = page ?? document.pages.map(\.id).first { !before.contains($0) }
      if let page {
        keys["page"] = .string(page.description)
        if keys["ok"] == .bool(false) { keys["applied"] = .bool(true) }
      }
      return keys
    case "removePage":
      let page = try request.page()
      try require(page)
      var keys = changePages({ () throws(StorageError) in try document.removePage(page) })
      if keys["ok"] == .bool(false) { keys["applied"] = .bool(!document.isListed(page)) }
      return keys
    case "movePage":
      let (page, place) = (try request.page(), try request.index("to"))
      try require(page)
      guard place < document.pages.count else {
        throw Refusal(.usage, "the document has \(document.pages.count) pages")
      }
      var keys = changePages({ () throws(StorageError) in try document.movePage(page, to: place) })
      if keys["ok"] == .bool(false) {
        keys["applied"] = .bool(document.pages.firstIndex { $0.id == page } == place)
      }
      return keys
    case "addAsset":
      let (type, bytes) = (try request.text("type"), try request.bytes("data"))
      do throws(StorageError) {
        return ["ok": .bool(true), "asset": .string(try document.addAsset(bytes, type: type).description)]
      } catch {
        throw Refusal(error)
      }
    default: throw Refusal(.usage, "there is no operation “\(request.op)”")
    }
  }

  /// A change of the page list, which is durable when it returns. Refusals of the call itself are thrown.
  private func changePages(_ body: () throws(StorageError) -> Void) -> [String: JSON] {
    do throws(StorageError) {
      try body()
      return ["ok": .bool(true)]
    } catch {
      var keys: [String: JSON] = ["ok": .bool(false), "error": Refusal(error).json]
      if error.code != .usage { keys["applied"] = .bool(false) }
      return keys
    }
  }

  private func require(_ page: PageID) throws(Refusal) {
    guard document.isListed(page) else { throw Refusal(.noSuchPage, "the document has no page \(page)") }
  }

  private func page(_ id: PageID) throws(Refusal) -> Page {
    let opened: OpenedPage
    do throws(StorageError) {
      opened = try document.page(id)
    } catch {
      throw Refusal(error)
    }
    if let page = opened.page { return page }
    let report = opened.report
    let code: Refusal.Code
    switch report.verdict {
    case .needsNewerVersion: code = .newerVersion
    case .unavailable: code = .io
    default: code = .damaged
    }
    var message = "page \(id) cannot be written: \(report.verdict.rawValue): \(report.verdict.explanation)"
    if let file = report.file { message += " (\(file) at byte \(report.offset ?? 0))" }
    throw Refusal(code, message)
  }

  private func commit(
    _ page: Page, _ operation: PageJournal.Operation, isBatch: Bool
  ) throws(Refusal) -> [String: JSON] {
    var keys: [String: JSON] = [:]
    let ticket: Ticket
    do throws(StorageError) {
      if case .append(let kind, let payload) = operation {
        let (id, appended) = try page.append(kind: kind, payload: payload.span)
        ticket = appended
        keys["id"] = .integer(Int64(clamping: id))
      } else {
        let (ids, committed) = try page.commit([operation])
        ticket = committed
        if case .insert = operation { keys["id"] = ids.first.map { .integer(Int64(clamping: $0)) } }
        if case .replace = operation { keys["ids"] = .array(ids.map { .integer(Int64(clamping: $0)) }) }
      }
    } catch {
      throw Refusal(error)
    }
    return reach(page, ticket, keys)
  }

  private func commit(_ page: Page, _ operations: [PageJournal.Operation]) throws(Refusal) -> [String: JSON] {
    do throws(StorageError) {
      let (ids, ticket) = try page.commit(operations)
      return reach(page, ticket, ["ids": .array(ids.map { .integer(Int64(clamping: $0)) })])
    } catch {
      throw Refusal(error)
    }
  }

  /// The answer to an accepted commit, once the durability holds or has failed.
  private func reach(_ page: Page, _ ticket: Ticket, _ keys: [String: JSON]) -> [String: JSON] {
    var keys = keys
    keys["commit"] = .integer(Int64(clamping: ticket.commit))
    do throws(StorageError) {
      switch level {
      case .buffered: break
      case .written: try page.write()
      case .durable: try page.sync(ticket)
      }
      keys["ok"] = .bool(true)
    } catch {
      keys["ok"] = .bool(false)
      keys["applied"] = .bool(true)
      keys["error"] = Refusal(error).json
    }
    return keys
  }

  private func sync(_ request: ApplyRequest) throws(Refusal) -> [String: JSON] {
    if request.has("page") {
      let page = try page(try request.page())
      do throws(StorageError) {
        return ["ok": .bool(true), "durable": .integer(Int64(clamping: try page.sync()))]
      } catch {
        throw Refusal(error)
      }
    }
    do throws(StorageError) {
      try document.sync()
      var pages: [String: JSON] = [:]
      for record in document.pages {
        let opened = try document.page(record.id)
        let durable = opened.page?.durableCommit ?? opened.view?.commit
        pages[record.id.description] = durable.map { .integer(Int64(clamping: $0)) } ?? .null
      }
      return ["ok": .bool(true), "pages": .object(pages)]
    } catch {
      throw Refusal(error)
    }
  }

  private func compact(_ request: ApplyRequest) throws(Refusal) -> [String: JSON] {
    let ids = request.has("page") ? [try request.page()] : document.pages.map(\.id)
    for id in ids {
      let page = try page(id)
      do throws(StorageError) {
        try page.compact()
      } catch {
        throw Refusal(error)
      }
    }
    return ["ok": .bool(true)]
  }
}
