// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The commands of crash-fuzz. Exit codes: 0 nothing found, 1 a violation, 64 a command line that makes no sense.
enum Tool {
  static let help = """
    crash-fuzz: crashes, faults and damage on PageJournal's files, enumerated

    usage: crash-fuzz gate    [--profile P] [--threads N] [--nested N] [--only PART] [--start START] [--json FILE]
           crash-fuzz nightly [--minutes N] [--seed S] [--profile P] [--threads N] [--json FILE]
           crash-fuzz endless [--seed S] [--profile P] [--threads N]
           crash-fuzz replay TOKEN [--profile P]
           crash-fuzz replay --workload W --plan PLAN
           crash-fuzz mutants [--only NAME] [--list] [--json FILE]
           crash-fuzz real --filesystem ext4|xfs [--cycles N] [--seed S] [--first C] [--json FILE]
           crash-fuzz kill [--cycles N] [--seed S] [--first C] [--lnote PATH] [--json FILE]
           crash-fuzz speed

      gate     every sequence of up to three steps from every start, every crash image of every moment in it, crashes
               in the recoveries: all for up to two steps; for three --nested (60) images of a moment, from some starts in
               the recovery of one image in eight or in 32; every fault at every call, once and sticky; every bit flip and truncation of the golden files; documents; kills; what has
               a check of its own. Parts: crashes, faults, damage, checks
      nightly  longer sequences, drawn by chance from a seed, for so many minutes (60); endless goes on until stopped
      replay   one sequence again: the token that a failure printed; or one workload under one plan of faults
      mutants  bugs on purpose, one at a time (--only this one), each to be found by the invariant that is named for it;
               a run without any has to find nothing; --list says which there are
      real     a real ext4 or xfs on a loop device, cut off by its own shutdown at random moments (2000 times): what it
               left has to be in the model's set, and the pages recover. Takes root; where there is none, or no loop
               device, or no mkfs (--mkfs names another), it says so and skips
      kill     SIGKILL at random instants of `lnote apply` (2000 times): pages, page list and assets are as after the
               first so many operations, as many as were acknowledged or more. Builds lnote where --lnote names none;
               the documents are in memory where --folder names no other place
               Both: --first C begins with that cycle, --keep FOLDER takes what a violation leaves, --canary unsynced
               or --canary buffered does one thing wrong and has to find something
      speed    states a second and core: opening, replay and comparison of a page with a journal of 7 KB

    Faults: errors, short writes, syncs that fail in the four ways seen on real file systems, and reads of wrong bytes
    (inverted bits; zeroed, stale and misdirected sectors). A sync that lies, and wrong bytes that nothing vouches for, may
    cost what was acknowledged; then no state may be shown that never was, and damage above which a mark stands is reported.
    EINTR is none of them: the platform layer begins such a call again, and what an app sees of it is a short write.
    Wrong bytes at writes are tried for merges alone (part checks).

    Profiles: worst (default), nopsow, ext4, xfs. Plans: such as 'write suffix ".journal" call 3 once: error noSpace'.
    Exit codes: 0 nothing found, 1 a violation, 64 a command line that makes no sense.

    """

  static func run(_ arguments: [String]) -> Int32 {
    do throws(UsageError) {
      guard let name = arguments.first else {
        throw UsageError("which command? crash-fuzz --help lists them")
      }
      let rest = Array(arguments.dropFirst())
      switch name {
      case "gate": return try GateCommand.run(rest)
      case "nightly": return try NightlyCommand.run(rest, isEndless: false)
      case "endless": return try NightlyCommand.run(rest, isEndless: true)
      case "replay": return try ReplayCommand.run(rest)
      case "real": return try RealCommand.run(rest)
      case "kill": return try KillCommand.run(rest)
      case "mutants": return try MutantsCommand.run(rest)
      case "speed": return try SpeedCommand.run(rest)
      case "help", "--help", "-h":
        print(help, terminator: "")
        return 0
      default: throw UsageError("there is no command \"\(name)\"; crash-fuzz --help lists them")
      }
    } catch {
      say("crash-fuzz: \(error.sentence)")
      return 64
    }
  }

  /// Where much is written and soon removed: in memory where that is possible.
  static var fastFolder: String { access("/dev/shm", W_OK) == 0 ? "/dev/shm" : NSTemporaryDirectory() }

  /// Prints a line at once, also into a pipe.
  static func tell(_ line: String) {
    print(line)
    fflush(nil)
  }

  /// To people, not to programs.
  static func say(_ text: String, terminator: String = "\n") {
    FileHandle.standardError.write(Data((text + terminator).utf8))
  }
}

/// A command line that makes no sense, in one sentence.
struct UsageError: Error {
  var sentence: String

  init(_ sentence: String) { self.sentence = sentence }
}
