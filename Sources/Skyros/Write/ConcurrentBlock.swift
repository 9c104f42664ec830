/// One run of a concurrent write block: on a snapshot and an overlay that no other block uses, and
/// without the writer lock.
///
/// It records what the block reads. Its writes are then staged in an ordinary write block, which is
/// refused if an event since the snapshot changes the answer of a read.
///
/// - Note: `@unchecked` because of the overlay and the variables: used by the thread that runs the
///   block, and then by the one that commits it.
final class ConcurrentBlock: @unchecked Sendable {
    private let overlay: UnsafeMutablePointer<WriteOverlay>
    private let reads: ReadSet
    /// The latest state in which all reads have the same answers.
    private var base: Snapshot
    private(set) var writes: [RecordWrite] = []
    /// Whether the transaction of another store's block may still refer to the overlay.
    private var wasExchanged = false

    init(on base: Snapshot, _ inputs: BlockInputs) {
        self.base = base
        reads = ReadSet(of: base)
        overlay = .allocate(capacity: 1)
        overlay.initialize(to: WriteOverlay(on: base, inputs, recording: reads))
        overlay.pointee.begin(on: base)
    }

    deinit {
        // Kept for ever then: a use after the block throws, and reads no freed memory.
        if wasExchanged { return }
        overlay.deinitialize(count: 1)
        overlay.deallocate()
    }

    /// Whether the block has changed anything.
    var isReadOnly: Bool { writes.isEmpty }

    /// Runs the block, once.
    ///
    /// - Throws: what it throws; `StoreError` with `.wrongTransaction`.
    func run<R>(_ block: (inout WriteTransaction) throws -> R) throws -> R {
        defer { overlay.pointee.end(on: base) }
        var transaction = WriteTransaction(overlay)
        defer { if !transaction.belongs(to: overlay) { wasExchanged = true } }
        let result = try block(&transaction)
        guard transaction.belongs(to: overlay) else { throw StoreError.wrongTransaction }
        writes = overlay.pointee.writes
        return result
    }

    /// Compares what the block has read with a newer state. What follows is compared with that.
    ///
    /// - Throws: `ReadConflict` if a read has another answer there.
    func check(against newer: Snapshot) throws(ReadConflict) {
        if let conflict = reads.conflict(from: base, to: newer) { throw conflict }
        base = newer
    }

    /// Stages the block's writes in a write block on the newest state.
    ///
    /// - Throws: `ReadConflict` if the state conflicts with a read; `StoreError`.
    func commit(in transaction: inout WriteTransaction) throws {
        try check(against: transaction.snapshot)
        try transaction.overlay.apply(writes)
    }
}

extension WriteOverlay {
    /// The staged changes as writes of whole records.
    var writes: [RecordWrite] {
        var writes: [RecordWrite] = []
        for index in tables.indices {
            let entity = base.tables[tables[index].index].entity
            if tables[index].isCleared { writes.append(.clear(entity: entity)) }
            for record in tables[index].records {
                if let row = record.row {
                    writes.append(
                        .put(
                            entity: entity, id: row.id, record: row.bytes, version: row.version))
                } else if record.base != nil {
                    writes.append(.delete(entity: entity, id: record.id))
                }
            }
        }
        return writes
    }
}
