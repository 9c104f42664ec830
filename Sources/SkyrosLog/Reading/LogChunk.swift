/// Some consecutive batches, as they came from one frame or one stretch of a segment.
package struct LogChunk: Sendable {
    /// The sequence of the first batch.
    package let firstSequence: UInt64
    /// The chain hash through the batch before the first.
    package let chainHashBefore: ChainHash
    let bytes: [UInt8]
    let ranges: [Range<Int>]

    init(
        firstSequence: UInt64, chainHashBefore: ChainHash, bytes: [UInt8], ranges: [Range<Int>]
    ) {
        self.firstSequence = firstSequence
        self.chainHashBefore = chainHashBefore
        self.bytes = bytes
        self.ranges = ranges
    }

    /// A chunk of `batches`, which must not be empty, for an engine that keeps them apart.
    package init(firstSequence: UInt64, chainHashBefore: ChainHash, batches: some Sequence<[UInt8]>)
    {
        var bytes: [UInt8] = []
        let ranges = batches.map { batch in
            bytes += batch
            return bytes.count - batch.count..<bytes.count
        }
        self.init(
            firstSequence: firstSequence, chainHashBefore: chainHashBefore, bytes: bytes,
            ranges: ranges)
    }

    /// The number of batches; never 0.
    package var count: Int { ranges.count }

    /// The sequence of the last batch.
    package var lastSequence: UInt64 { firstSequence + UInt64(ranges.count) - 1 }

    /// Calls `body` with the batches from `sequence` on, in order, until it returns false.
    ///
    /// The bytes are valid for the call only. Returns whether `body` wants to see more.
    package func forEach(
        from sequence: UInt64,
        _ body: (_ sequence: UInt64, _ batch: UnsafeRawBufferPointer) throws -> Bool
    ) rethrows -> Bool {
        try bytes.withUnsafeBytes { all in
            for (index, range) in ranges.enumerated() {
                let own = firstSequence + UInt64(index)
                if own < sequence { continue }
                if try !body(own, UnsafeRawBufferPointer(rebasing: all[range])) { return false }
            }
            return true
        }
    }
}

/// Tells how long the payload at the start of some bytes is, or nil if there is no whole one.
///
/// A sealed segment holds nothing but payloads, one after the other, so they must tell their
/// own length; the log does not know how and is told.
package typealias PayloadFraming = @Sendable (UnsafeRawBufferPointer) -> Int?
