import Foundation
import SkyrosDisk

/// The right to write: one writer at a time, first come, first served.
///
/// Synchronous writers wait on their own thread; queued ones are run on the worker when it is
/// their turn. Both stand in one line, so the order of the calls is the order of the writes.
final class WriterTurn: Sendable {
    private enum Waiter: Sendable {
        /// A thread that waits for its turn.
        case thread(DispatchSemaphore)
        /// A job for the worker.
        case job(@Sendable () -> Void)
    }

    private struct State: Sendable {
        var isTaken = false
        /// The thread whose turn it is; nil while a queued job is on its way to the worker.
        var owner: ThreadID?
        var waiting: [Waiter] = []
        /// The first of `waiting` that has not been served.
        var first = 0

        /// Takes out who is next. O(1), spread over the calls: what was served goes when it is
        /// half of the line, so that a line that never ends does not grow.
        mutating func takeFirst() -> Waiter {
            let next = waiting[first]
            first += 1
            if first * 2 >= waiting.count {
                waiting.removeFirst(first)
                first = 0
            }
            return next
        }
    }

    private let state = Locked(State())
    private let worker: Worker

    init(worker: Worker) {
        self.worker = worker
    }

    /// Waits for the turn of the calling thread.
    ///
    /// - Throws: `StoreError` with `.nestedWrite` if the thread has the turn already.
    func take() throws {
        let current = ThreadID.current
        let semaphore = try state.withLock { state -> DispatchSemaphore? in
            if !state.isTaken {
                state.isTaken = true
                state.owner = current
                return nil
            }
            if state.owner == current {
                throw StoreError(
                    .nestedWrite,
                    "a write block of this store is running on this thread; "
                        + "make the changes through its transaction")
            }
            let semaphore = DispatchSemaphore(value: 0)
            state.waiting.append(.thread(semaphore))
            return semaphore
        }
        guard let semaphore else { return }
        semaphore.wait()
        state.withLock { $0.owner = current }
    }

    /// Gives the turn to whoever is next.
    func release() {
        let next = state.withLock { state -> Waiter? in
            state.owner = nil
            guard state.first < state.waiting.count else {
                state.isTaken = false
                return nil
            }
            return state.takeFirst()
        }
        switch next {
        case .thread(let semaphore): semaphore.signal()
        case .job(let job): start(job)
        case nil: break
        }
    }

    /// Runs `job` on the worker when it is its turn, and releases the turn after it. Returns at
    /// once.
    func enqueue(_ job: @escaping @Sendable () -> Void) {
        let isFirst = state.withLock { state in
            if state.isTaken {
                state.waiting.append(.job(job))
                return false
            }
            state.isTaken = true
            return true
        }
        if isFirst { start(job) }
    }

    private func start(_ job: @escaping @Sendable () -> Void) {
        worker.enqueue {
            self.state.withLock { $0.owner = ThreadID.current }
            job()
            self.release()
        }
    }
}
