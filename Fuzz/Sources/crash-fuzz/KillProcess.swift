// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A process that is spoken to line by line, without a thread of its own.
final class KillProcess {
  /// What it could not be begun or heard for.
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  private let number: pid_t
  private var requests: Int32
  private let responses: Int32
  private var unsent: [UInt8] = []
  private var received: [UInt8] = []
  private(set) var isSilent = false
  /// What `waitpid` gave, once it has ended.
  private(set) var status: Int32?

  private static let environment = ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" }

  /// - Parameter errors: a file that takes what it says beside its answers.
  init(_ program: String, _ arguments: [String], errors: String = "/dev/null") throws {
    // Whoever does not read any more is found out by the next call.
    signal(SIGPIPE, SIG_IGN)
    let (toRead, toWrite) = (try Self.pipe(), try Self.pipe())
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, toRead.read, 0)
    posix_spawn_file_actions_adddup2(&actions, toWrite.write, 1)
    posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    var process: pid_t = 0
    let failure = Self.withStrings([program] + arguments) { words in
      Self.withStrings(Self.environment) { posix_spawn(&process, program, &actions, nil, words, $0) }
    }
    close(toRead.read)
    close(toWrite.write)
    number = process
    requests = toRead.write
    responses = toWrite.read
    guard failure == 0 else {
      throw Failure(description: "\(program) does not run: \(String(cString: strerror(failure)))")
    }
    for descriptor in [requests, responses] { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
  }

  deinit {
    if status == nil {
      kill()
      wait()
    }
    endRequests()
    close(responses)
  }

  private static func pipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    guard Foundation.pipe(&ends) == 0 else { throw Failure(description: "there is no pipe to be had") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  private static func withStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let copies = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies + [nil])
  }

  /// Hands a line over, now or while it is listened to.
  func send(_ line: String) {
    unsent += Array(line.utf8)
    unsent.append(UInt8(ascii: "\n"))
    push()
  }

  private func push() {
    while !unsent.isEmpty, requests >= 0 {
      let count = write(requests, unsent, unsent.count)
      guard count > 0 else { return }
      unsent.removeFirst(count)
    }
  }

  /// Nothing more is sent. What could not be handed over yet is lost.
  func endRequests() {
    push()
    if requests >= 0 { close(requests) }
    requests = -1
  }

  /// Lines that came, after waiting for some until a moment; none when the moment came, or the process is silent.
  func lines(until deadline: ContinuousClock.Instant) -> [String] {
    while !isSilent {
      var watched = [
        pollfd(fd: responses, events: Int16(POLLIN), revents: 0),
        pollfd(fd: unsent.isEmpty ? -1 : requests, events: Int16(POLLOUT), revents: 0),
      ]
      let left = Progress.seconds(deadline - .now)
      // Rounded up: poll would return at once otherwise, again and again.
      let count = poll(&watched, 2, left <= 0 ? 0 : Int32(min(left * 1000 + 1, 60_000)))
      if watched[1].revents != 0 { push() }
      if watched[0].revents != 0 {
        receive()
        let found = taken()
        if !found.isEmpty { return found }
      }
      if count <= 0, deadline <= .now { return [] }
    }
    return []
  }

  /// Everything that comes until its end.
  func rest(atMost seconds: Double) -> [String] {
    var found: [String] = []
    let deadline = ContinuousClock.now + .seconds(seconds)
    while !isSilent, ContinuousClock.now < deadline { found += lines(until: deadline) }
    return found
  }

  private func receive() {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(responses, &buffer, buffer.count)
      if count > 0 {
        received += buffer[..<count]
      } else {
        if count == 0 || errno != EAGAIN { isSilent = true }
        return
      }
    }
  }

  private func taken() -> [String] {
    guard let end = received.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
    let lines = received[..<end].split(separator: UInt8(ascii: "\n")).map {
      String(decoding: $0, as: UTF8.self)
    }
    received.removeFirst(end + 1)
    return lines
  }

  /// Ends it, at whatever it is doing.
  func kill() { _ = Foundation.kill(number, SIGKILL) }

  /// Waits for its end.
  /// - Returns: its exit code, or 128 and the number of the signal that ended it.
  @discardableResult
  func wait() -> Int32 {
    var raw: Int32 = 0
    if status == nil {
      while waitpid(number, &raw, 0) < 0, errno == EINTR {}
      status = raw
    }
    let found = status ?? 0
    return found & 0x7F == 0 ? found >> 8 & 0xFF : 128 + found & 0x7F
  }
}
