import SkyrosLog

/// Reads single events, and keeps the chunks of the log that were read last: neighbours in another
/// order than that of the log are often in the same ones.
struct ChunkCache {
    /// 4 MiB, as chunks have about 256 KiB at most.
    private static let countMax = 16

    private let log: any LogReader
    /// The one that was used last is the last one.
    private var chunks: [LogChunk] = []

    init(_ log: any LogReader) {
        self.log = log
    }

    /// The event `sequence`.
    ///
    /// - Throws: `StoreError` with `.noSuchEvent`, `.logCorrupt` and the like.
    mutating func event(_ sequence: SequenceNumber) throws -> Event {
        var found: Event?
        _ = try chunk(sequence)?.forEach(from: sequence.rawValue) { _, bytes in
            found = try EventCoding.event(from: bytes, expecting: sequence)
            return false
        }
        if let found { return found }
        throw StoreError(
            .noSuchEvent, "the log does not hold event \(sequence)",
            at: StoreError.Place(sequences: sequence...sequence))
    }

    private mutating func chunk(_ sequence: SequenceNumber) throws -> LogChunk? {
        let number = sequence.rawValue
        let place = chunks.lastIndex { $0.firstSequence <= number && number <= $0.lastSequence }
        if let place { chunks.append(chunks.remove(at: place)) }
        if place == nil, let chunk = try EventReader(log).chunk(containing: number) {
            if chunks.count == Self.countMax { chunks.removeFirst() }
            chunks.append(chunk)
        }
        return chunks.last
    }
}
