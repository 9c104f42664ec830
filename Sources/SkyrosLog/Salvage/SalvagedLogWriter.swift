package import SkyrosDisk

/// Writes a log whose batches exist already: all of them become a log at one moment, or none.
///
/// Segments are written under temporary names, which mean nothing to a reader. At the end they are
/// renamed, the first one last: without it the others are no log. So a crash on the way leaves
/// nothing that could be taken for the whole. One thread writes it.
package final class SalvagedLogWriter {
    private let disk: any Disk
    private let options: LogOptions
    private let entropy: any Entropy
    /// The segments that are written, by the kind that they will have.
    private var written: [SegmentName] = []
    /// The header of the segment that is being filled.
    private var header: SegmentHeader
    private var batches: [UInt8] = []
    private var sizes: [Int] = []
    private var lastTime: Int64 = 0

    /// Where the copy stands.
    package private(set) var head: LogHead

    /// A copy for the store `storeID` on a disk that holds no log; nothing is written yet.
    package init(
        for storeID: StoreID, on disk: any Disk, _ options: LogOptions, entropy: any Entropy
    ) {
        self.disk = disk
        self.options = options
        self.entropy = entropy
        head = LogHead(sequence: 0, chainHash: ChainHash(beginning: storeID))
        header = SegmentHeader(
            storeID: storeID, firstSequence: 1, chainHashBefore: head.chainHash, timeBefore: 0,
            salt: entropy.next(), unsyncedBytesMax: UInt64(options.unsyncedBytesMax))
    }

    /// Makes the directory of the log.
    ///
    /// - Throws: `LogError`; call `discard` then.
    package func begin() throws(LogError) {
        try onDisk { () throws(DiskError) in try disk.makeDirectoryDurably(.events) }
    }

    /// Takes the next batch, whose time is `time`, in microseconds since 1970.
    ///
    /// - Throws: `LogError`, `.diskFull` among them; call `discard` then.
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

    /// Writes the rest, durably, and makes a log of it.
    ///
    /// - Throws: `LogError`, `.diskFull` among them; call `discard` then.
    package func finish() throws(LogError) {
        try write(activeSegment(), as: .open)
        try onDisk { () throws(DiskError) in
            for name in written.dropFirst().reversed() { try rename(name) }
            try disk.syncDirectory(.events)
            if let first = written.first { try rename(first) }
            try disk.syncDirectory(.events)
        }
    }

    /// Removes what was written, the first segment first; what fails is left.
    package func discard() {
        for name in written + [SegmentName(header.firstSequence, .open)] {
            // The error that led here is the one that counts.
            try? disk.remove(name.path)
            try? disk.remove(SegmentName(name.firstSequence, .temporary).path)
        }
        try? disk.removeDirectory(.events)
    }

    private func rename(_ name: SegmentName) throws(DiskError) {
        try disk.rename(SegmentName(name.firstSequence, .temporary).path, to: name.path)
    }

    /// Seals what was taken, and begins another segment.
    private func endSegment() throws(LogError) {
        try write(sealedSegment(), as: .sealed)
        header.firstSequence = head.sequence + 1
        header.chainHashBefore = head.chainHash
        header.timeBefore = lastTime
        header.salt = entropy.next()
        batches = []
        sizes = []
    }

    private func write(
        _ content: [UInt8], as kind: SegmentName.Kind
    ) throws(LogError) {
        let temporary = SegmentName(header.firstSequence, .temporary)
        try onDisk { () throws(DiskError) in
            let file = try disk.open(temporary.path, .create)
            try content.withBytes { bytes throws(DiskError) in try file.write(bytes, at: 0) }
            try file.sync()
            try file.close()
        }
        written.append(SegmentName(header.firstSequence, kind))
    }

    private func sealedSegment() throws(LogError) -> [UInt8] {
        let name = SegmentName(header.firstSequence, .sealed)
        guard let compressor = Zstd.Compressor() else {
            throw LogError(.limitExceeded, "there is no memory for compression", name)
        }
        var writer = SealedSegmentWriter(header, compressor, options.frameBytes)
        do throws(Zstd.Failure) {
            try forEachBatch { sequence, batch throws(Zstd.Failure) in
                try writer.append(batch, sequence: sequence)
            }
            return try writer.finish(timeAfter: lastTime)
        } catch {
            throw LogError(.io, "sealing failed: \(error)", name)
        }
    }

    /// The newest segment as a writer leaves it that closes in order.
    private func activeSegment() -> [UInt8] {
        var bytes = header.bytes
        var chainHash = header.chainHashBefore
        let before = header.firstSequence - 1
        Array(disk.bootID.utf8).withUnsafeBytes { boot in
            append(.opening, boot, before, chainHash, durable: 0, to: &bytes)
        }
        forEachBatch { sequence, batch in
            chainHash = chainHash.advanced(by: XXH64.hash(batch))
            append(.batch, batch, sequence, chainHash, durable: 0, to: &bytes)
        }
        let empty = UnsafeRawBufferPointer(start: nil, count: 0)
        append(.closing, empty, head.sequence, chainHash, durable: bytes.count, to: &bytes)
        return bytes
    }

    private func append(
        _ kind: Block.Kind, _ payload: UnsafeRawBufferPointer, _ sequence: UInt64,
        _ chainHash: ChainHash, durable: Int, to bytes: inout [UInt8]
    ) {
        let block = Block(
            kind, payload: payload, payloadHash: XXH64.hash(payload), sequence: sequence,
            chainHash: chainHash, durableByteCount: durable)
        block.append(to: &bytes, payload: payload, salt: header.salt)
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
