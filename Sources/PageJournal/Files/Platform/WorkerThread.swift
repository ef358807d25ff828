// SPDX-License-Identifier: Apache-2.0

// On the list of files that may use unsafe code: POSIX threads take C pointers.

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The default executor: one thread, started at the first piece of work, that runs pieces in the order of
/// their times. It ends when the last reference to the executor is gone.
public final class ThreadExecutor: CompactionExecutor {
  private let queue = WorkQueue()

  /// Makes an executor without a thread yet.
  public init() {}

  /// See `CompactionExecutor`.
  public func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
    queue.add(after: delay, work)
  }

  deinit { queue.stop() }
}

/// What the thread and the executor share. The mutex guards every stored property: that is the invariant
/// behind `@unchecked Sendable`.
@safe private final class WorkQueue: @unchecked Sendable {
  private struct Item {
    var due: UInt64
    var order: UInt64
    var work: @Sendable () -> Void
  }

  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var items: [Item] = []
  private var order: UInt64 = 0
  private var running = false
  private var stopped = false

  init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe condition = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    unsafe condition.initialize(to: pthread_cond_t())
    unsafe _ = pthread_mutex_init(mutex, nil)
    unsafe _ = pthread_cond_init(condition, nil)
  }

  deinit {
    unsafe _ = pthread_cond_destroy(condition)
    unsafe _ = pthread_mutex_destroy(mutex)
    unsafe condition.deallocate()
    unsafe mutex.deallocate()
  }

  func add(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
    let (seconds, attoseconds) = delay.components
    let wait =
      UInt64(clamping: max(0, seconds)) &* 1_000_000_000 &+ UInt64(clamping: attoseconds / 1_000_000_000)
    unsafe _ = pthread_mutex_lock(mutex)
    order += 1
    items.append(Item(due: monotonicNanoseconds() &+ wait, order: order, work: work))
    if !running { running = start() }
    unsafe _ = pthread_cond_signal(condition)
    unsafe _ = pthread_mutex_unlock(mutex)
  }

  func stop() {
    unsafe _ = pthread_mutex_lock(mutex)
    stopped = true
    items = []
    unsafe _ = pthread_cond_signal(condition)
    unsafe _ = pthread_mutex_unlock(mutex)
  }

  private func start() -> Bool {
    let context = unsafe Unmanaged.passRetained(self)
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let result = unsafe pthread_create(
      &thread, nil,
      { argument in
        #if canImport(Darwin)
          unsafe Unmanaged<WorkQueue>.fromOpaque(argument).takeRetainedValue().run()
        #else
          if let argument = unsafe argument {
            unsafe Unmanaged<WorkQueue>.fromOpaque(argument).takeRetainedValue().run()
          }
        #endif
        return nil
      }, context.toOpaque())
    guard result == 0 else {
      unsafe context.release()
      return false
    }
    #if canImport(Darwin)
      if let thread = unsafe thread { unsafe _ = pthread_detach(thread) }
    #else
      _ = pthread_detach(thread)
    #endif
    return true
  }

  private func run() {
    while let work = next() { work() }
  }

  /// Waits for a piece of work that is due; nil when the executor is gone.
  private func next() -> (@Sendable () -> Void)? {
    unsafe _ = pthread_mutex_lock(mutex)
    defer { unsafe _ = pthread_mutex_unlock(mutex) }
    while !stopped {
      let now = monotonicNanoseconds()
      let first = items.indices.min { (items[$0].due, items[$0].order) < (items[$1].due, items[$1].order) }
      guard let first else {
        unsafe _ = pthread_cond_wait(condition, mutex)
        continue
      }
      if items[first].due <= now { return items.remove(at: first).work }
      var limit = timespec()
      unsafe _ = clock_gettime(CLOCK_REALTIME, &limit)
      let nanoseconds = UInt64(limit.tv_nsec) + (items[first].due - now)
      limit.tv_sec += time_t(nanoseconds / 1_000_000_000)
      limit.tv_nsec = Int(nanoseconds % 1_000_000_000)
      unsafe _ = pthread_cond_timedwait(condition, mutex, &limit)
    }
    return nil
  }
}

/// Nanoseconds of a clock that never goes back.
func monotonicNanoseconds() -> UInt64 {
  var now = timespec()
  unsafe _ = clock_gettime(CLOCK_MONOTONIC, &now)
  return UInt64(clamping: now.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: now.tv_nsec)
}
