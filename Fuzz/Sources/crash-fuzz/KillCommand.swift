// SPDX-License-Identifier: Apache-2.0

enum KillCommand {
  static func run(_ arguments: [String]) throws(UsageError) -> Int32 { 0 }
}
