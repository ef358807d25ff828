// SPDX-License-Identifier: Apache-2.0
import Foundation
import PageExplorer

let words = CommandLine.arguments
if words.count > 1, words[1] == "mutants" { exit(MutantsCommand.run(Array(words.dropFirst(2)))) }
let known = KnownStates()
let length = Int(words[1])!
let depths = words[2].split(separator: ",").map { Int($0)! }
for start in CrashStart.all where words.count < 4 || words[3] == start.name {
  let begin = clock()
  let before = known.count
  let walk = CrashWalk(start, CrashScope(length: length, depths: depths, limits: [[nil]]), known)
  let report = walk.run(threads: 1)
  let seconds = Double(clock() - begin) / 1e6
  print(
    start.name, report.sequences, report.counts.moments, report.counts.sampled, report.counts.images,
    "nested", report.counts.nestedMoments, report.counts.nestedSampled, report.counts.nestedImages,
    "distinct", known.count - before, "recovered", known.recoveredCount, "per s",
    Double(known.count - before) / seconds, "s", seconds)
  for finding in report.findings.prefix(3) { print(finding) }
}
