// SPDX-License-Identifier: Apache-2.0

import LNote
import PageExplorer
import PageJournal
import PageJournalFaults
import Synchronization

/// A deterministic surrounding for documents: no clock, no chance, no thread.
package struct Bench: Sendable {
  package let path = "/n.lnote"
  package var environment: NoteEnvironment

  package init(_ fileSystem: any FileSystem = SimulatedFileSystem(), seed: UInt64 = 1) {
    let random = Locked(SplitMix64(seed: seed))
    let time = Locked<Int64>(1_000_000)
    environment = NoteEnvironment(
      storage: Environment(
        fileSystem: Interposition.wrapped(fileSystem), random: { random.with { $0.next() } }, clock: { 0 },
        executor: ManualExecutor()),
      now: {
        time.with { now in
          now += 1
          return now
        }
      },
      pause: { _ in })
  }

  package var fileSystem: any FileSystem { environment.storage.fileSystem }

  package func create(title: String = "") throws -> NoteDocument {
    try NoteDocument.create(at: path, title: title, environment: environment)
  }

  package func open() throws -> NoteDocument { try NoteDocument.open(path, environment: environment) }

  package func inspect() throws -> NoteInspection { try NoteInspection(path, fileSystem: fileSystem) }

  package func names(_ folder: String) throws -> [String] {
    try fileSystem.names(in: "\(path)/\(folder)").sorted()
  }

  package func bytes(_ name: String) throws -> [UInt8] {
    try fileSystem.contents(of: "\(path)/\(name)", limit: 1 << 30)
  }

  package func text(_ name: String) throws -> String { String(decoding: try bytes(name), as: UTF8.self) }

  /// Puts a file in the package as another program would, all at once and durable.
  package func put(_ bytes: [UInt8], _ name: String) throws {
    try fileSystem.replaceFile(in: path, name: name, with: bytes.span)
  }

  /// Everything in the package.
  package func image() throws -> Image { try Image(reading: fileSystem, at: path) }

  /// A closed document of so many pages, each with that many elements.
  @discardableResult
  package func closedDocument(pages: Int, elements: Int = 0) throws -> [PageID] {
    let document = try create(title: "t")
    var ids: [PageID] = []
    for number in 0..<pages {
      let page = try document.addPage(width: 100, height: 200)
      for index in 0..<elements { try page.add(UInt8(truncatingIfNeeded: number + index)) }
      ids.append(page.id)
    }
    try document.close()
    return ids
  }
}

/// A value that several threads share.
package final class Locked<Value: Sendable>: Sendable {
  private let mutex: Mutex<Value>
  package init(_ value: Value) { mutex = Mutex(value) }
  package func with<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
    mutex.withLock { body(&$0) }
  }
  package var value: Value { with { $0 } }
}

extension Page {
  /// One element of a kind of the app's own, with a payload of one byte.
  @discardableResult
  package func add(_ byte: UInt8, kind: UInt8 = 200) throws -> Ticket {
    try append(kind: kind, payload: [byte].span).ticket
  }
}

extension SimulatedEvent {
  /// Whether it changes what is read.
  package var changes: Bool { operation != .synchronizeFile && operation != .synchronizeDirectory }
}

/// The code of the error that a piece of work throws, or nil.
package func code(_ body: () throws -> Void) -> StorageError.Code? {
  do {
    try body()
    return nil
  } catch let error as StorageError {
    return error.code
  } catch {
    return .internal
  }
}
