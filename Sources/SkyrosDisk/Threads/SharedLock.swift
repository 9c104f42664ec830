import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Keeps one writer and many readers of a value apart, and the readers apart from each other.
///
/// A lock that all readers take is a word that all processors fight for: with one mutex two
/// threads read slower than one. Here each thread counts itself in and out in a word of its own,
/// on a cache line of its own; only the writer looks at all of them. So a reader pays for one
/// atomic addition in its own cache, and the writer for a look at a few lines.
///
/// The gate is closed while the writer changes the value: then readers wait for it. It is held
/// for bounded steps in memory only, and no user code runs behind it.
///
/// Source of the idea: distributed reader counters, as in Dave Dice and Alex Kogan, "BRAVO: Biased
/// Locking for Reader-Writer Locks", USENIX ATC 2019.
///
/// - Note: `@unchecked` because of the pointer; what it points to is atomic.
package final class SharedLock: @unchecked Sendable {
    /// A reader's token, to be given back.
    package struct Token {
        fileprivate let slot: Int
    }

    /// How far the counters are apart: each is alone on the lines that a processor fetches
    /// together.
    private static let slotBytes = 128

    private let slots: UnsafeMutableRawPointer
    private let isClosed = Atomic(false)
    /// Held by the writer while the gate is closed.
    private let closing = Locked(())
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

    /// How many readers of a slot are inside.
    private func readerCount(of slot: Int) -> UnsafeMutablePointer<Atomic<Int>> {
        (slots + slot * Self.slotBytes).assumingMemoryBound(to: Atomic<Int>.self)
    }

    /// Lets the calling thread in as a reader, until it gives the token to `unlockShared`.
    package func lockShared() -> Token {
        let slot = threadSlot.current
        // Counted in first, then looked: with the writer's steps in the opposite order, at least
        // one of the two sees the other.
        readerCount(of: slot).pointee.add(1, ordering: .sequentiallyConsistent)
        if !isClosed.load(ordering: .sequentiallyConsistent) { return Token(slot: slot) }
        readerCount(of: slot).pointee.subtract(1, ordering: .releasing)
        return closing.withLock { _ in
            // No writer is inside now, and the next one waits for this reader.
            readerCount(of: slot).pointee.add(1, ordering: .sequentiallyConsistent)
            return Token(slot: slot)
        }
    }

    package func unlockShared(_ token: Token) {
        readerCount(of: token.slot).pointee.subtract(1, ordering: .releasing)
    }

    /// Runs `body` while no reader is inside, and nobody else who closes the gate.
    package func withExclusive<R>(_ body: () throws -> R) rethrows -> R {
        try closing.withLock { _ in
            isClosed.store(true, ordering: .sequentiallyConsistent)
            for slot in 0..<ThreadSlot.count { waitForReaders(of: slot) }
            defer { isClosed.store(false, ordering: .sequentiallyConsistent) }
            return try body()
        }
    }

    private func waitForReaders(of slot: Int) {
        var looks = 0
        while readerCount(of: slot).pointee.load(ordering: .sequentiallyConsistent) != 0 {
            // Readers stay for less than a microsecond, unless the system took their processor.
            looks += 1
            if looks % 64 == 0 { sched_yield() }
        }
    }
}

/// Gives each thread a small number, different for threads that run at the same time as far as
/// the numbers suffice.
private struct ThreadSlot: Sendable {
    static let count = 32
    static let shared = ThreadSlot()

    private static let next = Atomic(0)

    private let key: pthread_key_t

    private init() {
        var key = pthread_key_t()
        let code = pthread_key_create(&key, nil)
        precondition(code == 0, "The system gives no more thread-specific data.")
        self.key = key
    }

    /// The number of the calling thread.
    var current: Int {
        // The number plus one; nil for a thread that has none yet.
        if let value = pthread_getspecific(key) { return Int(bitPattern: value) - 1 }
        let slot = Self.next.add(1, ordering: .relaxed).oldValue % Self.count
        pthread_setspecific(key, UnsafeMutableRawPointer(bitPattern: slot + 1))
        return slot
    }
}
