// SPDX-License-Identifier: Apache-2.0

import PageJournal
import Synchronization

/// A file system put between what is explored and the simulated one: how the explorers are shown bugs on purpose. For
/// the whole process; without one, nothing is in between.
package enum Interposition {
  package typealias Wrapper = @Sendable (any FileSystem) -> any FileSystem

  private static let wrapper = Mutex<Wrapper?>(nil)

  package static func set(_ new: Wrapper?) { wrapper.withLock { $0 = new } }

  package static func wrapped(_ fileSystem: any FileSystem) -> any FileSystem {
    wrapper.withLock { $0 }?(fileSystem) ?? fileSystem
  }
}
