// SPDX-License-Identifier: Apache-2.0

/// Whether the edits of one commit can be applied, in order, to a state; nothing is changed to find out.
struct EditCheck {
  private var count: Int
  private var nextID: UInt64
  private var gone: Set<UInt64> = []
  private let firstNew: UInt64

  init(_ state: PageState) {
    count = state.count
    nextID = state.nextID
    firstNew = state.nextID
  }

  /// The first edit that cannot be applied, and why.
  static func failure(_ edits: [Edit], _ state: PageState) -> StorageError? {
    guard !state.isExhausted else {
      return StorageError(
        .tooLarge, "change the page", cause: "it has used up its numbers for commits or elements")
    }
    var check = EditCheck(state)
    for edit in edits {
      if let failure = check.failure(edit, state) { return failure }
    }
    return nil
  }

  private func isThere(_ id: UInt64, _ state: PageState) -> Bool {
    if gone.contains(id) { return false }
    return id >= firstNew ? id < nextID : state.numbers[id] != nil
  }

  private mutating func failure(_ edit: Edit, _ state: PageState) -> StorageError? {
    switch edit {
    case .append:
      return grow(by: 1)
    case .insert(_, let place):
      guard place >= 0, place <= count else { return outOfRange("insert at", place) }
      return grow(by: 1)
    case .replace(let id, let contents):
      guard isThere(id, state) else { return missing("replace", id) }
      guard !contents.isEmpty else {
        return StorageError(.usage, "replace element \(id)", cause: "there is nothing to replace it by")
      }
      gone.insert(id)
      count -= 1
      return grow(by: contents.count)
    case .remove(let id):
      guard isThere(id, state) else { return missing("remove", id) }
      gone.insert(id)
      count -= 1
      return nil
    case .move(let id, let place):
      guard isThere(id, state) else { return missing("move", id) }
      guard place >= 0, place < count else { return outOfRange("move to", place) }
      return nil
    case .set(let key, let value):
      guard !key.isEmpty, key.utf8.count <= PageLimits.attributeKey else {
        return StorageError(
          key.isEmpty ? .usage : .tooLarge, "set an attribute",
          cause: "its key has \(key.utf8.count) bytes, 1–\(PageLimits.attributeKey) are allowed")
      }
      guard (value?.count ?? 0) <= PageLimits.attributeValue else {
        return StorageError(
          .tooLarge, "set attribute \(key)",
          cause: "its value has \(value?.count ?? 0) bytes, \(PageLimits.attributeValue) are allowed")
      }
      return nil
    }
  }

  private mutating func grow(by added: Int) -> StorageError? {
    guard count + added <= PageLimits.elements else {
      return StorageError(.tooLarge, "add an element", cause: "the page has \(count) elements")
    }
    count += added
    nextID += UInt64(added)
    return nil
  }

  private func missing(_ verb: String, _ id: UInt64) -> StorageError {
    StorageError(.noSuchElement, "\(verb) element \(id)", cause: "the page has no element with that id")
  }

  private func outOfRange(_ verb: String, _ place: Int) -> StorageError {
    StorageError(.usage, "\(verb) \(place)", cause: "the page has \(count) elements")
  }
}
