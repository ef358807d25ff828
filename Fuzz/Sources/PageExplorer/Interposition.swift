// SPDX-License-Identifier: Apache-2.0

import PageJournal

/// A file system put between what is explored and the simulated one: how the explorers are shown bugs on purpose.
package enum Interposition {
  package typealias Wrapper = @Sendable (any FileSystem) -> any FileSystem

  /// Of this task, for everything that it calls; nil for nothing in between.
  @TaskLocal package static var wrapper: Wrapper?

  package static func wrapped(_ fileSystem: any FileSystem) -> any FileSystem {
    wrapper?(fileSystem) ?? fileSystem
  }

  /// Everything in `body` meets this bug.
  package static func with<Result>(_ bug: FileSystemBug, _ body: () throws -> Result) rethrows -> Result {
    try $wrapper.withValue({ BuggyFileSystem($0, bug) }, operation: body)
  }
}
