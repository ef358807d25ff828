// SPDX-License-Identifier: Apache-2.0
// Crash-test your own code: every power cut and every kill in it, and every crash in the recovery after those.

import PageJournal
import PageJournalFaults

// snippet.show
let id = PageID(random: 1, 2)
let report = try CrashTest().run(in: 0) { disk, ledger in
  // What your app does, on a disk that can lose everything it is allowed to lose.
  try disk.createDirectory("/pages")
  try disk.synchronizeDirectory("/")
  let store = try PageStore.open("/pages", environment: Environment(fileSystem: disk))
  let page = try store.create(id)
  for stroke in 1...3 {
    ledger.begin(stroke)  // a crash may leave this many strokes from here on,
    _ = try page.commit([.append(kind: 1, payload: [UInt8](repeating: 7, count: 600))])
    try page.sync()
    ledger.acknowledge()  // and no fewer from here on
  }
  try store.close()
} read: { disk in
  // What your app does at its next start: how many strokes does it show? An error that is thrown is a failure.
  guard try disk.names(in: "/").contains("pages") else { return 0 }
  let store = try PageStore.open("/pages", environment: Environment(fileSystem: disk))
  let shown = try store.pages().contains(id) ? store.open(id).view?.count ?? -1 : 0
  try store.close()
  return shown
}
print(report)
// snippet.hide
