// SPDX-License-Identifier: Apache-2.0

/// Whether what a synchronisation pretended to have done may still be missing.
///
/// It is over when nothing at all is pending; or when a synchronisation has failed since, which is how it comes out, and
/// the page was made durable after that.
struct LyingSyncs: Sendable {
  enum Moment: Sendable {
    /// A synchronisation begins.
    case before
    /// One has failed.
    case failed
    /// The page was made durable, with all that it shows.
    case answered
    /// A step is over.
    case after
  }

  /// Whether it goes on: then each failure comes with the next lie.
  let isSticky: Bool
  private(set) var isDeceived = false
  private var isOut = false
  private var fired = 0

  mutating func note(_ moment: Moment, fired: Int, isSettled: Bool) {
    if fired > self.fired {
      self.fired = fired
      (isDeceived, isOut) = (true, false)
    }
    if isSettled { isDeceived = false }
    switch moment {
    case .failed: isOut = true
    case .answered where isOut && !isSticky: isDeceived = false
    case .before, .answered, .after: break
    }
  }

  init(isSticky: Bool) { self.isSticky = isSticky }

  /// The faults are counted anew.
  mutating func heal() { fired = 0 }
}
