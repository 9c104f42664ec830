import SkyrosLog

/// Write blocks on a state that is dropped in the end: they throw what the blocks of a store with
/// that state would throw.
///
/// Of one thread at a time.
package final class Rehearsal {
    /// The state after the blocks so far.
    package private(set) var state: Snapshot
    private let writer: Writer
    private let metadata: Metadata
    private let eventBytesMax: Int
    private var buffer = CBORWriter(capacity: 4_096)

    /// - Parameters:
    ///   - state: that of a store, or of an archive.
    ///   - metadata: that of the events.
    /// - Complexity: O(n log n) for the records of an archive with recorded indexes.
    package init(on state: Snapshot, _ metadata: Metadata, _ options: Store.Options) throws {
        self.state = state
        self.metadata = metadata
        eventBytesMax = options.log.batchBytesMax
        writer = Writer(
            empty: Snapshot(.untyped, beginning: state.chainHash, hashSeed: state.hashSeed),
            .system)
        try self.state.adoptRecordedSchemas()
    }

    /// Runs a write block.
    ///
    /// - Throws: what `Store.write` throws, with `.limitExceeded` for an event above the limit. The
    ///   state is unchanged then.
    package func write(_ block: (inout WriteTransaction) throws -> Void) throws {
        try writer.withLock {
            var batch = CommandBatch(metadata: metadata, intent: nil)
            try writer.stage(on: state, into: &batch, block)
            try state.requireReason(for: batch)
            try checkSize(of: batch)
            try Projector.apply(batch.changes, to: &state)
        }
    }

    /// The sequence and the time are the largest: no event of the store is larger.
    private func checkSize(of batch: borrowing CommandBatch) throws {
        buffer.removeAll()
        EventCoding.append(
            batch, as: SequenceNumber(rawValue: .max), at: EventTime(microseconds: .max),
            to: &buffer)
        guard buffer.count > eventBytesMax else { return }
        throw StoreError(
            .limitExceeded,
            "the event would have \(buffer.count) bytes, the limit is \(eventBytesMax)")
    }
}
