// SPDX-License-Identifier: Apache-2.0

/// Why an element cannot be stored, or a payload cannot be read, and at which place.
///
/// A plain value: it may be kept, compared and passed between threads.
public struct InkError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kind of failure, for programs; `description` is the sentence for a person.
  public enum Code: String, Sendable, Equatable, CaseIterable {
    /// A number that is NaN or infinite.
    case nonFinite
    /// A finite number outside the range that the format holds.
    case unstorable
    /// Columns of different lengths.
    case shapeMismatch
    /// A stroke without samples.
    case empty
    /// More samples than `InkLimits.samples`.
    case tooLarge
    /// Bytes that no encoder writes.
    case malformed
    /// A payload that only a later version of the format explains; keep its bytes as they are.
    case newerEncoding
  }

  /// The kind of failure.
  public var code: Code
  /// The cause as a clause that follows the place: "is not a finite number".
  public var cause: String
  /// The index of the stroke among the caller's strokes; nil until the caller sets it.
  public var stroke: Int?
  /// The index of the sample in its stroke, from 0.
  public var sample: Int?
  /// The field concerned, as it is called in `Stroke` or `ImageElement`.
  public var column: String?

  /// Makes an error; all places are optional.
  public init(
    _ code: Code, _ cause: String, column: String? = nil, sample: Int? = nil, stroke: Int? = nil
  ) {
    self.code = code
    self.cause = cause
    self.stroke = stroke
    self.sample = sample
    self.column = column
  }

  /// The same error, with the stroke named.
  public func on(stroke: Int) -> InkError {
    var copy = self
    copy.stroke = copy.stroke ?? stroke
    return copy
  }

  /// One sentence: what, where and why.
  public var description: String {
    var place = ""
    if let column { place += column }
    if let sample { place += (place.isEmpty ? "" : " of ") + "sample \(sample)" }
    if let stroke { place += (place.isEmpty ? "" : " of ") + "stroke \(stroke)" }
    if place.isEmpty { place = "the element" }
    switch code {
    case .malformed, .newerEncoding: return "cannot read ink: \(place) \(cause)"
    default: return "cannot store ink: \(place) \(cause)"
    }
  }
}
