import Foundation
import SkyrosDisk
import SkyrosPlatform
import Synchronization
import TestSupport
import Testing

/// Counts what the app's own handler got: a signal handler can use no lock.
private let ownCount = Atomic<Int32>(0)

@Suite(.serialized) struct `A watch of a signal` {
    /// One that nothing else uses.
    private let number = SIGUSR2
    private let own: @convention(c) (Int32) -> Void = { _ in
        ownCount.add(1, ordering: .relaxed)
    }

    /// While a signal is handled, the app's own action is set: it gets what comes meanwhile.
    private func waitUntilOwnActionIsReplaced() {
        var current = sigaction()
        repeat {
            sched_yield()
            sigaction(number, nil, &current)
        } while address(of: current.handler) == address(of: own)
    }

    /// The cast is safe: a function pointer, which may be nil, has the size of an integer.
    private func address(of handler: (@convention(c) (Int32) -> Void)?) -> Int {
        unsafeBitCast(handler, to: Int.self)
    }

    @Test func `comes before the app's own handler, at each signal`() throws {
        signal(number, own)
        defer { signal(number, SIG_DFL) }
        ownCount.store(0, ordering: .relaxed)
        let seen = Monitor<[Int32]>([])
        let watches = try (0..<2).map { _ in
            try SignalWatch([number]) { _ in
                seen.change { $0.append(ownCount.load(ordering: .relaxed)) }
            }
        }
        for round in 1...3 {
            kill(getpid(), number)
            seen.wait { $0.count >= 2 * round ? () : nil }
            while ownCount.load(ordering: .relaxed) < round { sched_yield() }
            waitUntilOwnActionIsReplaced()
        }
        // Both watches, each before the handler of their round.
        #expect(seen.withLock { $0 } == [0, 0, 1, 1, 2, 2])
        for watch in watches { watch.cancel() }
        kill(getpid(), number)
        while ownCount.load(ordering: .relaxed) < 4 { sched_yield() }
        #expect(seen.withLock { $0.count } == 6)
    }

    @Test func `leaves a handler that was set after it`() throws {
        let watch = try SignalWatch([number]) { _ in }
        ownCount.store(0, ordering: .relaxed)
        signal(number, own)
        defer { signal(number, SIG_DFL) }
        watch.cancel()
        // It never ends if the handler was replaced.
        kill(getpid(), number)
        while ownCount.load(ordering: .relaxed) < 1 { sched_yield() }
    }

    @Test func `is followed by nothing if the app ignores the signal`() throws {
        signal(number, SIG_IGN)
        defer { signal(number, SIG_DFL) }
        let seen = Monitor(0)
        let watch = try SignalWatch([number]) { _ in seen.change { $0 += 1 } }
        for round in 1...2 {
            kill(getpid(), number)
            seen.wait { $0 >= round ? () : nil }
        }
        watch.cancel()
        // Not by a signal: another thread may take it, when this one has set the default action.
        var current = sigaction()
        sigaction(number, nil, &current)
        #expect(address(of: current.handler) == address(of: SIG_IGN))
        #expect(seen.withLock { $0 } == 2)
    }

    @Test func `is followed by nothing if the app no longer ignores what came before`() throws {
        signal(number, SIG_IGN)
        let (isCalled, isOver) = (Monitor(false), Monitor(false))
        let watch = try SignalWatch([number]) { _ in
            isCalled.change { $0 = true }
            isOver.wait { $0 ? () : nil }
        }
        kill(getpid(), number)
        isCalled.wait { $0 ? () : nil }
        watch.cancel()
        signal(number, SIG_DFL)
        isOver.change { $0 = true }
        // The same thread calls this watch: the first signal would have ended the process before.
        let isNext = Monitor(false)
        let next = try SignalWatch([SIGWINCH]) { _ in isNext.change { $0 = true } }
        defer { next.cancel() }
        kill(getpid(), SIGWINCH)
        isNext.wait { $0 ? () : nil }
    }
}
