import SkyrosDisk

/// Threads that wait for the same sync.
///
/// A sync wakes the threads that it made durable, and one thread that waits for the next sync,
/// which leads that one. With one wait queue for all, every sync would wake every thread, and half
/// of them only to wait again.
final class CommitGroup: Sendable {
    enum Outcome: Sendable {
        /// What the thread waited for is durable.
        case durable
        case failed(LogError)
        /// The thread must sync for the group.
        case lead
    }

    private struct State: Sendable {
        /// The result of the sync; nil before its end.
        var outcome: Outcome?
        /// The threads that wait for the sync, or will soon. One that leads it is none of them.
        var memberCount = 0
        /// Whether one waiting thread must become the leader.
        var needsLeader = false
    }

    private let state = Monitor(State())

    /// Adds a thread, which must call `wait`.
    func join() {
        state.withLock { $0.memberCount += 1 }
    }

    /// Waits until the sync has ended, or this thread must lead it.
    func wait() -> Outcome {
        state.wait { state in
            guard state.needsLeader else { return state.outcome }
            state.needsLeader = false
            state.memberCount -= 1
            return .lead
        }
    }

    /// Makes one thread the leader; returns false if none waits.
    func promoteLeader() -> Bool {
        guard state.withLock({ $0.memberCount > 0 }) else { return false }
        state.changeForOne { $0.needsLeader = true }
        return true
    }

    func end(_ outcome: Outcome) {
        state.change { $0.outcome = outcome }
    }
}
