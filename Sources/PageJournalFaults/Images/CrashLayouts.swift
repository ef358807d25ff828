// SPDX-License-Identifier: Apache-2.0

/// One tree of names that may survive, and for each of its files the contents that may be under the name.
struct CrashLayout {
  /// An earlier tree with the same paths, where some lead to other files: images of this one may be images of
  /// that one as well.
  struct Rival {
    /// Places in `slots` and, for each, the contents the earlier tree has there.
    var differing: [(slot: Int, contents: Int)]
  }

  let paths: [String]
  /// Directories, and a place for each file.
  let template: [Image.Node]
  /// For each file its place in `paths` and the number of its contents.
  let slots: [(place: Int, contents: Int)]
  var rivals: [Rival] = []
  /// How many images it has, at most `CrashLayouts.most`.
  let combinations: UInt64
}

/// All trees of names that may survive, and the contents of all their files.
struct CrashLayouts {
  /// A file, and how much of it a tree of names makes certain.
  struct File: Hashable {
    var inode: UInt64
    /// Changes made before this event are certain.
    var certainBelow: UInt64
  }

  private struct Branch: Hashable {
    var path: String
    var file: File
  }

  static let most = UInt64(1) << 62

  private(set) var layouts: [CrashLayout] = []
  private(set) var contents: [FileContents] = []
  let isSampled: Bool

  init(disk: SimulatedDisk, profile: CrashProfile) {
    let nameSets = NameSets(disk.pendingNames, latestSettled: disk.latestSettledName, profile: profile)
    isSampled = nameSets.isSampled
    var known: [File: Int] = [:]
    var trees: Set<[Branch]> = []
    var earlier: [Int: [Int]] = [:]
    for set in nameSets.sets {
      var certain: [UInt64: UInt64] = [:]
      let names = Self.names(disk, set, &certain)
      let branches = disk.walk { names[$0] ?? NameTable() }.map { path, inode in
        Branch(path: path, file: Self.file(inode, disk, profile, certain[inode] ?? 0))
      }
      guard nameSets.sets.count == 1 || trees.insert(branches).inserted else { continue }
      var slots: [(place: Int, contents: Int)] = []
      var template: [Image.Node] = []
      var combinations: UInt64 = 1
      for (place, branch) in branches.enumerated() {
        guard let body = disk.files[branch.file.inode] else {
          template.append(.directory)
          continue
        }
        let number = known[branch.file] ?? contents.count
        if number == contents.count {
          known[branch.file] = number
          contents.append(Self.contents(body, branch.file, disk.freed, profile))
        }
        slots.append((place, number))
        template.append(.file(contents[number].durable))
        let (product, overflow) = combinations.multipliedReportingOverflow(by: UInt64(contents[number].count))
        combinations = overflow ? Self.most : min(Self.most, product)
      }
      var layout = CrashLayout(
        paths: branches.map(\.path), template: template, slots: slots, combinations: combinations)
      guard nameSets.sets.count > 1 else {
        layouts.append(layout)
        continue
      }
      var hasher = Hasher()
      for slot in slots { hasher.combine(slot.place) }
      hasher.combine(layout.paths)
      let shape = hasher.finalize()
      for number in earlier[shape, default: []] {
        if let rival = Self.rival(layout, layouts[number]) { layout.rivals.append(rival) }
      }
      earlier[shape, default: []].append(layouts.count)
      layouts.append(layout)
    }
  }

  /// For one layout: the fingerprint of its directories, and for each file and content the one under its path.
  func digests(of number: Int) -> (fixed: ImageDigest, slots: [[ImageDigest]]) {
    let layout = layouts[number]
    var fixed = ImageDigest()
    for (path, node) in zip(layout.paths, layout.template) where node == .directory {
      fixed.add(ImageDigest(path: ImageDigest(of: path.utf8.span), content: .directory))
    }
    let slots = layout.slots.map { slot in
      let path = ImageDigest(of: layout.paths[slot.place].utf8.span)
      return (0..<contents[slot.contents].count).map { content in
        ImageDigest(path: path, content: contents[slot.contents].digest(content))
      }
    }
    return (fixed, slots)
  }

  /// The names of all directories when a set of the pending operations survived.
  static func names(
    _ disk: SimulatedDisk, _ set: [Bool], _ certain: inout [UInt64: UInt64]
  ) -> InodeTable<NameTable> {
    var names = InodeTable<NameTable>()
    for (inode, body) in disk.directories.all { names[inode] = body.durable }
    for (operation, survives) in zip(disk.pendingNames, set) where survives {
      for effect in operation.effects { names[effect.slot.directory]?[effect.slot.name] = effect.inode }
      if let inode = operation.replacement { certain[inode] = operation.sequence }
    }
    return names
  }

  static func file(
    _ inode: UInt64, _ disk: SimulatedDisk, _ profile: CrashProfile, _ certain: UInt64
  ) -> File {
    guard profile.replacingRenameCarriesData, let body = disk.files[inode] else {
      return File(inode: inode, certainBelow: 0)
    }
    let floor = max(certain, body.carriedBelow)
    // Only what makes a difference, so that equal trees are equal.
    return File(inode: inode, certainBelow: body.changes.contains { $0.sequence < floor } ? floor : 0)
  }

  private static func contents(
    _ body: FileBody, _ file: File, _ stale: [UInt8], _ profile: CrashProfile
  ) -> FileContents {
    let (durable, changes) = body.split(certainBelow: file.certainBelow)
    return FileContents(durable: durable, changes: changes, stale: stale, profile: profile)
  }

  private static func rival(_ layout: CrashLayout, _ earlier: CrashLayout) -> CrashLayout.Rival? {
    guard layout.paths == earlier.paths, layout.slots.map(\.place) == earlier.slots.map(\.place) else {
      return nil
    }
    var differing: [(slot: Int, contents: Int)] = []
    for (index, (mine, theirs)) in zip(layout.slots, earlier.slots).enumerated()
    where mine.contents != theirs.contents {
      differing.append((index, theirs.contents))
    }
    return CrashLayout.Rival(differing: differing)
  }
}
