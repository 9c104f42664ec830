import Foundation
import SkyrosDisk

#if canImport(Darwin)
    typealias ThreadExitValue = UnsafeMutableRawPointer
#else
    typealias ThreadExitValue = UnsafeMutableRawPointer?
#endif

/// Working memory that is kept from call to call and is never freed.
///
/// Encoding and decoding need buffers. Every thread keeps one set of them, so that a call costs
/// neither allocations nor a lock. The set is taken out while it is in use: a user's
/// `encode(to:)` that calls the library again finds none and takes another.
///
/// Sets are not freed, so that encoders, decoders and containers can refer to them by a plain
/// pointer, without reference counts (these took a seventh of the time). There are at most as
/// many as there were calls under way at the same moment. A set counts its calls: a container
/// that outlives its call finds a number other than its own, and throws.
struct ScratchPool: Sendable {
    private let key: pthread_key_t
    private let idle = IdleScratch()

    /// `threadExit` is called with the set of a thread that ends and must pass it to `keep`.
    init(threadExit: @convention(c) (ThreadExitValue) -> Void) {
        var key = pthread_key_t()
        let code = pthread_key_create(&key, threadExit)
        precondition(code == 0, "The process has run out of thread-specific keys.")
        self.key = key
    }

    /// A set that is now the caller's alone, or nil if a new one has to be made. O(1).
    @inline(__always)
    func take() -> UnsafeMutableRawPointer? {
        guard let set = pthread_getspecific(key) else { return idle.take() }
        pthread_setspecific(key, nil)
        return set
    }

    /// Gives a set back for the thread's next call. O(1).
    @inline(__always)
    func put(_ set: UnsafeMutableRawPointer) {
        if pthread_getspecific(key) == nil {
            pthread_setspecific(key, set)
        } else {
            idle.keep(set)
        }
    }

    /// Keeps a set for whichever thread needs one.
    func keep(_ set: ThreadExitValue) {
        let set: UnsafeMutableRawPointer? = set
        if let set { idle.keep(set) }
    }
}

/// The sets that no thread holds.
private final class IdleScratch: Sendable {
    // Pointers are not Sendable, since what they point to may be shared; these are not: a set
    // has one owner at a time, and passes from one to the next through the mutex.
    private let addresses = Locked<[UInt]>([])

    func take() -> UnsafeMutableRawPointer? {
        addresses.withLock { $0.popLast() }.flatMap { UnsafeMutableRawPointer(bitPattern: $0) }
    }

    func keep(_ set: UnsafeMutableRawPointer) {
        addresses.withLock { $0.append(UInt(bitPattern: set)) }
    }
}
