// SPDX-License-Identifier: Apache-2.0

import LNote
import PageExplorer
import PageJournal
import PageJournalFaults

/// A page file that the record does not list is reported, and never removed by guess.
package enum UnlistedCheck {
  package static func run() throws -> Int {
    let bench = Bench(SimulatedFileSystem(recordsEvents: false), seed: 5)
    try bench.closedDocument(pages: 1, elements: 1)
    let record = try bench.bytes("document.json")
    var document = try bench.open()
    let page = try document.addPage(width: 1, height: 1)
    try page.add(7)
    try document.close()
    let file = "pages/\(page.id).content"
    let content = try bench.bytes(file)
    // A copy of the document that is older than its pages.
    try bench.put(record, "document.json")
    for _ in 0..<2 {
      document = try bench.open()
      let unlisted = document.unlisted
      _ = try document.addPage(width: 1, height: 1)
      try document.close()
      guard try bench.names("pages").contains("\(page.id).content"), try bench.bytes(file) == content else {
        throw Violation(6, "a page that nobody lists was removed or changed")
      }
      guard unlisted == [page.id] else { throw Violation(6, "unlisted pages \(unlisted), not \(page.id)") }
    }
    return 2
  }
}
