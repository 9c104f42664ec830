import SkyrosDisk
import SkyrosTesting
import Testing

@testable import SkyrosLog

/// Files that are missing, empty, swapped, or of another store.
@Suite struct `A scan of files` {
    private let log: DamagedLog
    private let names: [SegmentName]

    init() throws {
        log = try DamagedLog()
        names = log.names
    }

    private func first(_ index: Int) -> UInt64 { names[index].firstSequence }

    /// The findings of a scan, one a line. The scan changes nothing.
    private func damages() throws -> [String] {
        let before = log.disk.contents
        defer { #expect(log.disk.contents == before) }
        let scan = try log.scan()
        #expect(try scan.batches() == expected(scan.head.sequence))
        return scan.damages.map(\.summary)
    }

    @Test(arguments: [0, 1, 2, 3])
    func `names a missing segment and its batches`(index: Int) throws {
        log.erase(names[index])
        let missing = SegmentName(first(index), .sealed)
        #expect(
            try damages() == [
                "segmentMissing \(missing) \(first(index))...\(first(index + 1) - 1)"
            ])
        let scan = try log.scan()
        #expect(scan.head.sequence == first(index) - 1)
        #expect(scan.readableAfterDamage == [first(index + 1)...log.count])
    }

    @Test func `names the missing active segment after a sealed one`() throws {
        log.erase(names[3])
        log.erase(names[4])
        #expect(
            try damages() == [
                "segmentMissing \(SegmentName(first(3), .open)) \(first(3))...\(first(3)) and more"
            ])
        #expect(try log.scan().head.sequence == first(3) - 1)
    }

    @Test(arguments: [0, 1, 2, 3, 4])
    func `finds an empty file`(index: Int) throws {
        log.overwrite(names[index], [])
        let range =
            index < 4
            ? "\(first(index))...\(first(index + 1) - 1)"
            : "\(first(index))...\(first(index)) and more"
        #expect(try damages() == ["corrupt \(names[index]) @0 \(range)"])
        #expect(try log.scan().head.sequence == first(index) - 1)
    }

    @Test(arguments: [1, 3, 4])
    func `finds a file that is not a segment`(index: Int) throws {
        log.overwrite(names[index], [UInt8](repeating: 0x41, count: 1_000))
        let scan = try log.scan()
        #expect(scan.damages.map(\.segment) == [names[index]])
        #expect(scan.damages.first?.code == .corrupt)
        #expect(scan.head.sequence == first(index) - 1)
    }

    @Test(arguments: [1, 3])
    func `finds a segment of another store`(index: Int) throws {
        var bytes = log.bytes(of: names[index])
        let start = names[index].kind == .sealed ? 8 : 0
        // Its id, and what it continues: with the latter alone right it would be a fork's.
        for byte in [16, 40] { bytes[start + byte] ^= 1 }
        let checksum = XXH64.hash(Array(bytes[start..<start + 88]))
        withUnsafeBytes(of: checksum.littleEndian) {
            bytes.replaceSubrange(start + 88..<start + 96, with: $0)
        }
        log.overwrite(names[index], bytes)
        #expect(
            try damages() == [
                "foreignStore \(names[index]) @\(start + 16) "
                    + "\(first(index))...\(first(index + 1) - 1)"
            ])
        #expect(try log.scan().head.sequence == first(index) - 1)
    }

    @Test(arguments: [[0, 2], [1, 3], [2, 4]])
    func `finds swapped segments, and loses nothing`(pair: [Int]) throws {
        let bytes = pair.map { log.bytes(of: names[$0]) }
        log.overwrite(names[pair[0]], bytes[1])
        log.overwrite(names[pair[1]], bytes[0])
        let scan = try log.scan()
        #expect(Set(scan.damages.map(\.segment)) == Set(pair.map { names[$0] }))
        #expect(scan.damages.allSatisfy { $0.isReadable || $0.isOpenEnded })
        #expect(scan.damages.count == 2)
        #expect(scan.head.sequence == log.count)
        #expect(try scan.batches() == expected(log.count))
        #expect(logCode { _ = try log.fixture.inspect(log.disk) } != nil)
    }

    @Test func `finds an older copy of a segment`() throws {
        let blocks = try log.blocks(of: names[3]).filter { $0.block.kind == .batch }
        let cut = blocks[2]
        log.overwrite(names[3], Array(log.bytes(of: names[3]).prefix(cut.offset)))
        #expect(
            try damages() == [
                "segmentMissing \(SegmentName(cut.block.sequence, .sealed)) "
                    + "\(cut.block.sequence)...\(first(4) - 1)"
            ])
    }

    @Test func `finds a segment of another history`() throws {
        // The same store with another history: one more batch in the ended segment.
        let other = try DamagedLog()
        var header = try SegmentHeader(other.bytes(of: names[4]), in: names[4])
        header.chainHashBefore = ChainHash(rawValue: 7)
        log.overwrite(names[4], header.bytes)
        #expect(try damages() == ["chainBroken \(names[4]) @40 readable"])
        #expect(try log.scan().head.sequence == first(4) - 1)
    }

    @Test func `reads the twin of a damaged segment`() throws {
        let whole = try DamagedLog()
        let (writer, _) = try whole.fixture.open(whole.disk)
        _ = try writer.sealNext()
        try writer.close()
        let sealed = SegmentName(first(3), .sealed)
        log.overwrite(sealed, whole.bytes(of: sealed))
        #expect(try damages().isEmpty)
        let block = try #require(try log.blocks(of: names[3]).first { $0.block.kind == .batch })
        log.flip(names[3], at: block.offset + Block.headerByteCount)
        let lost = block.block.sequence
        #expect(
            try damages() == ["corrupt \(names[3]) @\(block.offset) \(lost)...\(lost) readable"])
        #expect(try log.scan().head.sequence == log.count)
    }

    @Test func `reports no damage that only one pass has found`() throws {
        let reads = log.disk.killed()
        _ = try DamageScan(of: reads, log.fixture.options, framing: LogFixture.framing)
        for index in 0..<reads.count(.read) {
            let disk = log.disk.killed()
            disk.inject(Fault(.read, after: index))
            let scan = try DamageScan(
                of: disk, log.fixture.options, framing: LogFixture.framing)
            #expect(scan.damages.isEmpty, "the read with number \(index) failed")
            #expect(scan.head.sequence == log.count)
        }
    }

    @Test func `throws errors that tell nothing about the bytes`() throws {
        log.disk.inject(Fault(.open, reason: .system(13), isLasting: true))
        #expect(logCode { _ = try log.scan() } == .io)
        log.disk.heal()
        var header = try SegmentHeader(log.bytes(of: names[4]), in: names[4]).bytes
        header[10] = 9
        let checksum = XXH64.hash(Array(header[..<88]))
        withUnsafeBytes(of: checksum.littleEndian) { header.replaceSubrange(88..<96, with: $0) }
        log.overwrite(names[4], header)
        #expect(logCode { _ = try log.scan() } == .unsupportedFormat)
    }
}
