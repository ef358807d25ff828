// SPDX-License-Identifier: Apache-2.0

/// Reads pages without a lock and without writing anything, also beside a live writer.
public enum PageInspector {
  private static let attempts = 5

  /// What a page's files hold now.
  ///
  /// The journals are opened before the snapshot is read, so that a merge in between shows as a change and not as
  /// a loss; names, files and the snapshot's end are compared afterwards, and the reading begins again, five times at
  /// most, when they changed. A bad tail is read twice: when it changed, a writer is at work.
  /// - Parameter floor: the least that the page has to be, as a document remembers it.
  /// - Throws: `notFound` when the page has no file at all. Everything else is in the report.
  public static func inspect(
    _ id: PageID, in directory: String, floor: PageFloor? = nil,
    fileSystem: any FileSystem = PosixFileSystem()
  ) throws(StorageError) -> OpenedPage {
    #if Mutants
      if Mutant.isOn(.inspectorTidiesUp) {
        try fileSystem.removeIfAny("\(directory)/\(PageFileName.temporary(id).text)")
      }
    #endif
    var last: (files: PageFiles, recovery: Recovery)?
    for _ in 0..<attempts {
      guard let files = try consistent(id, directory, fileSystem) else { continue }
      guard files.snapshot != nil || !files.journals.isEmpty else {
        throw StorageError(
          .notFound, "read the page", cause: "it has no file",
          file: "\(directory)/\(PageFileName.snapshot(id).text)", page: id)
      }
      // Whatever a writer leaves half done looks the same twice only when nobody is writing.
      if let last, same(last.files, files) { return opened(last.recovery) }
      let recovery = Recovery(files, floor: floor)
      if recovery.report.verdict <= .leftOpen { return opened(recovery) }
      last = (files, recovery)
    }
    if let last { return opened(last.recovery) }
    var report = RecoveryReport(.unavailable)
    report.failure = StorageError(
      .io, "read the page", cause: "it changed \(attempts) times while it was read", advice: "try again",
      file: directory, page: id)
    return .unavailable(report)
  }

  private static func opened(_ recovery: Recovery) -> OpenedPage {
    recovery.plan == .unavailable || recovery.isBlank
      ? .unavailable(recovery.report)
      : .readOnly(PageView(recovery.state, generation: recovery.generation), recovery.report)
  }

  private static func same(_ left: PageFiles, _ right: PageFiles) -> Bool {
    guard left.journals.count == right.journals.count, bytes(left.snapshot) == bytes(right.snapshot) else {
      return false
    }
    return zip(left.journals, right.journals).allSatisfy { pair in
      pair.0.name == pair.1.name && bytes(pair.0.content) == bytes(pair.1.content)
    }
  }

  private static func bytes(_ content: Result<[UInt8], StorageError>?) -> [UInt8]? {
    if case .success(let bytes)? = content { bytes } else { nil }
  }

  /// The files, or nil when they changed meanwhile.
  private static func consistent(
    _ id: PageID, _ directory: String, _ fileSystem: any FileSystem
  ) throws(StorageError) -> PageFiles? {
    let names = try names(of: id, directory, fileSystem)
    var files = PageFiles(page: id)
    var handles: [(generation: UInt64, name: String, file: Result<any File, StorageError>)] = []
    defer {
      for handle in handles { if case .success(let file) = handle.file { file.close() } }
    }
    for name in names {
      switch name {
      case .journal(_, let generation):
        let path = "\(directory)/\(name.text)"
        let file = Result { () throws(StorageError) in try fileSystem.open(path, .read) }
        if case .failure(let error) = file, error.code == .notFound { return nil }
        handles.append((generation, name.text, file))
      case .quarantine(_, let generation, _): files.otherGenerations.append(generation)
      case .snapshot, .removed, .temporary: break
      }
    }
    let path = "\(directory)/\(PageFileName.snapshot(id).text)"
    let before = try? fileSystem.status(of: path)
    if names.contains(.snapshot(id)) {
      files.snapshot = Result { () throws(StorageError) in
        try fileSystem.contents(of: path, limit: PageLimits.file)
      }
      if case .failure(let error)? = files.snapshot, error.code == .notFound { return nil }
    }
    for (generation, name, handle) in handles {
      let content: Result<[UInt8], StorageError>
      switch handle {
      case .failure(let error): content = .failure(error)
      case .success(let file):
        content = Result { () throws(StorageError) in
          try file.readAll(limit: PageLimits.file, path: "\(directory)/\(name)")
        }
      }
      files.journals.append(.init(generation: generation, name: name, content: content))
    }
    files.journals = files.journals.ordered { $0.generation < $1.generation }
    let after = try? fileSystem.status(of: path)
    guard before == after, try self.names(of: id, directory, fileSystem) == names else { return nil }
    return files
  }

  private static func names(
    of id: PageID, _ directory: String, _ fileSystem: any FileSystem
  ) throws(StorageError) -> [PageFileName] {
    try fileSystem.names(in: directory).compactMap { PageFileName($0) }.filter {
      if case .temporary = $0 { return false }
      return $0.page == id
    }.ordered { $0.rank < $1.rank }
  }
}
