import SkyrosPlatform

/// A value that is protected by a mutex.
///
/// `Mutex` of the standard library would do, but the thread sanitizer does not see it on Linux and
/// reports every access as a race. It knows the system's mutex. See
/// docs/decisions/0004-locks-that-the-sanitizer-sees.md.
///
/// - Note: `@unchecked` because the compiler cannot see that `value` is used under the mutex only.
package class Locked<Value: ~Copyable>: @unchecked Sendable {
    /// A pointer, because the runtime tracks each access to a property of a class, to find
    /// overlaps that the mutex rules out.
    @usableFromInline final let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)
    final let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    package init(_ value: consuming sending Value) {
        self.value.initialize(to: value)
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
        value.deinitialize(count: 1)
        value.deallocate()
    }

    /// Runs `body` with the value while no other thread has it.
    @inlinable
    package final func withLock<R: ~Copyable, E: Error>(
        _ body: (inout Value) throws(E) -> R
    ) throws(E) -> R {
        lock()
        defer { unlock() }
        return try body(&value.pointee)
    }

    /// Runs `body` with the value if no other thread has it; returns nil otherwise.
    package final func withLockIfFree<R, E: Error>(
        _ body: (inout Value) throws(E) -> R
    ) throws(E) -> R? {
        guard pthread_mutex_trylock(mutex) == 0 else { return nil }
        defer { unlock() }
        return try body(&value.pointee)
    }

    @usableFromInline
    final func lock() {
        pthread_mutex_lock(mutex)
    }

    @usableFromInline
    final func unlock() {
        pthread_mutex_unlock(mutex)
    }
}
