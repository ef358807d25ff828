// SPDX-License-Identifier: Apache-2.0

import Foundation
import PageJournal

/// A directory of its own for a test, gone with the value.
final class TemporaryDirectory {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "pagejournal-" + UUID().uuidString.lowercased()
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)))
  }

  func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path + "/" + name))
  }
}

extension PageView {
  /// Ids, kinds and payloads in page order: what two states have to agree on.
  var content: [String] {
    var all: [String] = []
    forEach { element, payload in
      all.append(
        "\(element.id):\(element.kind):" + [UInt8](copying: payload).map { String($0) }.joined(separator: ",")
      )
    }
    return all
  }
}
