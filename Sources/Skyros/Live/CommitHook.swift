import SkyrosDisk
import Synchronization

/// The registration of a hook, see ``Store/willCommit(_:)``. It ends with its last reference.
public final class CommitHook: Sendable {
    private let hooks: CommitHooks
    private let number: UInt64

    init(_ number: UInt64, of hooks: CommitHooks) {
        self.hooks = hooks
        self.number = number
    }

    deinit {
        cancel()
    }

    /// Ends the registration. A call that another thread has begun may still run.
    public func cancel() {
        hooks.remove(number)
    }
}

/// The hooks of a store, which run before each commit, in the order of their registration.
final class CommitHooks: Sendable {
    typealias Body = @Sendable (PendingCommit) throws -> Void

    private struct State: Sendable {
        var bodies: [(number: UInt64, body: Body)] = []
        var nextNumber: UInt64 = 0
    }

    private let state = Locked(State())
    /// The number of hooks, so that a writer without any takes no lock.
    private let count = Atomic(0)

    func add(_ body: @escaping Body) -> CommitHook {
        state.withLock { state in
            defer { state.nextNumber += 1 }
            state.bodies.append((state.nextNumber, body))
            count.store(state.bodies.count, ordering: .releasing)
            return CommitHook(state.nextNumber, of: self)
        }
    }

    func remove(_ number: UInt64) {
        // Its captured objects are released after the lock.
        let removed = state.withLock { state -> Body? in
            guard let index = state.bodies.firstIndex(where: { $0.number == number }) else {
                return nil
            }
            defer { count.store(state.bodies.count, ordering: .releasing) }
            return state.bodies.remove(at: index).body
        }
        withExtendedLifetime(removed) {}
    }

    /// Calls the hooks, unless nothing has changed; under no lock but the writer's.
    ///
    /// - Throws: what the first hook throws that refuses the commit.
    func run(_ batch: borrowing CommandBatch, on stateBefore: @autoclosure () -> Snapshot) throws {
        guard count.load(ordering: .acquiring) > 0, !batch.changes.isEmpty else { return }
        let bodies = state.withLock { $0.bodies }
        let commit = PendingCommit(batch, on: stateBefore())
        for (_, body) in bodies { try body(commit) }
    }
}
