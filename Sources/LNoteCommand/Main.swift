// SPDX-License-Identifier: Apache-2.0

@main
struct LNoteCommand {
  static func main() {}
}
