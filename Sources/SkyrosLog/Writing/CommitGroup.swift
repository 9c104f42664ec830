import SkyrosDisk

/// Threads that wait for the same sync: the next one.
///
/// Each sync wakes exactly those whom it served, and of those who wait for the one after it one
/// thread, which leads it. If all waited in one place, each sync would wake all of them, and half
/// of them only to sleep again.
final class CommitGroup: Sendable {
    enum Outcome: Sendable {
        /// What the thread waits for is durable.
        case durable
        case failed(LogError)
        /// This thread is to sync for all who wait.
        case lead
    }

    private struct State: Sendable {
        /// How the sync went; nil while it has not been made.
        var outcome: Outcome?
        /// Whether one thread of the round is to lead it, and none has been told yet.
        var needsLeader = false
    }

    private let state = Monitor(State())

    /// Waits until the sync was made or this thread is to make it.
    func wait() -> Outcome {
        state.wait { state in
            guard state.needsLeader else { return state.outcome }
            state.needsLeader = false
            return .lead
        }
    }

    /// Lets one of those who wait lead the sync.
    func promoteLeader() {
        state.changeForOne { $0.needsLeader = true }
    }

    /// Tells all how the sync went.
    func end(_ outcome: Outcome) {
        state.change { $0.outcome = outcome }
    }
}
