import SkyrosDisk
import SkyrosTesting
import Testing

@testable import SkyrosLog

@Suite struct `A scan of a log` {
    private let log: DamagedLog
    private let names: [SegmentName]

    init() throws {
        log = try DamagedLog()
        names = log.names
    }

    /// Expects exactly this damage, and history up to `last`.
    private func expect(
        _ damages: [String], through last: UInt64, lost: ClosedRange<UInt64>? = nil,
        location: SourceLocation = #_sourceLocation
    ) throws {
        let before = log.disk.contents
        let scan = try log.scan()
        #expect(scan.damages.map(\.summary) == damages, sourceLocation: location)
        #expect(scan.head.sequence == last, sourceLocation: location)
        #expect(try scan.batches() == expected(last), sourceLocation: location)
        let readable = try DamagedLog.readable(scan)
        for (number, batch) in readable {
            #expect(batch == LogFixture.batch(number), sourceLocation: location)
        }
        let missing = (1...log.count).filter { readable[$0] == nil }
        #expect(missing == lost.map(Array.init) ?? [], sourceLocation: location)
        #expect(log.disk.contents == before, sourceLocation: location)
    }

    @Test func `starts from a log with every kind of segment`() throws {
        #expect(names.map(\.kind) == [.sealed, .sealed, .sealed, .open, .open])
        for name in names.prefix(3) { #expect(try log.sealed(name).frames.count >= 3) }
    }

    @Test func `finds no damage in an intact log`() throws {
        try expect([], through: log.count)
        let scan = try log.scan()
        let (reopened, _) = try log.fixture.open(log.disk.killed())
        #expect(scan.head == reopened.head)
        #expect(scan.storeID == reopened.storeID)
        #expect(scan.readableAfterDamage.isEmpty && scan.tornTail == nil)
        for number in 1...log.count {
            let chunk = try #require(try scan.chunk(containing: number))
            #expect(chunk.firstSequence <= number && number <= chunk.lastSequence)
        }
        #expect(try scan.chunk(containing: 0) == nil)
        #expect(try scan.chunk(containing: log.count + 1) == nil)
    }

    @Test func `reads nothing after the last number`() throws {
        var count = 0
        for number in [log.count, UInt64.max - 1, UInt64.max] {
            try log.scan().forEach(after: number) { _, _ in
                count += 1
                return true
            }
        }
        #expect(count == 0)
    }

    @Test func `throws if there is no log`() {
        #expect(
            logCode {
                _ = try DamageScan(
                    of: SimulatedDisk(), LogOptions(), framing: LogFixture.framing)
            } == .segmentMissing)
    }

    // MARK: Sealed segments

    @Test func `names the damaged frame and its batches`() throws {
        let frame = try log.sealed(names[1]).extent(ofFrame: 1)
        let lost = frame.sequences
        log.flip(names[1], at: frame.offset + frame.byteCount / 2)
        try expect(
            ["corrupt \(names[1]) @\(frame.offset) frame 2 \(lost)"],
            through: lost.lowerBound - 1, lost: lost)
        #expect(try log.scan().readableAfterDamage == [lost.upperBound + 1...log.count])
    }

    @Test func `continues after the first damage`() throws {
        let first = try log.sealed(names[0]).frames[0]
        let second = try log.sealed(names[2]).frames[1]
        log.flip(names[0], at: first.offset + first.compressedByteCount / 2)
        log.flip(names[2], at: second.offset + second.compressedByteCount / 2)
        let block = try #require(try log.blocks(of: names[3]).first { $0.block.kind == .batch })
        log.flip(names[3], at: block.offset + Block.headerByteCount)
        let scan = try log.scan()
        #expect(scan.damages.map(\.segment) == [names[0], names[2], names[3]])
        #expect(scan.damages.map(\.frame) == [1, 2, nil])
        #expect(scan.head.sequence == 0)
        #expect(scan.readableAfterDamage.count == 3)
    }

    @Test(arguments: [SealedPart.headerFrame, .header, .index, .tableSize, .tableEnd])
    func `reads every batch if only header, index or seek table is damaged`(part: SealedPart) throws
    {
        for index in 0..<3 {
            let log = try DamagedLog()
            let name = names[index]
            let segment = try log.sealed(name)
            log.flip(name, at: part.offset(in: segment, byteCount: log.bytes(of: name).count))
            #expect(logCode { _ = try log.sealed(name) } == .corrupt)
            let scan = try log.scan()
            let damage = try #require(scan.damages.first)
            #expect(scan.damages.count == 1 && damage.isReadable && damage.segment == name)
            #expect(damage.sequences == segment.header.firstSequence...segment.lastSequence)
            #expect(scan.head.sequence == log.count)
            #expect(try scan.batches() == expected(log.count))
        }
    }

    @Test func `reads a frame whose size is wrong in the seek table`() throws {
        let segment = try log.sealed(names[1])
        let size = log.bytes(of: names[1]).count
        let table = size - SeekTable.byteCount(entries: segment.frames.count + 2)
        // The first entry is that of the header's frame.
        log.flip(
            names[1],
            at: table + SkippableFrame.headerByteCount + SeekTable.entryByteCount
                + SeekTable.EntryOffset.contentByteCount)
        let frame = segment.extent(ofFrame: 0)
        try expect(
            ["corrupt \(names[1]) @\(frame.offset) frame 1 \(frame.sequences) readable"],
            through: log.count)
    }

    /// A part of a sealed segment that holds no batches.
    enum SealedPart: CaseIterable {
        case headerFrame, header, index, tableSize, tableEnd

        func offset(in segment: SealedSegment, byteCount: Int) -> Int {
            let entries = segment.frames.count + 2
            let table = byteCount - SeekTable.byteCount(entries: entries)
            return switch self {
            case .headerFrame: 2
            case .header: SkippableFrame.headerByteCount + 58
            case .index: table - 1
            case .tableSize: table + SkippableFrame.headerByteCount + 12
            case .tableEnd: byteCount - 1
            }
        }
    }

    // MARK: Open segments

    @Test func `names the damaged block in an ended segment`() throws {
        let blocks = try log.blocks(of: names[3]).filter { $0.block.kind == .batch }
        let (offset, block) = blocks[1]
        log.flip(names[3], at: offset + Block.headerByteCount + 1)
        let lost = block.sequence
        try expect(
            ["corrupt \(names[3]) @\(offset) \(lost)...\(lost)"], through: lost - 1,
            lost: lost...lost)
        #expect(try log.scan().readableAfterDamage == [lost + 1...log.count])
    }

    @Test func `finds the next block after a damaged header`() throws {
        let blocks = try log.blocks(of: names[3]).filter { $0.block.kind == .batch }
        let (offset, block) = blocks[1]
        log.flip(names[3], at: offset + 4)
        let lost = block.sequence
        try expect(
            ["corrupt \(names[3]) @\(offset) \(lost)...\(lost)"], through: lost - 1,
            lost: lost...lost)
    }

    @Test func `loses no batch with a damaged mark`() throws {
        let opening = try #require(try log.blocks(of: names[3]).first)
        #expect(opening.block.kind == .opening)
        log.flip(names[3], at: opening.offset + 20)
        try expect(["corrupt \(names[3]) @96 readable"], through: log.count)
    }

    @Test func `reports damage below the durable watermark`() throws {
        let blocks = try log.blocks(of: names[4])
        let first = try #require(blocks.first { $0.block.kind == .batch })
        log.flip(names[4], at: first.offset + Block.headerByteCount)
        let lost = first.block.sequence
        try expect(
            ["corrupt \(names[4]) @\(first.offset) \(lost)...\(lost)"], through: lost - 1,
            lost: lost...lost)
    }

    @Test func `reports damage above the watermark that no crash explains`() throws {
        let blocks = try log.blocks(of: names[4])
        let (offset, block) = blocks[blocks.count - 2]
        #expect(block.sequence == log.count - 1)
        log.flip(names[4], at: offset + Block.headerByteCount)
        // An intact block follows, in the same boot.
        try expect(
            ["corrupt \(names[4]) @\(offset) \(block.sequence)...\(block.sequence) above"],
            through: block.sequence - 1, lost: block.sequence...block.sequence)
        #expect(try log.scan().tornTail == nil)
        // After a reboot, a power cut explains it.
        log.disk.nameBoot("another")
        let scan = try log.scan()
        #expect(scan.damages.isEmpty)
        #expect(
            scan.tornTail?.summary
                == "corrupt \(names[4]) @\(offset) \(block.sequence)...\(log.count) above")
        #expect(scan.readableAfterDamage == [log.count...log.count])
    }

    @Test func `reports an incomplete write at the end as torn`() throws {
        let (offset, block) = try #require(try log.blocks(of: names[4]).last)
        log.flip(names[4], at: offset + Block.headerByteCount)
        let scan = try log.scan()
        #expect(scan.damages.isEmpty)
        #expect(scan.head.sequence == log.count - 1)
        #expect(
            scan.tornTail?.summary
                == "corrupt \(names[4]) @\(offset) \(block.sequence)...\(log.count) and more above")
    }

    /// Opening the log cuts the tail off, even if the disk wrote a copy of it elsewhere.
    @Test func `does not continue after a torn tail with a copy of it`() throws {
        let (offset, block) = try #require(try log.blocks(of: names[4]).last)
        var bytes = log.bytes(of: names[4])
        let copy = bytes[offset..<offset + block.byteCount]
        let end = offset + block.byteCount
        bytes.replaceSubrange(end..<min(end + copy.count, bytes.count), with: copy)
        bytes[offset + Block.headerByteCount] ^= 1
        log.overwrite(names[4], bytes)
        log.disk.nameBoot("another")
        let scan = try log.scan()
        #expect(scan.damages.isEmpty)
        #expect(scan.tornTail?.sequences?.lowerBound == log.count)
        #expect(scan.head.sequence == log.count - 1)
        #expect(scan.readableAfterDamage == [log.count...log.count])
        #expect(try log.fixture.open(log.disk.killed()).0.head == scan.head)
    }

    /// An operator copies files; what is in this one is where it belongs.
    @Test func `finds nothing in a copy of a torn segment under another name`() throws {
        let (offset, _) = try #require(try log.blocks(of: names[4]).last)
        log.flip(names[4], at: offset + Block.headerByteCount)
        let copy = SegmentName(1, .open)
        log.overwrite(copy, log.bytes(of: names[4]))
        let scan = try log.scan()
        #expect(scan.damages.isEmpty)
        #expect(scan.tornTail?.segment == names[4])
        #expect(scan.head.sequence == log.count - 1)
        log.flip(copy, at: log.bytes(of: copy).count - 1)
        #expect(try log.scan().damages.map(\.segment) == [copy])
    }

    @Test func `reads the batches after a damaged header`() throws {
        for (name, offset) in [(names[3], 70), (names[4], 70), (names[3], 58), (names[4], 20)] {
            let copy = try DamagedLog()
            copy.flip(name, at: offset)
            let scan = try copy.scan()
            #expect(scan.damages.count == 1)
            #expect(scan.damages.first?.offset == 0)
            #expect(scan.damages.first?.segment == name)
            #expect(scan.damages.first?.isReadable == true)
            #expect(scan.head.sequence == copy.count)
        }
    }
}
