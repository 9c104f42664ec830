import Synchronization

/// Lets operations pass that change files, until it is closed.
///
/// Closing waits for the operations that are passing, so pass only short ones: a write into the
/// page cache or a rename, never a sync or user code.
package final class ChangeGate: Sendable {
    private let lock = SharedLock()
    private let hasClosed = Atomic(false)

    package init() {}

    /// Whether no operation may pass.
    package var isClosed: Bool { hasClosed.load(ordering: .acquiring) }

    /// Runs `body` and returns what it returns; runs nothing and returns nil if the gate is closed.
    package func pass<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R? {
        let token = lock.lockShared()
        defer { lock.unlockShared(token) }
        return isClosed ? nil : try body()
    }

    /// Closes the gate. No operation passes once this has returned.
    package func close() {
        lock.withExclusive { hasClosed.store(true, ordering: .releasing) }
    }

    package func open() {
        lock.withExclusive { hasClosed.store(false, ordering: .releasing) }
    }
}

extension ChangeGate: Hashable {
    package static func == (a: ChangeGate, b: ChangeGate) -> Bool { a === b }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
