import SkyrosDisk

/// Wakes tasks that wait for the next event.
final class EventSignal: Sendable {
    private struct Waiter: Sendable {
        let number: UInt64
        /// The event after which it waits for another one.
        let sequence: SequenceNumber
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State: Sendable {
        var last: SequenceNumber
        var hasEnded = false
        /// Why it has ended, if that is an error.
        var failure: StoreError?
        var waiters: [Waiter] = []
        var nextNumber: UInt64 = 0
        /// Waits that were cancelled before they had begun.
        var cancelled: Set<UInt64> = []
    }

    private let state: Locked<State>

    init(_ last: SequenceNumber) {
        state = Locked(State(last: last))
    }

    /// The last published event.
    var last: SequenceNumber { state.withLock { $0.last } }

    /// The number of tasks that wait: for tests.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Wakes those that wait for event `sequence`, which was published, or for an earlier one.
    func raise(_ sequence: SequenceNumber) {
        wake { $0.last = max($0.last, sequence) }
    }

    /// Why it ended; nil if it did not end, or in order.
    var failure: StoreError? { state.withLock { $0.failure } }

    /// Wakes all waiters: no event will follow.
    ///
    /// - Parameter failure: what streams throw; nil if they just end.
    func end(throwing failure: StoreError? = nil) {
        wake { state in
            state.hasEnded = true
            state.failure = state.failure ?? failure
        }
    }

    /// Throws if the events have ended with an error.
    func check() throws {
        if let failure { throw failure }
    }

    private func wake(_ change: (inout State) -> Void) {
        let waiters = state.withLock { state in
            change(&state)
            if state.waiters.isEmpty { return [Waiter]() }
            let waiters = state.waiters
            if state.hasEnded {
                state.waiters = []
                return waiters
            }
            // One that waits for a later event would take an early end of the wait for the end.
            let last = state.last
            state.waiters.removeAll { $0.sequence < last }
            return waiters.filter { $0.sequence < last }
        }
        for waiter in waiters { waiter.continuation.resume() }
    }

    /// Suspends until an event after `sequence` is published. Returns false if none will follow, if
    /// the events are gone, or if the task was cancelled.
    func wait(after sequence: SequenceNumber) async -> Bool {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    let isOver =
                        state.last > sequence || state.hasEnded
                        || state.cancelled.remove(number) != nil
                    if !isOver {
                        let waiter = Waiter(
                            number: number, sequence: sequence, continuation: continuation)
                        state.waiters.append(waiter)
                    }
                    return isOver
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            cancel(number)
        }
        return state.withLock { state in
            state.cancelled.remove(number)
            return state.failure == nil && state.last > sequence
        }
    }

    private func cancel(_ number: UInt64) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiters.firstIndex(where: { $0.number == number }) else {
                state.cancelled.insert(number)
                return nil
            }
            return state.waiters.remove(at: index)
        }
        waiter?.continuation.resume()
    }
}
