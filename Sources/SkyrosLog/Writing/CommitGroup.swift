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
        /// Whether one waiting thread must become the leader.
        var needsLeader = false
    }

    private let state = Monitor(State())

    /// Waits until the sync has ended, or this thread must lead it.
    func wait() -> Outcome {
        state.wait { state in
            guard state.needsLeader else { return state.outcome }
            state.needsLeader = false
            return .lead
        }
    }

    func promoteLeader() {
        state.changeForOne { $0.needsLeader = true }
    }

    func end(_ outcome: Outcome) {
        state.change { $0.outcome = outcome }
    }
}
