// SPDX-License-Identifier: Apache-2.0

/// From the state of a disk to an image, and back.
extension SimulatedDisk {
  /// A disk on which all of the image is certain.
  init(image: Image, recordsEvents: Bool) {
    self.init(device: 1, recordsEvents: recordsEvents)
    var inodes: [String: UInt64] = ["": Self.root]
    for (path, node) in zip(image.paths, image.nodes) {
      let cut = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
      guard let parent = inodes[String(path[..<cut])] else { continue }
      let name = String(path[cut...].dropFirst())
      let inode = newInode()
      switch node {
      case .directory:
        directories[inode] = DirectoryBody()
        inodes[path] = inode
      case .file(let bytes): files[inode] = FileBody(certain: bytes)
      }
      directories[parent]?.durable[name] = inode
    }
    for inode in inodes.values { directories[inode]?.settleAll() }
  }

  /// The paths that a set of directory contents leads to, from the root on, sorted.
  func walk(_ names: (UInt64) -> NameTable) -> [(path: String, inode: UInt64)] {
    var found: [(path: String, inode: UInt64)] = []
    var waiting = [(path: "", inode: Self.root)]
    while let place = waiting.popLast() {
      for (name, inode) in names(place.inode) {
        let path = place.path + "/" + name
        found.append((path, inode))
        if directories[inode] != nil { waiting.append((path, inode)) }
      }
    }
    found.sort { $0.path < $1.path }
    return found
  }

  func currentImage() -> Image {
    image({ directories[$0]?.current ?? NameTable() }, { files[$0]?.current ?? [] })
  }

  func durableImage() -> Image {
    image({ directories[$0]?.durable ?? NameTable() }, { files[$0]?.durable ?? [] })
  }

  private func image(_ names: (UInt64) -> NameTable, _ bytes: (UInt64) -> [UInt8]) -> Image {
    let found = walk(names)
    return Image(
      sortedPaths: found.map(\.path),
      nodes: found.map { directories[$0.inode] != nil ? .directory : .file(bytes($0.inode)) })
  }
}
