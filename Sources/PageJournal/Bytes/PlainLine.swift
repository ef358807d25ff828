// SPDX-License-Identifier: Apache-2.0

extension String {
  /// The same without control characters, which would do things to a terminal: messages quote what stood in a file.
  package var plainLine: String {
    func isControl(_ scalar: Unicode.Scalar) -> Bool {
      scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    }
    guard unicodeScalars.contains(where: isControl) else { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      text += isControl(scalar) ? scalar.escaped(asASCII: true) : String(scalar)
    }
  }
}
