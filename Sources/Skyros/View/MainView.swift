import SkyrosDisk

/// The holder of the newest snapshot.
///
/// A reader waits at most for a bounded step in memory: a small event is applied in place under the
/// exclusive lock, a large one to a copy that is then swapped in (promise P8).
///
/// - Note: `@unchecked` because of the pointer: it is written under `dirty` and the exclusive lock,
///   so it is read under either `dirty` or the shared lock.
final class MainView: @unchecked Sendable {
    /// Events with more changes are applied outside of the lock.
    private static let changesInPlaceMax = 1_000

    /// A pointer, as in `Locked`.
    private let snapshot = UnsafeMutablePointer<Snapshot>.allocate(capacity: 1)
    let lock = SharedLock()
    private let hashSeed: UInt64
    /// The rows that changed since the last checkpoint. `update` holds its lock, so that rows and
    /// snapshot are of the same event.
    private let dirty: Locked<DirtyRows>

    /// Makes a view of `snapshot`; `dirty` are the rows that differ from the checkpoint.
    init(_ snapshot: Snapshot, dirty: DirtyRows) {
        hashSeed = snapshot.hashSeed
        self.snapshot.initialize(to: snapshot)
        self.dirty = Locked(dirty)
    }

    deinit {
        snapshot.deinitialize(count: 1)
        snapshot.deallocate()
    }

    /// Whether rows that change are marked for a checkpoint.
    var isRecording: Bool { dirty.withLock { $0.isRecording } }

    /// The newest state. O(1).
    var current: Snapshot {
        let token = lock.lockShared()
        defer { lock.unlockShared(token) }
        return snapshot.pointee
    }

    /// The row with this id in the table at `index`, in the newest state. O(log n).
    func row(_ id: RecordID, inTableAt index: Int) -> Row? {
        let hash = id.bytes.hash(seed: hashSeed)
        let token = lock.lockShared()
        defer { lock.unlockShared(token) }
        // Nothing is copied: threads that change the same reference counts wait for each other.
        return snapshot.pointee.tables.withUnsafeBufferPointer { tables in
            tables[index].rows.find(id: id, hash: hash)
        }
    }

    /// Applies an event with `changeCount` changes. Called by one thread at a time.
    func update(
        changeCount: Int, _ apply: (inout Snapshot, inout DirtyRows) throws -> Void
    ) rethrows {
        try dirty.withLock { dirty in
            if changeCount <= Self.changesInPlaceMax {
                return try lock.withExclusive { try apply(&snapshot.pointee, &dirty) }
            }
            var copy = snapshot.pointee
            try apply(&copy, &dirty)
            // The nodes that only the old state had are freed after the lock.
            lock.withExclusive { swap(&snapshot.pointee, &copy) }
        }
    }

    /// Replaces the state by the one after the next event; `rows` are those that it changed. Called
    /// by one thread at a time.
    func advance(to next: Snapshot, dirty rows: DirtyRows) {
        dirty.withLock { dirty in
            dirty.append(rows)
            var copy = next
            lock.withExclusive { swap(&snapshot.pointee, &copy) }
        }
    }

    /// Replaces the state; `rows` are those that differ from the checkpoint.
    func replace(_ newer: Snapshot, dirty rows: DirtyRows) {
        dirty.withLock { dirty in
            dirty = rows
            var copy = newer
            lock.withExclusive { swap(&snapshot.pointee, &copy) }
        }
    }

    /// The newest state and all rows that changed since the last call.
    func takeDirty() -> (Snapshot, DirtyRows) {
        dirty.withLock { dirty in
            defer { dirty = DirtyRows(isRecording: dirty.isRecording) }
            return (snapshot.pointee, dirty)
        }
    }

    /// Restores rows that could not be written.
    func restoreDirty(_ taken: DirtyRows) {
        dirty.withLock { newer in
            var all = taken
            all.append(newer)
            newer = all
        }
    }
}
