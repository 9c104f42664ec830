import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import SkyrosLog

/// Logs with what only a later version writes. docs/log-format.md says what a reader does with it.
@Suite struct `A log of a later version` {
    private let disk = SimulatedDisk()
    private let fixture = LogFixture()
    private let name = SegmentName(1, .open)
    private var path: String { name.path.description }

    init() throws {
        let log = try fixture.make(on: disk)
        try log.append(5)
        try log.close()
    }

    /// The file with another header, in front of the same blocks.
    private func write(header change: (inout [UInt8]) -> Void, extending extra: [UInt8] = []) throws
    {
        let bytes = try #require(disk.contents[path])
        var header = Array(bytes.prefix(SegmentHeader.fixedByteCount))
        if !extra.isEmpty {
            let size = UInt32(SegmentHeader.fixedByteCount + extra.count + 8)
            header.withUnsafeMutableBytes {
                $0.store(littleEndian: size, at: SegmentHeader.Offset.byteCount)
            }
        }
        change(&header)
        header.withUnsafeMutableBytes { bytes in
            let hash = XXH64.hash(UnsafeRawBufferPointer(bytes).slice(0, 88))
            bytes.store(littleEndian: hash, at: SegmentHeader.Offset.headerHash)
        }
        if !extra.isEmpty {
            header += extra
            header.append(littleEndian: XXH64.hash(extra))
        }
        disk.overwrite(path, with: header + bytes.dropFirst(SegmentHeader.fixedByteCount))
    }

    /// Appends a block that is intact, and continues the log.
    private func append(
        kind: UInt8, flags: UInt16 = 0, payload: [UInt8] = [1, 2, 3], to disk: SimulatedDisk
    ) throws {
        let scan = try #require(try fixture.inspect(disk).catalog?.active)
        var bytes = Array(try #require(disk.contents[path]).prefix(scan.scan.endOffset))
        payload.withUnsafeBytes { payload in
            var block = Block(
                Block.Kind(rawValue: kind), payload: payload, payloadHash: XXH64.hash(payload),
                sequence: scan.scan.lastSequence, chainHash: scan.scan.lastChainHash,
                durableByteCount: bytes.count)
            block.flags = flags
            block.append(to: &bytes, payload: payload, salt: scan.header.salt)
        }
        disk.overwrite(path, with: bytes)
    }

    /// Checks that every reader refuses the log, and leaves it as it is.
    private func expectRefusal(of disk: SimulatedDisk) {
        let before = disk.contents
        #expect(logCode { _ = try fixture.open(disk) } == .unsupportedFormat)
        #expect(
            logCode {
                _ = try LogFollower(on: disk, fixture.options, framing: LogFixture.framing)
            } == .unsupportedFormat)
        #expect(
            logCode { _ = try DamageScan(of: disk, fixture.options, framing: LogFixture.framing) }
                == .unsupportedFormat)
        #expect(disk.contents == before)
    }

    @Test func `with a longer header is read, and keeps it (F72)`() throws {
        let extra = [UInt8](repeating: 7, count: 24)
        try write(header: { _ in }, extending: extra)
        let scan = try DamageScan(of: disk, fixture.options, framing: LogFixture.framing)
        #expect(scan.damages.isEmpty && scan.head.sequence == 5)
        // Closed, then killed: the second opening rewrites the segment.
        for count in [6, 7] as [UInt64] {
            let (log, recovery) = try fixture.open(disk.killed())
            #expect(recovery.quarantined == nil)
            #expect(try log.batches() == expected(count - 1))
            try log.append(1)
            try log.sync(through: log.end)
            let copy = try #require(log.directory.disk as? SimulatedDisk)
            disk.overwrite(path, with: try #require(copy.contents[path]))
        }
        let active = try #require(try fixture.inspect(disk).catalog?.active)
        #expect(active.header.extensionBytes == extra)
        #expect(active.header.byteCount == 128)
    }

    @Test func `with a damaged extension of its header is damaged (F72)`() throws {
        try write(header: { _ in }, extending: [UInt8](repeating: 7, count: 24))
        var bytes = try #require(disk.contents[path])
        bytes[100] ^= 1
        disk.overwrite(path, with: bytes)
        #expect(logCode { _ = try fixture.open(disk) } == .corrupt)
        let scan = try DamageScan(of: disk, fixture.options, framing: LogFixture.framing)
        #expect(scan.damages.map(\.isReadable) == [true] && scan.head.sequence == 5)
    }

    @Test(arguments: [0, 95, 100, 104, 1 << 20] as [UInt32])
    func `with a header of an unknown size is refused (F72)`(size: UInt32) throws {
        try write { header in
            header.withUnsafeMutableBytes {
                $0.store(littleEndian: size, at: SegmentHeader.Offset.byteCount)
            }
        }
        expectRefusal(of: disk)
    }

    /// Bit 2 is that of a floor.
    @Test(arguments: [0, 1, 3, 7])
    func `with a feature that a reader must know is refused (F72)`(bit: Int) throws {
        try write { $0[SegmentHeader.Offset.requiredFeatures] = 1 << bit }
        expectRefusal(of: disk)
    }

    @Test func `with features that a reader may ignore, and forks, is read (F72)`() throws {
        try write { header in
            header[SegmentHeader.Offset.optionalFeatures + 3] = 0x80
            header[SegmentHeader.Offset.familyID] = 9
            header[SegmentHeader.Offset.version] = 3
        }
        let (log, _) = try fixture.open(disk)
        #expect(try log.batches() == expected(5))
        let copy = try #require(try fixture.inspect(disk.killed()).catalog?.active.header)
        #expect(copy.optionalFeatures == 1 << 31 && copy.familyID == 9 && copy.writtenVersion == 3)
        let next = copy.successor(
            from: 6, after: log.head.chainHash, timeBefore: 0, salt: 1, unsyncedBytesMax: 1)
        #expect(next.familyID == 9 && next.optionalFeatures == 0)
    }

    @Test func `or of a format before the oldest that is read is refused (F59)`() throws {
        for (version, oldest) in [(9, 9), (1, 1)] as [(UInt8, UInt8)] {
            try write { header in
                header[SegmentHeader.Offset.version] = version
                header[SegmentHeader.Offset.oldestReader] = oldest
            }
            expectRefusal(of: disk)
        }
    }

    @Test(arguments: [8, 0x7F] as [UInt8])
    func `with a block that a reader may skip is read and continued (F72)`(kind: UInt8) throws {
        try append(kind: kind, to: disk)
        let (log, recovery) = try fixture.open(disk)
        #expect(!recovery.wasClean && recovery.quarantined == nil)
        #expect(try log.batches() == expected(5))
        try log.append(2)
        try log.close()
        let scan = try DamageScan(of: disk, fixture.options, framing: LogFixture.framing)
        #expect(scan.damages.isEmpty && scan.head.sequence == 7)
        let bytes = try #require(disk.contents[path])
        #expect(BlockLocation.all(in: bytes).contains { bytes[$0.range.lowerBound + 1] == kind })
    }

    @Test(arguments: [(0x80, 0), (0xFF, 0), (1, 1), (1, 2), (3, 0x8000)] as [(UInt8, UInt16)])
    func `with a block that a reader must know is refused (F72)`(
        kind: UInt8, flags: UInt16
    ) throws {
        let copy = disk.killed()
        try append(kind: kind, flags: flags, to: copy)
        expectRefusal(of: copy)
    }

    /// Cutting off what comes before it would cut it off too.
    @Test func `with such a block after a torn one is refused (F72)`() throws {
        let copy = disk.killed()
        try append(kind: 0x90, to: copy)
        var bytes = try #require(copy.contents[path])
        let last = try #require(BlockLocation.all(in: bytes).dropLast().last)
        bytes[last.range.lowerBound] ^= 1
        copy.overwrite(path, with: bytes)
        expectRefusal(of: copy)
    }

    @Test func `is refused while another process writes it (F72)`() throws {
        let follower = try LogFollower(
            on: disk, fixture.options, framing: LogFixture.framing)
        try append(kind: 0x80, to: disk)
        #expect(logCode { _ = try follower.refresh() } == .unsupportedFormat)
        #expect(follower.head.sequence == 5)
    }

    @Test(arguments: [".zst.age", ".floor.age", ".next", ".x"])
    func `with a file of an unknown kind is refused (F72)`(suffix: String) throws {
        disk.overwrite("events/00000000000000000001\(suffix)", with: [1])
        expectRefusal(of: disk)
    }

    @Test func `is read beside files that are not its own`() throws {
        for name in [
            "0001.zst", "notes.txt", "00000000000000000001", ".00000000000000000001.open.x",
        ] {
            disk.overwrite("events/\(name)", with: [1])
        }
        #expect(try fixture.open(disk).0.batches() == expected(5))
    }

    @Test func `names its boot in a map that may have more keys (F72)`() {
        func boot(_ bytes: [UInt8]) -> String? {
            bytes.withUnsafeBytes { OpeningPayload($0)?.bootID }
        }
        let plain = OpeningPayload(bootID: String(repeating: "b", count: 36), directoryID: 7).bytes
        #expect(plain.count == 44 + 11 && boot(plain) == String(repeating: "b", count: 36))
        // {"z": [1, {"a": h'00'}], "boot": "x", "more": null}
        let more: [UInt8] =
            [0xA3, 0x61, 0x7A, 0x82, 0x01, 0xA1, 0x61, 0x61, 0x41, 0x00, 0x64]
            + Array("boot".utf8) + [0x61, 0x78, 0x64] + Array("more".utf8) + [0xF6]
        #expect(boot(more) == "x")
        for count in more.indices.dropLast(7) { #expect(boot(Array(more.prefix(count))) != "b") }
        #expect(boot([]) == nil && boot([0xA0]) == nil && boot(Array("old".utf8)) == nil)
        #expect(boot([0xBB] + [UInt8](repeating: 0xFF, count: 8)) == nil)
    }
}
