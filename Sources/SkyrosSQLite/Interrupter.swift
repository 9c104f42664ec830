import CSQLite
import SkyrosDisk

/// Stops the statement that a connection is running, from any thread.
package final class Interrupter: Sendable {
    /// The address of the open handle; nil once the connection has closed. It is kept as a
    /// number because pointers are not `Sendable`; the lock keeps the handle from being closed
    /// between the look and the call.
    private let address: Locked<UInt>

    init(_ handle: OpaquePointer) {
        address = Locked(UInt(bitPattern: handle))
    }

    /// Makes the running statement, if there is one, fail with `interrupted`.
    ///
    /// A statement that begins later is not affected. After the connection has closed this
    /// does nothing.
    package func interrupt() {
        address.withLock { address in
            guard let handle = OpaquePointer(bitPattern: address) else { return }
            sqlite3_interrupt(handle)
        }
    }

    /// Forgets the handle; called before it becomes invalid.
    func detach() {
        address.withLock { $0 = 0 }
    }
}
