// SPDX-License-Identifier: Apache-2.0

/// Answers whether a power cut may leave exactly one image, without going through the images that it may leave.
///
/// Name operations on different names do not depend on each other, so each group of operations that are tied together
/// by renames is solved on its own; what is left over, because directories themselves came and went, is searched.
final class ImageMembership {
  private struct Question: Hashable {
    var path: String
    var file: CrashLayouts.File
  }

  private let disk: SimulatedDisk
  private let profile: CrashProfile
  private let image: Image
  /// For each pending operation the earlier ones that it cannot survive without.
  private let needs: [[Int]]
  /// The paths of directories that no pending operation concerns.
  private var certainPaths: [UInt64: String] = [SimulatedDisk.root: ""]
  private var survives: [Bool]
  private var known: [Question: Bool] = [:]

  init(disk: SimulatedDisk, profile: CrashProfile, image: Image) {
    self.disk = disk
    self.profile = profile.clamped
    self.image = image
    needs = NameSets.needs(disk.pendingNames)
    survives = [Bool](repeating: false, count: disk.pendingNames.count)
    findCertainPaths()
  }

  private func findCertainPaths() {
    let pending = Set(disk.pendingNames.flatMap { $0.effects.map(\.slot) })
    var waiting = [SimulatedDisk.root]
    while let directory = waiting.popLast(), let path = certainPaths[directory] {
      for (name, inode) in disk.directories[directory]?.durable ?? NameTable()
      where disk.directories[inode] != nil && !pending.contains(NameSlot(directory: directory, name: name)) {
        certainPaths[inode] = path + "/" + name
        waiting.append(inode)
      }
    }
  }

  /// Whether the image is one of those that may be left.
  func holds() -> Bool {
    switch profile.nameOrder {
    case .prefix: return holdsInSomePrefix()
    case .anyPerName:
      var rest: [Int] = []
      for group in groups() {
        if group.contains(where: isEntangled) {
          rest += group
        } else if !search(group[...], isLast: false) {
          return false
        }
      }
      return search(rest.sorted()[...], isLast: true)
    }
  }

  private func holdsInSomePrefix() -> Bool {
    let certain = disk.pendingNames.prefix { $0.sequence < disk.latestSettledName }.count
    return (certain...disk.pendingNames.count).contains { length in
      for place in survives.indices { survives[place] = place < length }
      return isReached()
    }
  }

  // MARK: Groups

  /// The pending operations, those that share a name in one group, each in order.
  private func groups() -> [[Int]] {
    var groupOfSlot: [NameSlot: Int] = [:]
    var groups: [[Int]] = []
    for (number, operation) in disk.pendingNames.enumerated() {
      let joined = Set(operation.effects.compactMap { groupOfSlot[$0.slot] }).sorted()
      let target = joined.first ?? groups.count
      if joined.isEmpty { groups.append([]) }
      for other in joined.dropFirst() {
        groups[target] += groups[other]
        groups[other] = []
        for (slot, group) in groupOfSlot where group == other { groupOfSlot[slot] = target }
      }
      groups[target].append(number)
      for effect in operation.effects { groupOfSlot[effect.slot] = target }
    }
    return groups.filter { !$0.isEmpty }.map { $0.sorted() }
  }

  /// Whether what becomes of the operation decides about more than the files under its names.
  private func isEntangled(_ number: Int) -> Bool {
    if profile.replacingRenameCarriesData { return true }
    return disk.pendingNames[number].effects.contains { effect in
      guard certainPaths[effect.slot.directory] != nil else { return true }
      let durable = disk.directories[effect.slot.directory]?.durable[effect.slot.name]
      return [durable, effect.inode].contains { $0.map { disk.directories[$0] != nil } == true }
    }
  }

  // MARK: Searching

  /// Decides about these operations, one after the other, going back where a name cannot be as the image has it.
  private func search(_ open: ArraySlice<Int>, isLast: Bool) -> Bool {
    guard let number = open.first else { return isLast ? isReached() : true }
    let rest = open.dropFirst()
    for choice in [true, false] where !choice || needs[number].allSatisfy({ survives[$0] }) {
      survives[number] = choice
      if isPossible(after: number, rest), search(rest, isLast: isLast) { return true }
    }
    survives[number] = false
    return false
  }

  /// Whether each name of the operation that is decided by now is as the image has it.
  private func isPossible(after number: Int, _ rest: ArraySlice<Int>) -> Bool {
    let operation = disk.pendingNames[number]
    return operation.effects.allSatisfy { effect in
      guard let directory = certainPaths[effect.slot.directory] else { return true }
      let isOpen =
        survives[number]
        && rest.contains { later in disk.pendingNames[later].effects.contains { $0.slot == effect.slot } }
      guard !isOpen else { return true }
      let inode = survives[number] ? effect.inode : former(effect.slot, before: number)
      return isAsWanted(directory + "/" + effect.slot.name, inode)
    }
  }

  private func former(_ slot: NameSlot, before number: Int) -> UInt64? {
    for earlier in stride(from: number - 1, through: 0, by: -1) where survives[earlier] {
      for effect in disk.pendingNames[earlier].effects where effect.slot == slot { return effect.inode }
    }
    return disk.directories[slot.directory]?.durable[slot.name]
  }

  private func isAsWanted(_ path: String, _ inode: UInt64?) -> Bool {
    guard let inode else { return !image.contains(path) }
    guard disk.files[inode] != nil else { return image.contains(path) && image[path] == nil }
    guard let bytes = image[path] else { return false }
    if profile.replacingRenameCarriesData { return true }
    return allows(bytes, at: path, CrashLayouts.file(inode, disk, profile, 0))
  }

  // MARK: Whole trees

  /// Whether the image is one of the tree that the surviving operations make.
  private func isReached() -> Bool {
    var certain: [UInt64: UInt64] = [:]
    let names = CrashLayouts.names(disk, survives, &certain)
    let branches = disk.walk { names[$0] ?? NameTable() }
    guard branches.map(\.path) == image.paths else { return false }
    return zip(branches, image.nodes).allSatisfy { branch, node in
      guard case .file(let bytes) = node else { return disk.directories[branch.inode] != nil }
      guard disk.files[branch.inode] != nil else { return false }
      let file = CrashLayouts.file(branch.inode, disk, profile, certain[branch.inode] ?? 0)
      return allows(bytes, at: branch.path, file)
    }
  }

  private func allows(_ bytes: [UInt8], at path: String, _ file: CrashLayouts.File) -> Bool {
    let question = Question(path: path, file: file)
    if let answer = known[question] { return answer }
    let answer = membership(of: file)?.allows(bytes) ?? false
    known[question] = answer
    return answer
  }

  private func membership(of file: CrashLayouts.File) -> ContentMembership? {
    disk.files[file.inode].map { body in
      let (durable, changes) = body.split(certainBelow: file.certainBelow)
      return ContentMembership(durable: durable, changes: changes, stale: disk.freed, profile: profile)
    }
  }

  // MARK: Explaining

  /// For an image that may not be left: what speaks against it, as far as one path alone does.
  func objections() -> [String] {
    var candidates: [String: Set<UInt64>] = [:]
    for (directory, path) in certainPaths {
      for (name, inode) in disk.directories[directory]?.durable ?? NameTable() {
        candidates[path + "/" + name, default: []].insert(inode)
      }
    }
    for effect in disk.pendingNames.flatMap(\.effects) {
      guard let inode = effect.inode, let path = certainPaths[effect.slot.directory] else { continue }
      candidates[path + "/" + effect.slot.name, default: []].insert(inode)
    }
    var found: [String] = []
    for path in image.paths {
      guard let bytes = image[path], let inodes = candidates[path] else { continue }
      // A file has at most two sets of bytes to choose from: with and without those that a rename carried.
      let choices = inodes.sorted().flatMap { inode in
        Set([0, disk.files[inode]?.carriedBelow ?? 0]).sorted().compactMap { floor in
          membership(of: .init(inode: inode, certainBelow: floor))
        }
      }
      guard !choices.contains(where: { $0.allows(bytes) }) else { continue }
      let reasons = choices.map { $0.objection(to: bytes) }
      found.append("\(path): \(reasons.isEmpty ? "it was a directory" : reasons.joined(separator: ", or "))")
    }
    let unheard = image.paths.filter { path in
      let cut = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
      return certainPaths.values.contains(String(path[..<cut])) && candidates[path] == nil
    }
    found += unheard.map { "\($0): there was never such a name" }
    return found.isEmpty ? ["the names, or names and bytes, cannot be so together"] : found
  }
}
