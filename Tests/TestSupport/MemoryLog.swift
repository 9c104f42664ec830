import SkyrosDisk
package import SkyrosLog

/// A log engine without files: batches in an array that several engines may share, as the
/// processes of a shared database would.
package final class MemoryLog: LogEngine, ObservedLog {
    /// The batches, which outlive the engines that write them.
    package final class Contents: Sendable {
        let storeID: StoreID
        let state: Locked<State>

        struct State: Sendable {
            var batches: [[UInt8]] = []
            /// The chain hash before the first batch, and after each one.
            var chainHashes: [ChainHash]
            var byteCount = 0
            var durableCount = 0

            func head(_ count: Int) -> LogHead {
                LogHead(sequence: UInt64(count), chainHash: chainHashes[count])
            }

            func position(_ count: Int) -> LogPosition {
                LogPosition(
                    byteCount: batches.prefix(count).reduce(0) { $0 + $1.count },
                    head: head(count))
            }
        }

        package init(_ storeID: StoreID) {
            self.storeID = storeID
            state = Locked(State(chainHashes: [ChainHash(beginning: storeID)]))
        }
    }

    private let contents: Contents
    private let batchBytesMax: Int
    private let isClosed = Locked(false)
    /// The number of batches that an observer has seen; nil for an engine, which sees all.
    private let seenCount: Locked<Int>?

    package init(_ contents: Contents, batchBytesMax: Int = 64 << 20) {
        self.contents = contents
        self.batchBytesMax = batchBytesMax
        seenCount = nil
    }

    /// Creates an observer, which sees the batches that existed at the last `refresh`.
    package init(observing contents: Contents) {
        self.contents = contents
        batchBytesMax = 0
        seenCount = Locked(contents.state.withLock(\.batches.count))
    }

    package var storeID: StoreID { contents.storeID }
    package var statistics: LogStatistics? { nil }

    package var head: LogHead {
        let count = seenCount?.withLock { $0 }
        return contents.state.withLock { $0.head(count ?? $0.batches.count) }
    }

    package var writtenHead: LogHead { head }
    package var end: LogPosition { contents.state.withLock { $0.position($0.batches.count) } }
    package var durableEnd: LogPosition { contents.state.withLock { $0.position($0.durableCount) } }

    package func append(
        _ batch: UnsafeRawBufferPointer, as sequence: UInt64, timeBefore: Int64, deferring: Bool
    ) throws(LogError) -> LogPosition {
        guard batch.count <= batchBytesMax else {
            throw LogError(.limitExceeded, "the batch has \(batch.count) bytes")
        }
        try checkOpen()
        let bytes = [UInt8](batch)
        let position = contents.state.withLock { state -> LogPosition? in
            guard sequence == state.batches.count + 1 else { return nil }
            let before = state.chainHashes[state.batches.count]
            state.batches.append(bytes)
            state.chainHashes.append(before.advanced(by: XXH64.hash(bytes)))
            state.byteCount += bytes.count
            return LogPosition(byteCount: state.byteCount, head: state.head(state.batches.count))
        }
        guard let position else {
            throw LogError(.conflict, "batch \(sequence) is not the next one")
        }
        return position
    }

    package func sync(through position: LogPosition) throws(LogError) {
        let missing = contents.state.withLock { Int(position.head.sequence) > $0.durableCount }
        guard missing else { return }
        try checkOpen()
        contents.state.withLock { $0.durableCount = $0.batches.count }
    }

    package func close() throws(LogError) {
        if isClosed.withLock({ $0 }) { return }
        try sync(through: end)
        isClosed.withLock { $0 = true }
    }

    package func chunk(containing sequence: UInt64) throws(LogError) -> LogChunk? {
        guard sequence >= 1, sequence <= head.sequence else { return nil }
        let first = (sequence - 1) / 8 * 8 + 1
        let last = min(first + 7, head.sequence)
        return contents.state.withLock { state in
            LogChunk(
                firstSequence: first, chainHashBefore: state.chainHashes[Int(first) - 1],
                batches: state.batches[Int(first) - 1..<Int(last)])
        }
    }

    package func refresh() throws(LogError) -> Bool {
        guard let seenCount else { return false }
        let count = contents.state.withLock(\.batches.count)
        return seenCount.withLock { seen in
            defer { seen = count }
            return count > seen
        }
    }

    private func checkOpen() throws(LogError) {
        if isClosed.withLock({ $0 }) { throw LogError(.closed, "the log was closed") }
    }
}
