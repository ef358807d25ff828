// SPDX-License-Identifier: Apache-2.0

import PageJournal

let folder = CommandLine.arguments.dropFirst().first ?? "notes"
do throws(StorageError) {
  try PosixFileSystem().createDirectory(folder)
  let store = try PageStore.open(folder)  // takes the folder's lock
  let page = try store.create(Environment().newPageID())  // durable when it returns

  let stroke: [UInt8] = [1, 2, 3]  // whatever bytes the app likes
  let (id, ticket) = try page.append(kind: 128, payload: stroke.span)  // buffered: in this process
  try page.write()  // written: survives the process
  _ = try page.sync(ticket)  // durable: survives a power cut
  _ = try page.commit([.remove(id: id), .append(kind: 128, payload: [4])])  // all of it or none
  try store.close()  // syncs, merges, and leaves one plain file

  let again = try PageStore.open(folder)
  let opened = try again.open(page.id)
  print("verdict:", opened.report.verdict)  // clean
  opened.view?.forEach { element, payload in print("element \(element.id):", payload.count, "bytes") }
  try again.close()
} catch {
  print(error)  // one sentence: what, where, why, what to do
}
