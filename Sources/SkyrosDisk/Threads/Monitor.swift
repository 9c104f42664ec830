#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A value behind a lock on which threads can wait for a change.
///
/// `Locked` has nothing to wait with. This is the classic monitor:
/// look at the value under the lock, and give the lock away while waiting for somebody to
/// change it. Waiting blocks the thread, so tasks of the cooperative pool must not do it.
///
/// Unchecked because the compiler cannot see that `value` is touched under the lock only.
package final class Monitor<Value>: @unchecked Sendable {
    /// Behind a pointer, as in `Locked`.
    @usableFromInline let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    package init(_ value: sending Value) {
        self.value.initialize(to: value)
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        #if !canImport(Darwin)
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        #endif
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
        value.deinitialize(count: 1)
        value.deallocate()
    }

    /// Runs `body` with the value under the lock.
    @inlinable
    package func withLock<R>(_ body: (inout Value) throws -> R) rethrows -> R {
        lock()
        defer { unlock() }
        return try body(&value.pointee)
    }

    /// Runs `body` under the lock, again after each change, until it gives a result.
    package func wait<R>(until body: (inout Value) throws -> R?) rethrows -> R {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = try body(&value.pointee) { return result }
            pthread_cond_wait(condition, mutex)
        }
    }

    /// As `wait(until:)`, but gives up with nil after `milliseconds`, by a clock that nobody
    /// can set.
    package func wait<R>(
        atMost milliseconds: Int, until body: (inout Value) throws -> R?
    ) rethrows -> R? {
        var deadline = timespec()
        clock_gettime(CLOCK_MONOTONIC, &deadline)
        let nanoseconds = deadline.tv_nsec + (milliseconds % 1_000) * 1_000_000
        deadline.tv_sec += milliseconds / 1_000 + nanoseconds / 1_000_000_000
        deadline.tv_nsec = nanoseconds % 1_000_000_000
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = try body(&value.pointee) { return result }
            guard waitForChange(until: deadline) else { return try body(&value.pointee) }
        }
    }

    /// Gives the lock away until somebody changes the value; false once it is too late.
    private func waitForChange(until deadline: timespec) -> Bool {
        var deadline = deadline
        #if canImport(Darwin)
            // This system's moments are those of the wall clock, its durations are not.
            var now = timespec()
            clock_gettime(CLOCK_MONOTONIC, &now)
            deadline.tv_sec -= now.tv_sec
            deadline.tv_nsec -= now.tv_nsec
            if deadline.tv_nsec < 0 {
                deadline.tv_sec -= 1
                deadline.tv_nsec += 1_000_000_000
            }
            guard deadline.tv_sec >= 0 else { return false }
            return pthread_cond_timedwait_relative_np(condition, mutex, &deadline) == 0
        #else
            return pthread_cond_timedwait(condition, mutex, &deadline) == 0
        #endif
    }

    /// Changes the value under the lock and wakes all who wait.
    @inlinable
    package func change<R>(_ body: (inout Value) throws -> R) rethrows -> R {
        lock()
        defer {
            wakeAll()
            unlock()
        }
        return try body(&value.pointee)
    }

    /// Changes the value under the lock and wakes one of those who wait: for a change that is for
    /// whoever sees it first.
    package func changeForOne<R>(_ body: (inout Value) throws -> R) rethrows -> R {
        lock()
        defer {
            pthread_cond_signal(condition)
            unlock()
        }
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

    @usableFromInline
    func wakeAll() {
        pthread_cond_broadcast(condition)
    }
}
