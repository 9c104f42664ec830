import SkyrosPlatform
import Synchronization

/// A reader-writer lock whose readers do not share a cache line.
///
/// With one mutex, two reading threads are slower than one: they fight for its cache line. Here
/// each thread counts itself in a separate slot. A reader pays for one atomic addition in its
/// cache; a writer reads every slot.
///
/// Hold the exclusive lock for bounded work in memory only, and run no user code under it.
///
/// Source: distributed reader counters, as in Dave Dice and Alex Kogan, "BRAVO: Biased Locking for
/// Reader-Writer Locks", USENIX ATC 2019.
///
/// - Note: `@unchecked` because of the pointer; what it points to is atomic.
package final class SharedLock: @unchecked Sendable {
    /// What a reader passes to `unlockShared`.
    package struct Token {
        fileprivate let slot: Int
    }

    /// The distance of two counters. Processors prefetch cache lines of 64 bytes in pairs.
    private static let slotBytes = 128

    private let slots: UnsafeMutableRawPointer
    /// Whether a writer has the lock or waits for the last readers.
    private let isExclusive = Atomic(false)
    /// The mutex of writers.
    private let writer = Locked(())
    private let threadSlot = ThreadSlot.shared

    package init() {
        slots = .allocate(
            byteCount: ThreadSlot.count * Self.slotBytes, alignment: Self.slotBytes)
        for index in 0..<ThreadSlot.count {
            (slots + index * Self.slotBytes).bindMemory(to: Atomic<Int>.self, capacity: 1)
                .initialize(to: Atomic(0))
        }
    }

    deinit {
        for index in 0..<ThreadSlot.count { readerCount(of: index).deinitialize(count: 1) }
        slots.deallocate()
    }

    /// Whether a writer has the lock, or waits for it.
    package var isHeldExclusively: Bool { isExclusive.load(ordering: .sequentiallyConsistent) }

    /// The number of readers of a slot that hold the lock.
    private func readerCount(of slot: Int) -> UnsafeMutablePointer<Atomic<Int>> {
        (slots + slot * Self.slotBytes).assumingMemoryBound(to: Atomic<Int>.self)
    }

    /// Takes the lock for reading, until the token is passed to `unlockShared`.
    package func lockShared() -> Token {
        let slot = threadSlot.current
        // The reader counts itself, then checks for a writer. A writer announces itself, then
        // counts the readers. So at least one of the two sees the other.
        readerCount(of: slot).pointee.add(1, ordering: .sequentiallyConsistent)
        if !isExclusive.load(ordering: .sequentiallyConsistent) { return Token(slot: slot) }
        readerCount(of: slot).pointee.subtract(1, ordering: .releasing)
        return writer.withLock { _ in
            // No writer holds the lock now, and the next one waits for this reader.
            readerCount(of: slot).pointee.add(1, ordering: .sequentiallyConsistent)
            return Token(slot: slot)
        }
    }

    package func unlockShared(_ token: Token) {
        readerCount(of: token.slot).pointee.subtract(1, ordering: .releasing)
    }

    /// Runs `body` while no other thread holds the lock, for reading or writing.
    package func withExclusive<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        try writer.withLock { _ throws(E) in
            isExclusive.store(true, ordering: .sequentiallyConsistent)
            for slot in 0..<ThreadSlot.count { waitForReaders(of: slot) }
            defer { isExclusive.store(false, ordering: .sequentiallyConsistent) }
            return try body()
        }
    }

    private func waitForReaders(of slot: Int) {
        var spinCount = 0
        while readerCount(of: slot).pointee.load(ordering: .sequentiallyConsistent) != 0 {
            // Readers hold the lock for less than a microsecond, unless they are preempted.
            spinCount += 1
            if spinCount % 64 == 0 { sched_yield() }
        }
    }
}

/// Assigns slots to threads, in turn: up to 32 threads share none.
private struct ThreadSlot: Sendable {
    static let count = 32
    static let shared = ThreadSlot()

    private static let next = Atomic(0)

    private let key: pthread_key_t

    private init() {
        var key = pthread_key_t()
        let code = pthread_key_create(&key, nil)
        precondition(code == 0, "The process has no thread-specific key left.")
        self.key = key
    }

    /// The slot of the calling thread.
    var current: Int {
        // The slot plus one; nil for a thread that has none yet.
        if let value = pthread_getspecific(key) { return Int(bitPattern: value) - 1 }
        let slot = Self.next.add(1, ordering: .relaxed).oldValue % Self.count
        pthread_setspecific(key, UnsafeMutableRawPointer(bitPattern: slot + 1))
        return slot
    }
}
