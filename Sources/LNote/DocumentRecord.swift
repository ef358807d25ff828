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

  init?(_ json: JSON) {
    guard case .object(var keys) = json,
      let id = keys.removeValue(forKey: "id")?.string.flatMap({ PageID($0) })
    else { return nil }
    self.id = id
    width = keys.removeValue(forKey: "width")?.number ?? 0
    height = keys.removeValue(forKey: "height")?.number ?? 0
    created = keys.removeValue(forKey: "created")?.integer ?? 0
    modified = keys.removeValue(forKey: "modified")?.integer ?? 0
    elements = keys.removeValue(forKey: "elements")?.integer ?? 0
    floor = PageFloor(
      generation: UInt64(clamping: keys.removeValue(forKey: "generation")?.integer ?? 0),
      commit: UInt64(clamping: keys.removeValue(forKey: "commit")?.integer ?? 0))
    unknown = keys
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

  /// Reads the file's bytes.
  /// - Throws: `damaged` when they are not a document record, `newerVersion`.
  init(parsing bytes: [UInt8], path: String) throws(StorageError) {
    guard case .object(var keys)? = JSON(parsing: bytes) else {
      throw Self.damaged(path, bytes.isEmpty ? "it is empty" : "it is not JSON")
    }
    let schema = keys.removeValue(forKey: "schema")?.integer
    if let schema, schema > Self.schema {
      throw StorageError(
        .newerVersion, "read the document",
        cause: "it is of schema \(schema), this program knows \(Self.schema)",
        advice: "update this program", file: path)
    }
    guard schema == Self.schema else { throw Self.damaged(path, "it has no schema number") }
    guard let id = keys.removeValue(forKey: "id")?.string.flatMap({ PageID($0) }) else {
      throw Self.damaged(path, "its id is not a lower-case UUID")
    }
    guard let list = keys.removeValue(forKey: "pages")?.array else {
      throw Self.damaged(path, "it has no list of pages")
    }
    self.id = id
    title = keys.removeValue(forKey: "title")?.string ?? ""
    created = keys.removeValue(forKey: "created")?.integer ?? 0
    modified = keys.removeValue(forKey: "modified")?.integer ?? 0
    pages = []
    var seen: Set<PageID> = []
    for (index, entry) in list.enumerated() {
      guard let page = PageRecord(entry) else {
        throw Self.damaged(path, "the id of page \(index + 1) is not a lower-case UUID")
      }
      guard seen.insert(page.id).inserted else { throw Self.damaged(path, "page \(page.id) is listed twice") }
      pages.append(page)
    }
    removed = []
    for entry in keys.removeValue(forKey: "removed")?.array ?? [] {
      guard let id = entry.string.flatMap({ PageID($0) }), !seen.contains(id) else {
        throw Self.damaged(path, "its list of removed pages is not one of other ids")
      }
      removed.append(id)
    }
    unknown = keys
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

  var bytes: [UInt8] { json.text(pretty: true) + [0x0A] }

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
