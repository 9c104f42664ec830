import SkyrosPlatform
import Synchronization

/// Hears signals that end a process, does something first, and then lets happen what would have
/// happened without it: the app's own handler, or the default action.
///
/// A signal handler may do next to nothing (`man 7 signal-safety`), so ours writes the signal's
/// number to a pipe. A thread reads it, calls the watches, and raises the signal again with the
/// action that was set before. The handlers belong to the process: all watches share them.
///
/// A second signal of a kind whose action is the default one is not held up by the first. One that
/// comes while the app's own handler is called is left to that handler.
package final class SignalWatch: Sendable {
    /// Asks the process to end.
    package static let termination = SIGTERM
    /// The terminal's Control-C.
    package static let interruption = SIGINT

    private struct Watch: Sendable {
        let signals: Set<Int32>
        let body: @Sendable (Int32) -> Void
    }

    private struct Registry {
        var watches: [UInt64: Watch] = [:]
        var nextNumber: UInt64 = 0
        /// The actions that ours replaced.
        var previous: [Int32: sigaction] = [:]
        var queue: SerialQueue?
    }

    private static let registry = Locked(Registry())
    /// The writing end of the pipe; -1 before the first watch.
    private static let pipeEnd = Atomic<Int32>(-1)
    /// The process that reads the pipe.
    private static let owner = Atomic<Int32>(0)
    /// The signals whose replaced action is the default one, as bits.
    private static let defaults = Atomic<UInt64>(0)
    /// The signals that are being handled, as bits.
    private static let inProgress = Atomic<UInt64>(0)

    private let number: UInt64

    /// Calls `body` at each of the signals, on one thread, until `cancel` or the end of this
    /// object.
    package init(
        _ signals: Set<Int32>, _ body: @escaping @Sendable (Int32) -> Void
    ) throws(ThreadShortage) {
        number = try Self.registry.withLock { registry throws(ThreadShortage) in
            if registry.queue == nil { try Self.start(&registry) }
            registry.nextNumber += 1
            registry.watches[registry.nextNumber] = Watch(signals: signals, body: body)
            for signal in signals where registry.previous[signal] == nil {
                registry.previous[signal] = Self.install(signal)
            }
            return registry.nextNumber
        }
    }

    deinit {
        cancel()
    }

    /// Calls the body no more; one call may be in progress. The last watch of a signal gives it
    /// back its earlier action, unless the app has set another since.
    package func cancel() {
        Self.registry.withLock { registry in
            guard let watch = registry.watches.removeValue(forKey: number) else { return }
            for signal in watch.signals
            where !registry.watches.values.contains(where: { $0.signals.contains(signal) }) {
                guard let previous = registry.previous.removeValue(forKey: signal) else { continue }
                Self.restore(signal, previous)
            }
        }
    }

    // MARK: The handler

    private static let handler: @convention(c) (Int32) -> Void = { number in
        let saved = errno
        defer { errno = saved }
        let bit: UInt64 = 1 << UInt64(number & 63)
        let isForked = getpid() != SignalWatch.owner.load(ordering: .relaxed)
        let isSecond =
            SignalWatch.inProgress.load(ordering: .relaxed)
            & SignalWatch.defaults.load(ordering: .relaxed) & bit != 0
        if isForked || isSecond {
            // It ends the process once this handler has returned.
            signal(number, SIG_DFL)
            raise(number)
            return
        }
        SignalWatch.inProgress.bitwiseOr(bit, ordering: .relaxed)
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(SignalWatch.pipeEnd.load(ordering: .relaxed), &byte, 1)
    }

    private static func install(_ number: Int32) -> sigaction {
        var action = sigaction()
        action.handler = handler
        action.sa_flags = SA_RESTART
        sigemptyset(&action.sa_mask)
        var previous = sigaction()
        sigaction(number, &action, &previous)
        let bit: UInt64 = 1 << UInt64(number & 63)
        if address(of: previous) == 0 {
            defaults.bitwiseOr(bit, ordering: .relaxed)
        } else {
            defaults.bitwiseAnd(~bit, ordering: .relaxed)
        }
        return previous
    }

    private static func restore(_ number: Int32, _ previous: sigaction) {
        var current = sigaction()
        sigaction(number, nil, &current)
        // A function pointer is an address: comparing it is safe.
        guard address(of: current) == unsafeBitCast(handler, to: Int.self) else { return }
        var previous = previous
        sigaction(number, &previous, nil)
    }

    /// The address of the handler that ignores a signal. The cast is safe, as in `address`.
    private static let ignored = unsafeBitCast(SIG_IGN, to: Int.self)

    /// The address of an action's handler; 0 (`SIG_DFL`) for the default action. The cast is safe:
    /// a function pointer, which may be nil, has the size of an integer.
    private static func address(of action: sigaction) -> Int {
        unsafeBitCast(action.handler, to: Int.self)
    }

    // MARK: The thread

    private static func start(_ registry: inout Registry) throws(ThreadShortage) {
        let queue = SerialQueue()
        // Before the pipe, which nothing would close if there were no thread.
        try queue.start()
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw ThreadShortage(code: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // A full pipe holds thousands of signals already: the handler must not wait.
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        owner.store(getpid(), ordering: .relaxed)
        pipeEnd.store(ends[1], ordering: .relaxed)
        let reading = ends[0]
        try queue.enqueue { read(from: reading) }
        registry.queue = queue
    }

    private static func read(from descriptor: Int32) {
        var number: UInt8 = 0
        while true {
            let count = SkyrosPlatform.read(descriptor, &number, 1)
            if count == 1 {
                handle(Int32(number))
            } else if count == 0 || errno != EINTR {
                return
            }
        }
    }

    private static func handle(_ number: Int32) {
        let (bodies, isIgnored) = registry.withLock { registry in
            let bodies = registry.watches.sorted { $0.key < $1.key }.map(\.value)
                .filter { $0.signals.contains(number) }.map(\.body)
            // Judged now: a body may end the last watch, and the app set another action then.
            let isIgnored = registry.previous[number].map { address(of: $0) == ignored } ?? false
            return (bodies, isIgnored)
        }
        for body in bodies { body(number) }
        if !isIgnored {
            // Whatever happens without us: the app's own handler, or the end of the process.
            registry.withLock { registry in
                if let previous = registry.previous[number] { restore(number, previous) }
            }
            raiseHere(number)
        }
        inProgress.bitwiseAnd(~(1 << UInt64(number & 63)), ordering: .relaxed)
        if isIgnored { return }
        registry.withLock { registry in
            guard registry.previous[number] != nil else { return }
            registry.previous[number] = install(number)
        }
    }

    /// Raises the signal on this thread, where its action runs before this returns.
    private static func raiseHere(_ number: Int32) {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, number)
        var before = sigset_t()
        pthread_sigmask(SIG_UNBLOCK, &signals, &before)
        raise(number)
        pthread_sigmask(SIG_SETMASK, &before, nil)
    }
}
