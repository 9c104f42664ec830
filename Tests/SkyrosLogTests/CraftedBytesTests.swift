import SkyrosDisk
import SkyrosTesting
import Testing

@testable import SkyrosLog

/// Files with correct checksums and numbers that no writer would write.
@Suite struct `A crafted segment` {
    private let disk = SimulatedDisk()
    private let fixture = LogFixture(segmentBytesMax: 900)

    private func header(from sequence: UInt64) -> SegmentHeader {
        SegmentHeader(
            storeID: fixture.storeID, firstSequence: sequence,
            chainHashBefore: ChainHash(beginning: fixture.storeID), timeBefore: 0, salt: 1,
            unsyncedBytesMax: 1_000)
    }

    @Test func `is refused if it starts before the first event (F63)`() throws {
        let name = SegmentName(0, .open)
        try disk.makeDirectory(.events)
        disk.overwrite("events/\(name)", with: header(from: 0).bytes)
        #expect(logCode { _ = try fixture.open(disk) } == .corrupt)
    }

    @Test(arguments: [(sequence: 4, isOther: false), (3, true)])
    func `is refused if it skips an event or changes history (F33, F63)`(
        sequence: UInt64, isOther: Bool
    ) throws {
        let log = try fixture.make(on: disk)
        try log.append(2)
        let past = isOther ? ChainHash(beginning: fixture.storeID) : log.head.chainHash
        let batch = LogFixture.batch(sequence)
        let next = try disk(
            after: log, .batch, batch, as: sequence, past.advanced(by: XXH64.hash(batch)))
        let (opened, recovery) = try fixture.open(next)
        #expect(try opened.batches() == expected(2))
        #expect(recovery.quarantined != nil)
    }

    /// The disk after a kill, with one more block after those of the log's only segment.
    private func disk(
        after log: FileLog, _ kind: Block.Kind, _ batch: [UInt8], as sequence: UInt64,
        _ chainHash: ChainHash
    ) throws -> SimulatedDisk {
        let name = SegmentName(1, .open)
        var bytes = Array((disk.contents["events/\(name)"] ?? []).prefix(log.statistics.fileBytes))
        let salt = try SegmentHeader(bytes, in: name).salt
        append(kind, batch, as: sequence, chainHash, to: &bytes, salt: salt)
        let next = disk.killed()
        next.overwrite("events/\(name)", with: bytes)
        return next
    }

    private func append(
        _ kind: Block.Kind, _ batch: [UInt8], as sequence: UInt64, _ chainHash: ChainHash,
        to bytes: inout [UInt8], salt: UInt64
    ) {
        batch.withUnsafeBytes { payload in
            let block = Block(
                kind, payload: payload, payloadHash: XXH64.hash(batch), sequence: sequence,
                chainHash: chainHash, durableByteCount: 0)
            block.append(to: &bytes, payload: payload, salt: salt)
        }
    }

    @Test func `whose last mark continues another history has a torn tail without an event`()
        throws
    {
        let log = try fixture.make(on: disk)
        try log.append(2)
        let next = try disk(after: log, .idle, [], as: 2, ChainHash(beginning: fixture.storeID))
        let scan = try fixture.scan(next)
        #expect(scan.damages.isEmpty && scan.head == log.head)
        let tail = try #require(scan.tornTail)
        #expect(tail.sequences == nil && tail.wholeBatchCount == 0)
        #expect(try fixture.open(next).0.batches() == expected(2))
    }

    /// Such an event could have no successor.
    @Test func `is refused if it ends with the last number (F63)`() throws {
        let start = header(from: .max)
        let batch = LogFixture.batch(.max)
        var bytes = start.bytes
        append(
            .batch, batch, as: .max, start.chainHashBefore.advanced(by: XXH64.hash(batch)),
            to: &bytes, salt: start.salt)
        try disk.makeDirectory(.events)
        disk.overwrite("events/\(SegmentName(.max, .open))", with: bytes)
        disk.overwrite("events/\(SegmentName(.max, .sealed))", with: [1])
        #expect(logCode { _ = try fixture.open(disk) } == .corrupt)
        #expect(try fixture.scan(disk).damages.first != nil)
    }

    @Test func `takes no event with the last number`() throws {
        try disk.makeDirectory(.events)
        let active = try OpenSegment(
            creating: header(from: .max - 1), in: SegmentDirectory(on: disk))
        let format = FrameFormat(fixture.options, LogFixture.framing)
        let catalog = LogCatalog(format: format, active: active)
        let log = FileLog(catalog, on: disk, fixture.options)
        try log.append(1)
        #expect(logCode { try log.append(1) } == .limitExceeded)
        #expect(log.head.sequence == UInt64.max - 1)
        #expect(try log.batches(from: .max - 1) == [LogFixture.batch(.max - 1)])
    }

    @Test(arguments: [UInt64.max, UInt64.max - 1, 1 << 40, 0] as [UInt64])
    func `is refused if it claims more batches than bytes (F36)`(batchCount: UInt64) throws {
        try seal { $0.batchCount = batchCount }
        #expect(logCode { _ = try fixture.open(disk).0.batches() } == .corrupt)
    }

    @Test func `is refused if its index and its batches differ in history (F33)`() throws {
        try seal { $0.frames[1].chainHashBefore = ChainHash(beginning: fixture.storeID) }
        #expect(logCode { _ = try fixture.open(disk).0.batches() } == .chainBroken)
    }

    /// No writer writes such a frame, whatever its limits.
    @Test func `is damaged if a frame claims to be larger than any limit (F35)`() throws {
        try seal { _ in }
        let path = "events/\(SegmentName(1, .sealed))"
        var bytes = try #require(disk.contents[path])
        let footer = bytes.suffix(SeekTable.footerByteCount)
        let count = try #require(footer.withUnsafeBytes { SeekTable.entryCount(footer: $0) })
        let entries = bytes.count - SeekTable.byteCount(entries: count) + 8
        // The highest byte of the content's size, in the entry of the first frame with batches.
        bytes[entries + SeekTable.entryByteCount + 7] = 0x80
        disk.overwrite(path, with: bytes)
        #expect(logCode { _ = try fixture.open(disk).0.batches() } == .corrupt)
    }

    @Test func `does not read a frame beyond the limit (F35)`() throws {
        try seal { _ in }
        let segment = try SealedSegment(SegmentName(1, .sealed), on: disk)
        func chunk(_ contentBytesMax: Int) throws -> LogChunk {
            try segment.chunk(
                containing: 1,
                FrameFormat(framing: LogFixture.framing, contentBytesMax: contentBytesMax))
        }
        let size = try chunk(1 << 20).bytes.count
        #expect(try chunk(size).lastSequence >= 1)
        #expect(logCode { _ = try chunk(size - 1) } == .corrupt)
    }

    /// Seals a segment, and writes another index into it, with a correct hash.
    private func seal(_ change: (inout SegmentIndex) -> Void) throws {
        let log = try fixture.make(on: disk)
        while log.statistics.segmentCount == 1 { try log.append(1) }
        _ = try log.sealNext()
        try log.close()
        let path = "events/\(SegmentName(1, .sealed))"
        var bytes = try #require(disk.contents[path])
        let start = try #require(
            bytes.indices.first { bytes[$0...].starts(with: [0x51, 0x2A, 0x4D, 0x18]) })
        let size = bytes.withUnsafeBytes { $0.integer(at: start + 4) as UInt32 }
        let content = start + 8..<start + 8 + Int(size)
        var index = try #require(
            bytes.withUnsafeBytes { SegmentIndex($0.slice(content.lowerBound, content.count)) })
        change(&index)
        bytes.replaceSubrange(content, with: index.bytes)
        disk.overwrite(path, with: bytes)
    }
}
