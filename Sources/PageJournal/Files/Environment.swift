// SPDX-License-Identifier: Apache-2.0

/// Where compactions run. The engine never waits for a piece of work to begin or end, except `close`, which
/// does what is left itself.
public protocol CompactionExecutor: Sendable {
  /// Runs `work` once, after at least `delay`, on any thread but not inside this call. An executor of a
  /// simulation may keep the work until it is told to go on, or drop it.
  func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void)
}

/// Everything the engine takes from outside, so that a simulation can give the same run for the same seed.
public struct Environment: Sendable {
  /// Where the files are.
  public var fileSystem: any FileSystem
  /// 64 random bits a call; used for seeds, nonces and page ids.
  public var random: @Sendable () -> UInt64
  /// Nanoseconds of a clock that never goes back; used for nothing but back-off.
  public var clock: @Sendable () -> UInt64
  /// Where compactions run.
  public var executor: any CompactionExecutor

  /// The operating system, its randomness and clock, and one thread; each can be replaced.
  public init(
    fileSystem: any FileSystem = PosixFileSystem(),
    random: @escaping @Sendable () -> UInt64 = {
      var generator = SystemRandomNumberGenerator()
      return generator.next()
    },
    clock: (@Sendable () -> UInt64)? = nil,
    executor: any CompactionExecutor = ThreadExecutor()
  ) {
    self.fileSystem = fileSystem
    #if Mutants
      self.random = {
        guard Mutant.isOn(.nonceIsNotInjected) else { return random() }
        var generator = SystemRandomNumberGenerator()
        return generator.next()
      }
    #else
      self.random = random
    #endif
    self.clock = clock ?? { monotonicNanoseconds() }
    self.executor = executor
  }

  /// A new random page id.
  public func newPageID() -> PageID { PageID(random: random(), random()) }
}
