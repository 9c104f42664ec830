import SkyrosDisk
import SkyrosPlatform

/// A pool of buffers that are reused by later calls and never freed.
///
/// Encoding and decoding need buffers. Each thread keeps one set of them, so a call needs neither
/// allocations nor a lock. A call takes the set out of the pool: a user's `encode(to:)` that calls
/// the library again gets another set.
///
/// Sets are not freed, so encoders, decoders and containers can refer to them by a plain pointer,
/// without reference counts, which took a seventh of the time. There are at most as many sets as
/// there were concurrent calls. A set counts its calls: a container that outlives its call finds
/// another number than its own, and throws.
struct ScratchPool: Sendable {
    private let key: pthread_key_t
    private let idle = IdleScratch()

    /// `threadExit` is called with the set of a thread that ends, and must pass it to `keep`.
    init(threadExit: @convention(c) (Platform.ThreadExitValue) -> Void) {
        var key = pthread_key_t()
        let code = pthread_key_create(&key, threadExit)
        precondition(code == 0, "The process has run out of thread-specific keys.")
        self.key = key
    }

    /// Takes a set out of the pool; returns nil if there is none. O(1).
    @inline(__always)
    func take() -> UnsafeMutableRawPointer? {
        guard let set = pthread_getspecific(key) else { return idle.take() }
        pthread_setspecific(key, nil)
        return set
    }

    /// Returns a set to the pool for the thread's next call. O(1).
    @inline(__always)
    func put(_ set: UnsafeMutableRawPointer) {
        if pthread_getspecific(key) == nil {
            pthread_setspecific(key, set)
        } else {
            idle.keep(set)
        }
    }

    /// Keeps a set for any thread that needs one.
    func keep(_ set: Platform.ThreadExitValue) {
        let set: UnsafeMutableRawPointer? = set
        if let set { idle.keep(set) }
    }
}

/// The sets that no thread holds.
private final class IdleScratch: Sendable {
    // Numbers, because pointers are not Sendable. A set has one owner at a time, and passes to the
    // next through the mutex.
    private let addresses = Locked<[UInt]>([])

    func take() -> UnsafeMutableRawPointer? {
        addresses.withLock { $0.popLast() }.flatMap { UnsafeMutableRawPointer(bitPattern: $0) }
    }

    func keep(_ set: UnsafeMutableRawPointer) {
        addresses.withLock { $0.append(UInt(bitPattern: set)) }
    }
}
