/// Consecutive batches, as they were read together.
package struct LogChunk: Sendable {
    package let firstSequence: UInt64
    /// The chain hash through the batch before the first.
    package let chainHashBefore: ChainHash
    let bytes: [UInt8]
    let ranges: [Range<Int>]

    /// The number of batches; never 0.
    package var count: Int { ranges.count }

    package var lastSequence: UInt64 { firstSequence + UInt64(ranges.count) - 1 }

    /// The batches through `last`, which must be one of the chunk or come after it.
    func cut(after last: UInt64) -> LogChunk {
        guard last < lastSequence else { return self }
        return LogChunk(
            firstSequence: firstSequence, chainHashBefore: chainHashBefore, bytes: bytes,
            ranges: Array(ranges.prefix(Int(last - firstSequence) + 1)))
    }

    /// Calls `body` with the batches from `sequence` on, in order, until it returns false.
    ///
    /// The bytes are valid for the call only. Returns whether `body` wants more batches.
    package func forEach<E: Error>(
        from sequence: UInt64,
        _ body: (_ sequence: UInt64, _ batch: UnsafeRawBufferPointer) throws(E) -> Bool
    ) throws(E) -> Bool {
        try bytes.withBytes { all throws(E) in
            for (index, range) in ranges.enumerated() {
                let number = firstSequence + UInt64(index)
                if number < sequence { continue }
                if try !body(number, UnsafeRawBufferPointer(rebasing: all[range])) { return false }
            }
            return true
        }
    }
}

extension LogChunk {
    /// A chunk of `batches`, of which there must be one, for an engine that keeps them apart.
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
}

/// Returns the length of the payload at the start of some bytes, or nil if it is not complete.
///
/// A sealed segment holds payloads without anything between them, and the log does not know where
/// one ends.
package typealias PayloadFraming = @Sendable (UnsafeRawBufferPointer) -> Int?

/// What a reader needs to know of the payloads in a frame.
struct FrameFormat: Sendable {
    let framing: PayloadFraming
    let contentBytesMax: Int

    /// Splits `bytes` into batches; nil if there is anything else among them.
    func ranges(in bytes: UnsafeRawBufferPointer) -> [Range<Int>]? {
        var ranges: [Range<Int>] = []
        var offset = 0
        while offset < bytes.count {
            let rest = bytes.slice(offset, bytes.count - offset)
            guard let count = framing(rest), count > 0, count <= rest.count else { return nil }
            ranges.append(offset..<offset + count)
            offset += count
        }
        return ranges
    }
}

extension FrameFormat {
    init(_ options: LogOptions, _ framing: @escaping PayloadFraming) {
        self.init(framing: framing, contentBytesMax: options.contentBytesMax)
    }
}
