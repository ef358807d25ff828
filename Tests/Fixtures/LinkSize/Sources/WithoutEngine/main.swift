// SPDX-License-Identifier: Apache-2.0

/// Stands for the engine's error, so that this program differs in nothing but the engine.
struct Refusal: Error, CustomStringConvertible {
  var description: String { "cannot go on" }
}

func remember(_ stroke: [UInt8], in folder: String) throws(Refusal) -> Int {
  guard !folder.isEmpty else { throw Refusal() }
  return stroke.count
}

let folder = CommandLine.arguments.dropFirst().first ?? "notes"
do throws(Refusal) {
  let stroke: [UInt8] = [1, 2, 3]
  print("element 1:", try remember(stroke, in: folder), "bytes")
} catch {
  print(error)
}
