package import SkyrosDisk

/// Writes a log from existing batches, and the floor before them, if there is one. The log appears
/// complete and durable, or not at all.
///
/// Segments are written under temporary names, which readers ignore. At the end they are renamed,
/// the first one last: without it the others, and the floor, are not a log. One thread uses the
/// writer.
package final class SalvagedLogWriter {
    private let disk: any Disk
    private let options: LogOptions
    private let entropy: any Entropy
    /// What takes the place of the batches before the first.
    private let floor: LogFloor?
    /// The segments that were written, with the names that they will have.
    private var written: [SegmentName] = []
    /// The header of the current segment.
    private var header: SegmentHeader
    private var batches: [UInt8] = []
    private var sizes: [Int] = []
    private var lastTime: Int64 = 0

    /// The last batch that was appended.
    package private(set) var head: LogHead

    /// A log for the store `storeID`, on a disk that holds none. Writes nothing yet.
    ///
    /// - Parameter floor: what the log begins with, instead of the first batch of all.
    package init(
        for storeID: StoreID, after floor: LogFloor? = nil, on disk: any Disk,
        _ options: LogOptions, entropy: any Entropy
    ) {
        self.disk = disk
        self.options = options
        self.entropy = entropy
        self.floor = floor
        header = SegmentHeader(
            beginning: storeID, salt: entropy.next(), unsyncedBytesMax: options.unsyncedBytesMax)
        if let floor {
            header.firstSequence = floor.firstSequence
            header.chainHashBefore = floor.head.chainHash
            header.timeBefore = floor.time
            lastTime = floor.time
        }
        head = floor?.head ?? LogHead(sequence: 0, chainHash: header.chainHashBefore)
    }

    /// Creates the directory of the log, and copies the floor to it.
    ///
    /// - Throws: `LogError`; call `discard` then.
    package func begin() throws(LogError) {
        try onDisk(disk.makeDirectoryDurably(.events))
        _ = try floor?.copied(to: SegmentDirectory(on: disk))
    }

    /// Appends the next batch, whose time is `time`, in microseconds since 1970.
    ///
    /// - Throws: `LogError`, with `.diskFull` and others; call `discard` then.
    package func append(
        _ batch: UnsafeRawBufferPointer, time: Int64
    ) throws(LogError) {
        if batches.count >= options.segmentBytesMax { try endSegment() }
        batches.append(contentsOf: batch)
        sizes.append(batch.count)
        head = LogHead(
            sequence: head.sequence + 1, chainHash: head.chainHash.advanced(by: XXH64.hash(batch)))
        lastTime = time
    }

    /// Writes the last segment, makes everything durable, and gives the segments their names.
    ///
    /// - Throws: `LogError`, with `.diskFull` and others; call `discard` then.
    package func finish() throws(LogError) {
        try write(activeSegment(), as: .open)
        try onDisk { () throws(DiskError) in
            for name in written.dropFirst().reversed() { try rename(name) }
            try disk.syncDirectory(.events)
            if let first = written.first { try rename(first) }
            try disk.syncDirectory(.events)
        }
    }

    /// Removes what was written, the first segment first. Errors are ignored.
    package func discard() {
        for name in written + [SegmentName(header.firstSequence, .open)] {
            try? disk.remove(name.path)
            try? disk.remove(SegmentName(name.firstSequence, .temporary).path)
        }
        if let floor { try? disk.remove(floor.path) }
        try? disk.removeDirectory(.events)
    }

    private func rename(_ name: SegmentName) throws(DiskError) {
        try disk.rename(SegmentName(name.firstSequence, .temporary).path, to: name.path)
    }

    /// Seals the current segment and starts another one.
    private func endSegment() throws(LogError) {
        try write(sealedSegment(), as: .sealed)
        header.firstSequence = head.sequence + 1
        header.chainHashBefore = head.chainHash
        header.timeBefore = lastTime
        header.salt = entropy.next()
        batches = []
        sizes = []
    }

    private func write(_ content: [UInt8], as kind: SegmentName.Kind) throws(LogError) {
        let temporary = SegmentName(header.firstSequence, .temporary)
        try onDisk { () throws(DiskError) in
            try disk.createFile(temporary.path, content).close()
        }
        written.append(SegmentName(header.firstSequence, kind))
    }

    private func sealedSegment() throws(LogError) -> [UInt8] {
        var writer = try SealedSegmentWriter(header, options.frameBytes)
        try forEachBatch { sequence, batch throws(LogError) in
            try writer.append(batch, sequence: sequence)
        }
        return try writer.finish(timeAfter: lastTime)
    }

    /// The newest segment, as a log leaves it that was closed in order.
    private func activeSegment() -> [UInt8] {
        var bytes = header.bytes(openedBy: OpeningPayload(ofFileOn: disk))
        var chainHash = header.chainHashBefore
        func append(_ kind: Block.Kind, _ payload: UnsafeRawBufferPointer, _ sequence: UInt64) {
            let hash = XXH64.hash(payload)
            if kind == .batch { chainHash = chainHash.advanced(by: hash) }
            let block = Block(
                kind, payload: payload, payloadHash: hash, sequence: sequence,
                chainHash: chainHash, durableByteCount: kind == .closing ? bytes.count : 0)
            block.append(to: &bytes, payload: payload, salt: header.salt)
        }
        forEachBatch { sequence, batch in append(.batch, batch, sequence) }
        append(.closing, UnsafeRawBufferPointer(start: nil, count: 0), head.sequence)
        return bytes
    }

    private func forEachBatch<E: Error>(
        _ body: (_ sequence: UInt64, _ batch: UnsafeRawBufferPointer) throws(E) -> Void
    ) throws(E) {
        try batches.withBytes { all throws(E) in
            var offset = 0
            for (index, size) in sizes.enumerated() {
                try body(header.firstSequence + UInt64(index), all.slice(offset, size))
                offset += size
            }
        }
    }
}
