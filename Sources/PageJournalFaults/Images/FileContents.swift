// SPDX-License-Identifier: Apache-2.0

/// The contents that one file may have after a power cut, each once.
///
/// A content is kept as a size and, for each piece of the file that a pending change touches, the number of one
/// of the blocks that this piece may show. So telling two contents apart is exact without building either, and
/// the bytes of a large file are built only for the image that needs them.
final class FileContents {
  /// The way to build one content.
  struct Recipe: Hashable {
    var size: Int
    /// One entry for each pending piece that begins below `size`.
    var codes: [UInt32]
  }

  let unit: Int
  let durable: [UInt8]
  /// The numbers of the pending pieces, sorted.
  let pieces: [Int]
  /// How many changes were pending.
  let changeCount: Int
  /// Whether some of what the profile allows was left out.
  private(set) var isSampled = false
  /// For each pending piece, the distinct blocks of `unit` bytes it may show; the first is the durable one.
  private var blocks: [[[UInt8]]]
  private var recipes: [Recipe] = []
  private var known: Set<Recipe> = []
  private var sizes: Set<Int> = []
  private var digests: [ImageDigest?] = []

  /// How many contents there are. The first is the durable one; the second has all changes, if that differs.
  var count: Int { recipes.count }

  /// The contents that `changes`, made to `durable`, may leave.
  init(durable: [UInt8], changes: [PendingChange], stale: [UInt8], profile: CrashProfile) {
    unit = profile.unit
    self.durable = durable
    changeCount = changes.count
    let histories = ChangeHistories(durableSize: durable.count, changes: changes, profile: profile)
    pieces = histories.touchedPieces(unit: profile.unit)
    blocks = []
    blocks.reserveCapacity(pieces.count)
    for piece in pieces { blocks.append([Self.block(piece, of: durable, unit: profile.unit)]) }
    var complete: Recipe?
    for history in histories.all {
      var walk = ContentWalk(
        durable: durable, pieces: pieces, stale: stale, profile: profile, contents: self)
      walk.run(history)
      complete = complete ?? canonical(size: walk.size, codes: walk.codes)
      if walk.isSampled { isSampled = true }
    }
    if let complete, let place = recipes.firstIndex(of: complete), place > 1 { recipes.swapAt(1, place) }
  }

  // MARK: Adding

  /// The number of a block among those the piece may show.
  func intern(_ block: [UInt8], at index: Int) -> UInt32 {
    if let code = blocks[index].firstIndex(of: block) { return UInt32(code) }
    blocks[index].append(block)
    return UInt32(blocks[index].count - 1)
  }

  func block(_ code: UInt32, at index: Int) -> [UInt8] { blocks[index][Int(code)] }

  func add(size: Int, codes: [UInt32]) {
    let recipe = canonical(size: size, codes: codes)
    if known.insert(recipe).inserted {
      recipes.append(recipe)
      sizes.insert(size)
    }
  }

  /// Drops what the size hides; two blocks that are equal in what it shows become the first of them.
  private func canonical(size: Int, codes: [UInt32]) -> Recipe {
    let visible = visiblePieces(size)
    var shown = Array(codes[0..<visible])
    if visible > 0 {
      let length = size - pieces[visible - 1] * unit
      if length < unit {
        let choices = blocks[visible - 1]
        let wanted = choices[Int(shown[visible - 1])][0..<length]
        if let first = choices.firstIndex(where: { $0[0..<length] == wanted }) {
          shown[visible - 1] = UInt32(first)
        }
      }
    }
    return Recipe(size: size, codes: shown)
  }

  private func visiblePieces(_ size: Int) -> Int {
    var low = 0
    var high = pieces.count
    while low < high {
      let middle = (low + high) / 2
      if pieces[middle] * unit < size { low = middle + 1 } else { high = middle }
    }
    return low
  }

  // MARK: Reading

  /// Builds a content. O(its size); the durable one is shared.
  func bytes(_ index: Int) -> [UInt8] {
    let recipe = recipes[index]
    if recipe.size == durable.count, recipe.codes.allSatisfy({ $0 == 0 }) { return durable }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(recipe.size)
    for (place, code) in recipe.codes.enumerated() {
      let start = pieces[place] * unit
      copyDurable(to: &bytes, upTo: start)
      let block = blocks[place][Int(code)]
      let length = min(unit, recipe.size - start)
      if length == unit {
        bytes.append(contentsOf: block)
      } else {
        bytes.append(contentsOf: block[0..<length])
      }
    }
    copyDurable(to: &bytes, upTo: recipe.size)
    return bytes
  }

  private func copyDurable(to bytes: inout [UInt8], upTo end: Int) {
    let known = min(end, durable.count)
    if bytes.count < known { bytes.append(contentsOf: durable[bytes.count..<known]) }
    if bytes.count < end { bytes.append(contentsOf: repeatElement(0, count: end - bytes.count)) }
  }

  /// The fingerprint of a content. O(its size) when it is asked for the first time.
  func digest(_ index: Int) -> ImageDigest {
    if digests.count < recipes.count { digests = [ImageDigest?](repeating: nil, count: recipes.count) }
    if let known = digests[index] { return known }
    let digest = ImageDigest(of: bytes(index))
    digests[index] = digest
    return digest
  }

  /// Whether one of the contents is these bytes. O(size of the bytes).
  func contains(_ bytes: [UInt8]) -> Bool {
    guard sizes.contains(bytes.count) else { return false }
    let visible = visiblePieces(bytes.count)
    var codes: [UInt32] = []
    codes.reserveCapacity(visible)
    var done = 0
    for place in 0..<visible {
      let start = pieces[place] * unit
      guard showsDurable(bytes, done..<start) else { return false }
      done = min(start + unit, bytes.count)
      let shown = bytes[start..<done]
      guard let code = blocks[place].firstIndex(where: { $0[0..<shown.count] == shown }) else { return false }
      codes.append(UInt32(code))
    }
    guard showsDurable(bytes, done..<bytes.count) else { return false }
    return known.contains(Recipe(size: bytes.count, codes: codes))
  }

  private func showsDurable(_ bytes: [UInt8], _ range: Range<Int>) -> Bool {
    range.isEmpty || range.upperBound <= durable.count && bytes[range] == durable[range]
  }

  /// The bytes of a piece, with zeros behind the end of the file.
  static func block(_ piece: Int, of bytes: [UInt8], unit: Int) -> [UInt8] {
    let start = piece * unit
    let end = min(start + unit, bytes.count)
    guard start < end else { return [UInt8](repeating: 0, count: unit) }
    var block = Array(bytes[start..<end])
    if block.count < unit { block.append(contentsOf: repeatElement(0, count: unit - block.count)) }
    return block
  }
}
