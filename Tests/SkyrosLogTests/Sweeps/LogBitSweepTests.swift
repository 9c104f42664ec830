import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import SkyrosLog

/// Flips every bit of a log of 64 KiB, and opens it, or reads the frame that has the bit.
@Suite(.long) struct `A log with one wrong bit` {
    private let log: SweepLog
    private let result = SweepResult()

    init() throws {
        log = try SweepLog(sealedBytes: 40_000, openBytes: 3_000)
    }

    /// A frame of a sealed segment and its batches.
    private struct Frame {
        let range: Range<Int>
        let sequences: ClosedRange<UInt64>

        /// Whether no reader uses a bit: the unused bit in the frame's header (RFC 8878, section
        /// 3.1.1.1.1).
        func isUnused(_ bit: Int, at offset: Int) -> Bool {
            bit == 4 && offset == range.lowerBound + 4
        }
    }

    private func sealed(_ path: String, on disk: any Disk) throws -> SealedSegment {
        let name = try #require(SegmentName(String(path.dropFirst("events/".count))))
        return try SealedSegment(name, on: disk)
    }

    /// The seek table of a sealed segment, and the offset of its entries.
    private func seekTable(_ bytes: [UInt8]) throws -> (table: SeekTable, entries: Int) {
        let footer = bytes.suffix(SeekTable.footerByteCount)
        let count = try #require(footer.withUnsafeBytes { SeekTable.entryCount(footer: $0) })
        let size = SeekTable.byteCount(entries: count)
        let table = try #require(bytes.suffix(size).withUnsafeBytes { SeekTable($0) })
        return (table, bytes.count - size + SkippableFrame.headerByteCount)
    }

    /// Whether a byte of the seek table serves other readers only: the hashes of the frames'
    /// content, and the content size of the index.
    private func isForOthers(_ offset: Int, in bytes: [UInt8]) throws -> Bool {
        let (table, entries) = try seekTable(bytes)
        let place = offset - entries
        guard place >= 0, place < table.entries.count * SeekTable.entryByteCount else {
            return false
        }
        let isOfIndex = place / SeekTable.entryByteCount == table.entries.count - 1
        return place % SeekTable.entryByteCount >= (isOfIndex ? 4 : 8)
    }

    private func frames(_ path: String) throws -> [Frame] {
        let bytes = log.content(path)
        let segment = try sealed(path, on: log.disk)
        let table = try seekTable(bytes).table
        var offset = Int(table.entries[0].compressedByteCount)
        var next = segment.header.firstSequence
        return try table.entries.dropFirst().dropLast().map { entry in
            let chunk = try chunk(of: segment, next)
            let range = offset..<offset + Int(entry.compressedByteCount)
            defer { (offset, next) = (range.upperBound, chunk.lastSequence + 1) }
            return Frame(range: range, sequences: next...chunk.lastSequence)
        }
    }

    private func chunk(of segment: SealedSegment, _ sequence: UInt64) throws -> LogChunk {
        try segment.chunk(
            containing: sequence, FrameFormat(log.fixture.options, LogFixture.framing))
    }

    @Test func `has 64 KiB, and its opening reads no frame of a sealed segment`() throws {
        let size = log.disk.contents.values.reduce(0) { $0 + $1.count }
        #expect(size > 60_000)
        let whole = try log.fixture.inspect(log.disk)
        let copy = log.disk.killed()
        for path in log.sealed {
            var bytes = log.content(path)
            for frame in try frames(path) {
                for index in frame.range { bytes[index] = 0xFF }
            }
            copy.overwrite(path, with: bytes)
        }
        let damaged = try log.fixture.inspect(copy)
        #expect(damaged.head == whole.head)
        #expect(damaged.verdict == whole.verdict)
    }

    @Test func `is damaged in a sealed segment, and reads no wrong batch (F24, F34)`()
        throws
    {
        for path in log.sealed {
            let bytes = log.content(path)
            let frames = try frames(path)
            let first = try #require(frames.first), last = try #require(frames.last)
            inParallel(frames.count) { index in
                do {
                    try sweep(frames[index], of: path)
                } catch {
                    result.noteWrong("\(path), frame \(index): \(error)")
                }
            }
            let rest = [0..<first.range.lowerBound, last.range.upperBound..<bytes.count]
            for range in rest {
                try open(path, range, from: 1, rebooted: false) { try isForOthers($0, in: bytes) }
            }
        }
        result.report("log bits, sealed")
    }

    @Test func `is refused if the bit is in an ended segment (F24)`() throws {
        let bytes = log.content(log.ended)
        try open(log.ended, bytes.indices, from: log.firstUnsealed, rebooted: false) {
            Self.isPadding($0, in: bytes)
        }
        result.report("log bits, ended")
    }

    @Test(arguments: [false, true])
    func `loses nothing durable if the bit is in the active segment (F24, F34)`(rebooted: Bool)
        throws
    {
        let bytes = log.content(log.active)
        try open(log.active, bytes.indices, from: log.firstUnsealed, rebooted: rebooted) {
            Self.isPadding($0, in: bytes)
        }
        result.report("log bits, active\(rebooted ? ", rebooted" : "")")
    }

    /// The bytes of a range whose bits are flipped: all, or a sample.
    private static func offsets(_ range: Range<Int>) -> [Int] {
        let interval = Extent.pick(brief: 16, quick: 1)
        return Array(stride(from: range.lowerBound, to: range.upperBound, by: interval))
    }

    /// Flips each bit of a frame and reads the frame.
    private func sweep(_ frame: Frame, of path: String) throws {
        let disk = MemoryDisk()
        let bytes = log.content(path)
        disk.makeDirectory(.events)
        let place = DiskPath(.events, String(path.dropFirst("events/".count)))
        let file = try disk.open(place, .create)
        try bytes.withUnsafeBytes { try file.write($0, at: 0) }
        let segment = try sealed(path, on: disk)
        let (first, last) = (frame.sequences.lowerBound, frame.sequences.upperBound)
        let expected = log.batches[Int(first - 1)..<Int(last)]
        for offset in Self.offsets(frame.range) {
            for bit in 0..<8 {
                result.note("bits")
                try write(bytes[offset] ^ (1 << bit), to: file, at: offset)
                let outcome: SweepOutcome
                do {
                    let chunk = try chunk(of: segment, first)
                    let isRight =
                        Self.holds(chunk, expected) && frame.isUnused(bit, at: offset)
                    outcome = isRight ? .whole : .wrong("unnoticed")
                } catch let error as LogError {
                    let isNamed =
                        error.file?.name == place.name && error.sequences == frame.sequences
                    outcome = isNamed ? .refused : .wrong("\(error)")
                }
                result.note(outcome, "\(path), byte \(offset), bit \(bit)")
            }
            try write(bytes[offset], to: file, at: offset)
        }
    }

    private static func holds(_ chunk: LogChunk, _ expected: ArraySlice<[UInt8]>) -> Bool {
        var count = 0
        let isEqual = chunk.forEach(from: chunk.firstSequence) { _, batch in
            defer { count += 1 }
            return count < expected.count
                && batch.elementsEqual(expected[expected.startIndex + count])
        }
        return isEqual && count == expected.count
    }

    private func write(_ byte: UInt8, to file: any DiskFile, at offset: Int) throws {
        try withUnsafeBytes(of: byte) { try file.write($0, at: offset) }
    }

    /// Whether a byte is a reserved zero by the documented format: padding between two blocks, or
    /// after the last one.
    private static func isPadding(_ place: Int, in bytes: [UInt8]) -> Bool {
        let blocks = BlockLocation.all(in: bytes)
        guard let block = blocks.first(where: { $0.range.contains(place) }) else {
            return place >= blocks.last?.range.upperBound ?? 96
        }
        return place >= block.payloadEnd
    }

    /// Flips each bit in a range of a segment, opens the log, and reads it from a batch on.
    ///
    /// - Parameter isUnused: whether a change of the byte may stay unnoticed.
    private func open(
        _ path: String, _ range: Range<Int>, from first: UInt64, rebooted: Bool,
        unless isUnused: (Int) throws -> Bool
    ) throws {
        let bytes = log.content(path)
        let unused = Set(try range.filter(isUnused))
        let offsets = Self.offsets(range)
        inParallel(offsets.count) { index in
            let offset = offsets[index]
            for bit in 0..<8 {
                result.note("bits")
                var damaged = bytes
                damaged[offset] ^= 1 << bit
                let disk = log.disk(path, damaged, rebooted: rebooted)
                var outcome = SweepOutcome(of: disk, path, from: first, log)
                if case .cut(let count) = outcome, path != log.active || count < log.durableCount {
                    outcome = .wrong("cut to \(count)")
                }
                if outcome == .whole, !unused.contains(offset) { outcome = .wrong("unnoticed") }
                result.note(outcome, "\(path), byte \(offset), bit \(bit)")
            }
        }
    }
}
