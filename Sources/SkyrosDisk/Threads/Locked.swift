#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A value behind a lock.
///
/// The standard library's `Mutex` would do, but on Linux the thread sanitizer does not see it and
/// takes every value behind it for a race; the system's own mutex it knows. See
/// docs/decisions/0004-locks-that-the-sanitizer-sees.md.
///
/// The value lies behind a pointer: for a property of a class the runtime would keep a record of
/// each access, to find overlaps that the lock rules out.
///
/// Unchecked because the compiler cannot see that `value` is touched under the lock only.
package final class Locked<Value: ~Copyable>: @unchecked Sendable {
    @usableFromInline let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

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

    /// Runs `body` with the value under the lock.
    @inlinable
    package func withLock<R: ~Copyable>(_ body: (inout Value) throws -> R) rethrows -> R {
        lock()
        defer { unlock() }
        return try body(&value.pointee)
    }

    @usableFromInline
    func lock() {
        pthread_mutex_lock(mutex)
    }

    @usableFromInline
    func unlock() {
        pthread_mutex_unlock(mutex)
    }
}
