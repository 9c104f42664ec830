import SkyrosDisk
import Synchronization

/// The threads that run a concurrent block of a store, or code of its projections: another write to
/// the store by one of them would be repeated with the block.
final class ConcurrentThreads: Sendable {
    private let threads = Locked<Set<ThreadID>>([])
    /// Their number, for writers that must not wait.
    private let count = Atomic(0)

    /// Runs `body`, in which the calling thread is one of them.
    func run<R>(_ body: () throws -> R) rethrows -> R {
        let thread = ThreadID.current
        threads.withLock { _ = $0.insert(thread) }
        count.add(1, ordering: .relaxed)
        defer {
            count.subtract(1, ordering: .relaxed)
            threads.withLock { _ = $0.remove(thread) }
        }
        return try body()
    }

    /// - Throws: `StoreError` with `.nestedWrite` if the calling thread is one of them.
    func check() throws {
        // The thread itself has counted itself: it need not see other threads.
        if count.load(ordering: .relaxed) == 0 { return }
        if threads.withLock({ $0.contains(.current) }) { throw StoreError.nestedWrite }
    }
}
