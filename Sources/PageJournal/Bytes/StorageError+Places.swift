// SPDX-License-Identifier: Apache-2.0

// The forms that the engine throws most. Each place that makes an error would otherwise set eight arguments; the compiler
// takes the form without defaults.
extension StorageError {
  @inline(never)
  init(_ code: Code, _ operation: String, cause: String) {
    self.init(
      code, operation, cause: cause, advice: "", file: nil, offset: nil, page: nil, systemError: nil)
  }

  @inline(never)
  init(_ code: Code, _ operation: String, cause: String, page: PageID?) {
    self.init(
      code, operation, cause: cause, advice: "", file: nil, offset: nil, page: page, systemError: nil)
  }

  @inline(never)
  init(_ code: Code, _ operation: String, cause: String, file: String?) {
    self.init(
      code, operation, cause: cause, advice: "", file: file, offset: nil, page: nil, systemError: nil)
  }

  @inline(never)
  init(_ code: Code, _ operation: String, cause: String, file: String?, page: PageID?) {
    self.init(
      code, operation, cause: cause, advice: "", file: file, offset: nil, page: page, systemError: nil)
  }

  @inline(never)
  init(_ code: Code, _ operation: String, cause: String, advice: String, file: String?) {
    self.init(
      code, operation, cause: cause, advice: advice, file: file, offset: nil, page: nil, systemError: nil)
  }

  @inline(never)
  init(_ code: Code, _ operation: String, cause: String, advice: String, file: String?, page: PageID?) {
    self.init(
      code, operation, cause: cause, advice: advice, file: file, offset: nil, page: page, systemError: nil)
  }
}
