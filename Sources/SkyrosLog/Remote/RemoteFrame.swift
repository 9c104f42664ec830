/// Neighbouring batches that a server keeps compressed.
package struct RemoteFrame: Equatable, Sendable {
    package let sequences: ClosedRange<UInt64>
    /// The chain hash through the batch before the first.
    package let chainHashBefore: ChainHash
    package let chainHashAfter: ChainHash
    /// A zstd frame of the batches, one after the other, as in a sealed segment.
    package let zstd: [UInt8]

    package init(
        _ sequences: ClosedRange<UInt64>, chainHashBefore: ChainHash, chainHashAfter: ChainHash,
        zstd: [UInt8]
    ) {
        self.sequences = sequences
        self.chainHashBefore = chainHashBefore
        self.chainHashAfter = chainHashAfter
        self.zstd = zstd
    }

    /// Compresses batches, of which there is at least one; nil if there is no memory for it.
    init?(_ batches: [RemoteBatch], after chainHashBefore: ChainHash) {
        guard let first = batches.first, let last = batches.last,
            let compressor = Zstd.Compressor(),
            let zstd = try? compressor.frame(batches.flatMap(\.bytes))
        else { return nil }
        self.init(
            first.sequence...last.sequence, chainHashBefore: chainHashBefore,
            chainHashAfter: last.chainHash, zstd: zstd)
    }

    /// The batches in it.
    ///
    /// - Throws: `LogError` with `.corrupt` if they are not those that the server says.
    func batches(_ format: FrameFormat) throws(LogError) -> [RemoteBatch] {
        let content: [UInt8]
        do throws(Zstd.Failure) {
            content = try zstd.withBytes { bytes throws(Zstd.Failure) in
                try Zstd.content(of: bytes, byteCountMax: format.contentBytesMax)
            }
        } catch {
            throw damage("it cannot be decompressed: \(error)")
        }
        guard let ranges = content.withBytes({ format.ranges(in: $0) }),
            !ranges.isEmpty,
            UInt64(ranges.count - 1) == sequences.upperBound - sequences.lowerBound
        else { throw damage("it has another number of events") }
        var chainHash = chainHashBefore
        var batches: [RemoteBatch] = []
        batches.reserveCapacity(ranges.count)
        for (sequence, range) in zip(sequences, ranges) {
            let bytes = Array(content[range])
            chainHash = chainHash.advanced(by: bytes.withBytes { XXH64.hash($0) })
            batches.append(RemoteBatch(sequence: sequence, chainHash: chainHash, bytes: bytes))
        }
        guard chainHash == chainHashAfter else { throw damage("its events have other bytes") }
        return batches
    }

    private func damage(_ why: String) -> LogError {
        LogError(
            .corrupt,
            "a frame on the server is damaged: \(why); restore the server, or bring the "
                + "log of a node to another one", sequences: sequences)
    }
}

extension RemoteFrame {
    /// A frame of the batches of a log that follow `sealed`; nil if there are none.
    ///
    /// - Parameters:
    ///   - last: the last batch that may be in it.
    ///   - byteCount: the bytes of its batches, about.
    static func next(
        after sealed: UInt64, through last: UInt64, byteCount frameBytes: Int,
        of log: some LogReader
    ) throws(LogError) -> RemoteFrame? {
        var batches: [RemoteBatch] = []
        var byteCount = 0
        var before: ChainHash?
        var next = sealed + 1
        while next <= last, byteCount < frameBytes {
            guard let chunk = try log.chunk(containing: next) else { return nil }
            var chainHash =
                next == chunk.firstSequence
                ? chunk.chainHashBefore : chunk.chainHash(through: next - 1)
            before = before ?? chainHash
            _ = chunk.forEach(from: next) { sequence, bytes in
                guard sequence <= last, byteCount < frameBytes else { return false }
                chainHash = chainHash.advanced(by: XXH64.hash(bytes))
                batches.append(
                    RemoteBatch(sequence: sequence, chainHash: chainHash, bytes: [UInt8](bytes)))
                byteCount += bytes.count
                next = sequence + 1
                return true
            }
        }
        return before.flatMap { RemoteFrame(batches, after: $0) }
    }
}

extension LogServer {
    /// The next batches from `sequence` on, whether the server has compressed them or not; none if
    /// it does not hold `sequence`.
    ///
    /// - Parameter sealedThrough: the last batch of which it is known that it is compressed: for
    ///   those the newest batches are not asked for, which may be many.
    func next(
        from sequence: UInt64, sealedThrough: UInt64 = 0, byteCountMax: Int, _ format: FrameFormat
    ) throws(ServerError) -> [RemoteBatch] {
        if sequence <= sealedThrough, let frame = try frame(containing: sequence) {
            return try frame.batches(from: sequence, format)
        }
        let batches = try batches(from: sequence, byteCountMax: byteCountMax)
        if batches.first?.sequence == sequence {
            // The last one of a frame may be there, too.
            return zip(sequence..., batches).prefix { $0 == $1.sequence }.map(\.1)
        }
        // They may have been compressed between the two questions.
        guard let frame = try frame(containing: sequence) else { return [] }
        return try frame.batches(from: sequence, format)
    }

    /// The chain hash through a batch, whether it is compressed or not; nil if the server does not
    /// hold it.
    func chainHash(
        through sequence: UInt64, _ format: FrameFormat
    ) throws(ServerError) -> ChainHash? {
        if let chainHash = try chainHash(through: sequence) { return chainHash }
        return try compressedChainHash(through: sequence, format)
    }

    /// The chain hash through a batch that is compressed; nil if it is not.
    func compressedChainHash(
        through sequence: UInt64, _ format: FrameFormat
    ) throws(ServerError) -> ChainHash? {
        guard let frame = try frame(containing: sequence) else { return nil }
        if sequence == frame.sequences.upperBound { return frame.chainHashAfter }
        return try frame.read(format).first { $0.sequence == sequence }?.chainHash
    }
}

extension RemoteFrame {
    fileprivate func batches(
        from sequence: UInt64, _ format: FrameFormat
    ) throws(ServerError) -> [RemoteBatch] {
        try read(format).filter { $0.sequence >= sequence }
    }

    fileprivate func read(_ format: FrameFormat) throws(ServerError) -> [RemoteBatch] {
        do throws(LogError) {
            return try batches(format)
        } catch {
            throw .refused(error)
        }
    }
}
