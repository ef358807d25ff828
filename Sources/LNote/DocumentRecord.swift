// SPDX-License-Identifier: Apache-2.0

public import PageJournal

/// A page as `document.json` lists it.
public struct PageRecord: Sendable, Equatable {
  /// The page.
  public var id: PageID
  /// In points.
  public var width: Double
  /// In points.
  public var height: Double
  /// Milliseconds since 1970.
  public var created: Int64
  /// Milliseconds since 1970.
  public var modified: Int64
  /// Elements as of the last merge. The page's file is the truth.
  public var elements: Int64
  /// What the page was as of its last merge: a page file below it is out of date.
  public var floor: PageFloor
  /// Keys of newer versions.
  var unknown: [String: JSON] = [:]

  init(id: PageID, width: Double, height: Double, now: Int64) {
    self.id = id
    self.width = width
    self.height = height
    created = now
    modified = now
    elements = 0
    floor = PageFloor(generation: 1, commit: 0)
  }

  /// - Throws: what is wrong with it, as the end of a sentence that names the page.
  init(_ json: JSON) throws(RecordKeys.Wrong) {
    var keys = try RecordKeys(json)
    guard let id = try keys.text("id").flatMap({ PageID($0) }) else { throw .init("id", "a lower-case UUID") }
    self.id = id
    width = try keys.number("width") ?? 0
    height = try keys.number("height") ?? 0
    created = try keys.integer("created") ?? 0
    modified = try keys.integer("modified") ?? 0
    elements = try keys.integer("elements") ?? 0
    floor = PageFloor(
      generation: UInt64(clamping: try keys.integer("generation") ?? 0),
      commit: UInt64(clamping: try keys.integer("commit") ?? 0))
    unknown = keys.rest
  }

  var json: JSON {
    var keys = unknown
    keys["id"] = .string(id.description)
    keys["width"] = .number(width)
    keys["height"] = .number(height)
    keys["created"] = .integer(created)
    keys["modified"] = .integer(modified)
    keys["elements"] = .integer(elements)
    keys["generation"] = .integer(Int64(clamping: floor.generation))
    keys["commit"] = .integer(Int64(clamping: floor.commit))
    return .object(keys)
  }
}

/// `document.json`: the source of truth about a document's pages (SPEC.md §10).
public struct DocumentRecord: Sendable, Equatable {
  /// The version of this form.
  public static let schema: Int64 = 1

  /// The document's identity, a lower-case UUID.
  public var id: PageID
  /// For a person; may be empty.
  public var title: String
  /// Milliseconds since 1970.
  public var created: Int64
  /// Milliseconds since 1970; never used for order.
  public var modified: Int64
  /// In reading order.
  public var pages: [PageRecord]
  /// Pages whose files are being removed.
  public var removed: [PageID]
  var unknown: [String: JSON] = [:]

  init(id: PageID, title: String, now: Int64) {
    self.id = id
    self.title = title
    created = now
    modified = now
    pages = []
    removed = []
  }

  /// Reads the file's bytes. What it does not understand it keeps; what it understands and finds to be of another
  /// kind makes the record damaged, since the next save would lose it.
  /// - Throws: `damaged` when they are not a document record, `newerVersion`.
  init(parsing bytes: [UInt8], path: String) throws(StorageError) {
    guard case .object(let object)? = RecordReading.json(bytes) else {
      throw Self.damaged(path, bytes.isEmpty ? "it is empty" : "it is not JSON")
    }
    if let schema = object["schema"]?.integer, schema > Self.schema {
      throw StorageError(
        .newerVersion, "read the document",
        cause: "it is of schema \(schema), this program knows \(Self.schema)",
        advice: "update this program", file: path)
    }
    do throws(RecordKeys.Wrong) {
      try self.init(of: object)
    } catch {
      throw Self.damaged(path, error.cause)
    }
  }

  private init(of object: [String: JSON]) throws(RecordKeys.Wrong) {
    var keys = try RecordKeys(.object(object))
    guard try keys.integer("schema") == Self.schema else { throw .init("schema", "a known number") }
    guard let id = try keys.text("id").flatMap({ PageID($0) }) else { throw .init("id", "a lower-case UUID") }
    guard let list = try keys.list("pages") else { throw .init("pages", "a list") }
    self.id = id
    title = try keys.text("title") ?? ""
    created = try keys.integer("created") ?? 0
    modified = try keys.integer("modified") ?? 0
    pages = []
    pages.reserveCapacity(list.count)
    var seen: Set<PageID> = []
    for (index, entry) in list.enumerated() {
      do throws(RecordKeys.Wrong) {
        let page = try PageRecord(entry)
        guard seen.insert(page.id).inserted else { throw .init(cause: "it is listed before") }
        pages.append(page)
      } catch {
        throw .init(cause: "page \(index + 1): \(error.cause)")
      }
    }
    removed = []
    for entry in try keys.list("removed") ?? [] {
      guard let id = entry.string.flatMap({ PageID($0) }), !seen.contains(id) else {
        throw .init("removed", "a list of ids of other pages")
      }
      removed.append(id)
    }
    unknown = keys.rest
  }

  private static func damaged(_ path: String, _ cause: String) -> StorageError {
    StorageError(
      .damaged, "read the document", cause: cause,
      advice: "its pages can be read; the file is left as it is", file: path)
  }

  var json: JSON {
    var keys = unknown
    keys["schema"] = .integer(Self.schema)
    keys["id"] = .string(id.description)
    keys["title"] = .string(title)
    keys["created"] = .integer(created)
    keys["modified"] = .integer(modified)
    keys["pages"] = .array(pages.map(\.json))
    keys["removed"] = removed.isEmpty ? nil : .array(removed.map { .string($0.description) })
    return .object(keys)
  }

  /// The file's bytes.
  /// - Throws: `internal` rather than to replace a record by nothing.
  func bytes(path: String) throws(StorageError) -> [UInt8] {
    let text = json.text(pretty: true)
    guard !text.isEmpty else {
      throw StorageError(
        .internal, "write the document", cause: "it holds a value that JSON cannot", file: path)
    }
    return text + [0x0A]
  }

  /// `manifest.json`: what a list of documents shows. A cache, made from this record.
  var manifest: [UInt8] {
    var keys: [String: JSON] = [
      "schema": .integer(Self.schema), "title": .string(title), "created": .integer(created),
      "modified": .integer(modified), "pages": .integer(Int64(pages.count)),
    ]
    keys["cover"] = pages.first.map { .string("thumbnails/\($0.id).jpg") }
    return JSON.object(keys).text(pretty: true) + [0x0A]
  }
}
