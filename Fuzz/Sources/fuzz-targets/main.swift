// SPDX-License-Identifier: Apache-2.0

import CFuzzer
import Foundation
import FuzzEntries

// What libFuzzer calls has no context, so the target stands in a global.
nonisolated(unsafe) var chosen: FuzzTarget?

/// Ends the process so that libFuzzer keeps the input.
func fuzzFailure(_ message: String) -> Never {
  FileHandle.standardError.write(Data("\nbroken property: \(message)\n".utf8))
  abort()
}

func usage(_ sentence: String) -> Never {
  FileHandle.standardError.write(Data("fuzz-targets: \(sentence)\n".utf8))
  exit(64)
}

/// Runs the target once with each file, those in folders too; says which break a property.
func replay(_ target: FuzzTarget, _ paths: [String]) -> Never {
  var failures = 0
  var count = 0
  for path in paths {
    guard let files = inputFiles(path) else { usage("“\(path)” cannot be read") }
    for file in files {
      guard let data = FileManager.default.contents(atPath: file) else { usage("“\(file)” cannot be read") }
      count += 1
      do {
        try target.check([UInt8](data))
      } catch {
        failures += 1
        print("\(file): \(error)")
      }
    }
  }
  print("\(target.name): \(count) files, \(failures) break a property")
  exit(failures > 0 ? 1 : 0)
}

/// The file, or the files in the folder; nil when there is neither.
func inputFiles(_ path: String) -> [String]? {
  var isFolder: ObjCBool = false
  guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return nil }
  guard isFolder.boolValue else { return [path] }
  return (try? FileManager.default.contentsOfDirectory(atPath: path))?.sorted().map { "\(path)/\($0)" }
}

let arguments = CommandLine.arguments.dropFirst()
guard let name = arguments.first else {
  for target in FuzzTarget.all {
    print(target.name.padding(toLength: 12, withPad: " ", startingAt: 0) + target.summary)
  }
  exit(0)
}
guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
  usage("there is no target “\(name)”; without arguments all are listed")
}
let rest = Array(arguments.dropFirst())
guard cfuzzer_has_driver() != 0 else {
  if let option = rest.first(where: { $0.hasPrefix("-") }) {
    usage("“\(option)” is an option of libFuzzer, which this build has not (see Scripts/fuzz)")
  }
  guard !rest.isEmpty else { usage("without libFuzzer (see Scripts/fuzz) files to replay have to be named") }
  replay(target, rest)
}

chosen = target
var pointers: [UnsafeMutablePointer<CChar>?] = ([CommandLine.arguments[0]] + rest).map { strdup($0) } + [nil]
let code = pointers.withUnsafeMutableBufferPointer { buffer in
  cfuzzer_run(Int32(rest.count + 1), buffer.baseAddress) { start, count in
    do {
      try chosen?.check(Array(UnsafeBufferPointer(start: start, count: count)))
    } catch {
      fuzzFailure("\(error)")
    }
    return 0
  }
}
exit(code)
