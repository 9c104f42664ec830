import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import SkyrosLog

/// Sealed segments and borders with what only a later version writes.
@Suite struct `A sealed segment of a later version` {
    private let disk = SimulatedDisk()
    private let fixture = LogFixture(segmentBytesMax: 900)
    private let path = "events/00000000000000000001.zst"
    private let count: UInt64

    init() throws {
        let log = try fixture.make(on: disk)
        while log.statistics.segmentCount < 3 { try log.append(1) }
        while try log.sealNext() {}
        try log.close()
        count = log.head.sequence
    }

    private struct Parts {
        var header: [UInt8]
        var frames: [[UInt8]]
        var contentByteCounts: [UInt32]
        var index: [UInt8]

        /// The whole file, with its seek table.
        func file() -> [UInt8] {
            var table = SeekTable()
            for (frame, size) in zip([header] + frames + [index], [0] + contentByteCounts + [0]) {
                table.entries.append(
                    SeekTable.Entry(
                        compressedByteCount: UInt32(frame.count), contentByteCount: size,
                        contentHash: 0))
            }
            return header + frames.flatMap(\.self) + index + table.bytes
        }
    }

    private func parts() throws -> Parts {
        let bytes = try #require(disk.contents[path])
        let segment = try SealedSegment(SegmentName(1, .sealed), on: disk)
        let frames = segment.frames.map {
            Array(bytes[$0.offset..<$0.offset + $0.compressedByteCount])
        }
        let end = segment.frames.last.map { $0.offset + $0.compressedByteCount } ?? 0
        let table = SeekTable.byteCount(entries: frames.count + 2)
        return Parts(
            header: Array(bytes[..<104]), frames: frames,
            contentByteCounts: segment.frames.map { UInt32($0.contentByteCount) },
            index: Array(bytes[end..<bytes.count - table]))
    }

    private func expectWhole() throws {
        #expect(try fixture.open(disk.killed()).0.batches() == expected(count))
        let scan = try DamageScan(of: disk, fixture.options, framing: LogFixture.framing)
        #expect(scan.damages.isEmpty && scan.head.sequence == count)
        // Without its seek table, everything is found all the same.
        let bytes = try #require(disk.contents[path])
        let cut = disk.killed()
        cut.overwrite(path, with: bytes.dropLast(3) + [0, 0, 0])
        let second = try DamageScan(of: cut, fixture.options, framing: LogFixture.framing)
        #expect(second.damages.map(\.isReadable) == [true] && second.head.sequence == count)
    }

    @Test func `with further skippable frames is read (F72)`() throws {
        var parts = try parts()
        try #require(parts.frames.count > 1)
        for (place, magic) in [(0, 0x184D_2A52), (2, 0x184D_2A53), (3, 0x184D_2A54)]
            as [(Int, UInt32)]
        {
            parts.frames.insert(
                SkippableFrame.bytes(magic: magic, content: [1, 2, 3]), at: place)
            parts.contentByteCounts.insert(0, at: place)
        }
        disk.overwrite(path, with: parts.file())
        try expectWhole()
        try expectUnmerged()
    }

    @Test func `with more in its index is read (F72)`() throws {
        var parts = try parts()
        var content = Array(parts.index.dropFirst(8).dropLast(8)) + [UInt8](repeating: 5, count: 32)
        content.append(littleEndian: XXH64.hash(content))
        parts.index = SkippableFrame.bytes(magic: FrameFile.indexMagic, content: content)
        disk.overwrite(path, with: parts.file())
        try expectWhole()
        try expectUnmerged()
    }

    @Test func `with a longer header is read (F72)`() throws {
        var parts = try parts()
        var header = try SegmentHeader(
            Array(parts.header.dropFirst(8)), in: SegmentName(1, .sealed))
        header.extensionBytes = [UInt8](repeating: 3, count: 40)
        parts.header = SkippableFrame.bytes(
            magic: FrameFile.headerMagic, content: header.bytes)
        disk.overwrite(path, with: parts.file())
        #expect(parts.header.count == 8 + 96 + 48)
        try expectWhole()
        try expectUnmerged()
    }

    @Test func `with features that a reader may ignore is merged with none (F72)`() throws {
        try expectMergeable()
        try disk.editHeader(of: path) { $0[SegmentHeader.Offset.optionalFeatures] = 1 }
        try expectUnmerged()
    }

    @Test func `of a newer version is merged with none (F72)`() throws {
        try disk.editHeader(of: path) { $0[SegmentHeader.Offset.version] = 3 }
        try expectWhole()
        try expectUnmerged()
    }

    /// Opens the log as one whose segments are all small.
    private func mergeCount() throws -> Int {
        var other = fixture
        other.options.segmentBytesMax = 1_600
        return try other.open(disk.killed()).0.mergeAll()
    }

    /// A merge would lose what this library does not know.
    private func expectUnmerged() throws {
        #expect(try mergeCount() == 0)
    }

    private func expectMergeable() throws {
        #expect(try mergeCount() == 1)
    }

    @Test func `that needs features is refused, with its offset in the file (F72)`() throws {
        var parts = try parts()
        parts.header[8 + SegmentHeader.Offset.requiredFeatures] = 2
        var hash: [UInt8] = []
        hash.append(littleEndian: XXH64.hash(Array(parts.header[8..<96])))
        parts.header.replaceSubrange(96..<104, with: hash)
        disk.overwrite(path, with: parts.file())
        let before = disk.contents
        let error = failure(as: LogError.self) { _ = try fixture.open(disk) }
        #expect(error?.code == .unsupportedFormat && error?.offset == 8 + 72)
        #expect(
            logCode { _ = try DamageScan(of: disk, fixture.options, framing: LogFixture.framing) }
                == .unsupportedFormat)
        #expect(disk.contents == before)
    }

    /// A fork continues a copy of its origin: its segments have another id, and name the end of
    /// the copy.
    @Test(arguments: [1, 2])
    func `may continue one of another store (F72)`(first: Int) throws {
        let names = disk.contents.keys.filter { $0.hasPrefix("events/") }.sorted()
        try #require(names.count == 3)
        for name in names[first...] {
            var bytes = try #require(disk.contents[name])
            let start = name.hasSuffix(".zst") ? 8 : 0
            bytes[start + 16] ^= 1
            var hash: [UInt8] = []
            hash.append(littleEndian: XXH64.hash(Array(bytes[start..<start + 88])))
            bytes.replaceSubrange(start + 88..<start + 96, with: hash)
            disk.overwrite(name, with: bytes)
        }
        let (log, recovery) = try fixture.open(disk.killed())
        #expect(recovery.wasClean && log.storeID != fixture.storeID)
        #expect(log.beginning == ChainHash(beginning: fixture.storeID))
        #expect(try log.batches() == expected(count))
        let scan = try DamageScan(of: disk, fixture.options, framing: LogFixture.framing)
        #expect(scan.damages.isEmpty && scan.head.sequence == count)
        #expect(scan.originID == fixture.storeID && scan.beginning == log.beginning)
    }
}
