// SPDX-License-Identifier: Apache-2.0

/// Something that must never be. The number is that of the invariant in SPEC.md's list; 0 where it is the model of
/// power cuts that something does not fit.
package struct Violation: Error, Sendable, CustomStringConvertible {
  package var invariant: Int
  package var text: String

  package init(_ invariant: Int, _ text: String) {
    self.invariant = invariant
    self.text = text
  }

  package var description: String {
    (invariant == 0 ? "the model of power cuts: " : "invariant \(invariant): ") + text
  }

  /// The same, with more said.
  package func adding(_ more: @autoclosure () -> String) -> Violation {
    Violation(invariant, text + "\n" + more())
  }
}

/// What an unexpected error counts as: whatever fails here, a state that should be whole is not to be had.
package func violation(_ error: any Error, _ invariant: Int = 1) -> Violation {
  error as? Violation ?? Violation(invariant, "\(error)")
}
