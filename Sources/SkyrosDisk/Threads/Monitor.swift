import SkyrosPlatform

/// A value that is protected by a mutex, with a condition variable on which threads wait until the
/// value changes.
///
/// Waiting blocks the thread, so tasks of the cooperative pool must not do it.
///
/// - Note: `@unchecked` because of the pointer, which never changes.
package final class Monitor<Value>: Locked<Value>, @unchecked Sendable {
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    package override init(_ value: sending Value) {
        super.init(value)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        Platform.useMonotonicClock(&attributes)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deallocate()
    }

    /// Runs `body` under the mutex, again after each change, until it returns a value.
    package func wait<R, E: Error>(until body: (inout Value) throws(E) -> R?) throws(E) -> R {
        lock()
        defer { unlock() }
        while true {
            if let result = try body(&value.pointee) { return result }
            pthread_cond_wait(condition, mutex)
        }
    }

    /// As `wait(until:)`, but returns nil after `milliseconds` of the monotonic clock.
    package func wait<R, E: Error>(
        atMost milliseconds: Int, until body: (inout Value) throws(E) -> R?
    ) throws(E) -> R? {
        var deadline = timespec()
        clock_gettime(CLOCK_MONOTONIC, &deadline)
        let nanoseconds = deadline.tv_nsec + (milliseconds % 1_000) * 1_000_000
        deadline.tv_sec += milliseconds / 1_000 + nanoseconds / 1_000_000_000
        deadline.tv_nsec = nanoseconds % 1_000_000_000
        lock()
        defer { unlock() }
        while true {
            if let result = try body(&value.pointee) { return result }
            guard Platform.wait(for: condition, releasing: mutex, until: deadline) else {
                return try body(&value.pointee)
            }
        }
    }

    /// Changes the value and wakes every waiting thread.
    @inlinable
    package func change<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
        lock()
        defer {
            wakeAll()
            unlock()
        }
        return try body(&value.pointee)
    }

    /// Changes the value and wakes one waiting thread, for a change that one thread consumes.
    package func changeForOne<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
        lock()
        defer {
            pthread_cond_signal(condition)
            unlock()
        }
        return try body(&value.pointee)
    }

    @usableFromInline
    func wakeAll() {
        pthread_cond_broadcast(condition)
    }
}

extension Monitor where Value == Void {
    /// Blocks the calling thread for some milliseconds, before it tries again what another process
    /// or machine may do meanwhile.
    package static func pause(milliseconds: Int) {
        _ = Monitor(()).wait(atMost: milliseconds) { _ -> Void? in nil }
    }
}
