import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import SkyrosLog

/// Blocks whose checksums are right and that continue another history, as a forger writes them.
@Suite struct `A block that continues another history` {
    private let disk: SimulatedDisk
    private let fixture = LogFixture()
    private let path = "events/00000000000000000001.open"

    /// A log of six batches, in the fourth of which the chain hash is another one.
    init() throws {
        let original = SimulatedDisk()
        let log = try fixture.make(on: original)
        try log.append(6)
        disk = original.killed()
        var bytes = try #require(disk.contents[path])
        let start = BlockLocation.all(in: bytes).filter(\.isBatch)[3].range.lowerBound
        bytes[start + 24] ^= 1
        bytes.rehashBlock(at: start, salt: try SegmentHeader(bytes, in: SegmentName(1, .open)).salt)
        disk.overwrite(path, with: bytes)
        withExtendedLifetime(log) {}
    }

    @Test func `ends the history before it, in scan and opening`() throws {
        disk.nameBoot("another")
        let scan = try fixture.scan(disk)
        #expect(scan.damages.isEmpty && scan.head.sequence == 3)
        #expect(scan.tornTail?.sequences == 4...6)
        #expect(scan.tornTail?.wholeBatchCount == 3)
        #expect(scan.tornTail?.message.contains("do not continue the events before") == true)
        #expect(scan.readableAfterDamage == [4...6])
        #expect(try fixture.inspect(disk).head == scan.head)
        let (log, recovery) = try fixture.open(disk)
        #expect(log.head == scan.head && recovery.cutBlockCount == 2)
    }

    @Test func `puts both in doubt, in scan and opening, if no reboot explains it`() throws {
        let scan = try fixture.scan(disk)
        // Either of the two blocks may be the forged one.
        #expect(scan.head.sequence == 2 && scan.tornTail == nil)
        #expect(scan.readableAfterDamage == [3...6])
        let damage = try #require(scan.damages.first)
        #expect(damage.code == .chainBroken && damage.sequences == 3...4 && damage.isReadable)
        let error = failure(as: LogError.self) { _ = try fixture.open(disk) }
        #expect(error?.code == .chainBroken && error?.sequences == 3...3)
        #expect(error?.offset == damage.offset)
    }
}

/// Files of another store, where no more segments name this one.
@Suite struct `A segment of another store` {
    private let disk: SimulatedDisk
    private let fixture = LogFixture(segmentBytesMax: 1)

    init() throws {
        let original = SimulatedDisk()
        let log = try fixture.make(on: original)
        try log.append(2)
        #expect(try log.sealNext())
        try log.close()
        disk = original.killed()
    }

    /// Gives a segment another id, and another history.
    private func replace(_ name: SegmentName) throws {
        var bytes = try #require(disk.contents["events/\(name)"])
        for offset in [16, 40] { bytes[name.headerOffset + offset] ^= 1 }
        let start = name.headerOffset
        let hash = XXH64.hash(Array(bytes[start..<start + 88]))
        bytes.replaceSubrange(start + 88..<start + 96, with: hash.littleEndianBytes)
        disk.overwrite("events/\(name)", with: bytes)
    }

    @Test func `is named, and what comes before it is read`() throws {
        let name = SegmentName(2, .open)
        try replace(name)
        let scan = try fixture.scan(disk)
        #expect(scan.damages.map(\.summary) == ["foreignStore \(name) @16 2...2"])
        #expect(scan.head.sequence == 1 && scan.storeID == fixture.storeID)
        #expect(try scan.batches() == expected(1))
        let error = failure(as: LogError.self) { _ = try fixture.open(disk) }
        #expect(error?.code == .foreignStore && error?.file?.name == name.description)
        #expect(error?.offset == 16)
    }

    @Test func `is named with the byte of its file if it is sealed`() throws {
        let log = try fixture.open(disk).0
        try log.append(2)
        #expect(try log.sealNext() && log.sealNext())
        try log.close()
        let name = SegmentName(2, .sealed)
        try replace(name)
        let error = failure(as: LogError.self) { _ = try fixture.open(disk) }
        #expect(error?.code == .corrupt || error?.code == .foreignStore)
        #expect(error?.file?.name == name.description)
        #expect(try fixture.scan(disk).damages.first?.offset == 24)
    }

    @Test func `of a newer version is named with the same byte by scan and opening`() throws {
        let name = SegmentName(1, .sealed)
        var bytes = try #require(disk.contents["events/\(name)"])
        bytes[8 + 10] = 9
        let hash = XXH64.hash(Array(bytes[8..<8 + 88]))
        bytes.replaceSubrange(8 + 88..<8 + 96, with: hash.littleEndianBytes)
        disk.overwrite("events/\(name)", with: bytes)
        let errors = [
            failure(as: LogError.self) { _ = try fixture.scan(disk) },
            failure(as: LogError.self) { _ = try fixture.open(disk) },
        ]
        #expect(errors.map { $0?.code } == [.unsupportedFormat, .unsupportedFormat])
        #expect(errors.map { $0?.offset } == [16, 16])
    }

    @Test func `with the same batches up to one is named with that one`() throws {
        let fixture = LogFixture()
        /// A log of five batches, of which the third is `third`, and a segment after it.
        func log(_ third: [UInt8]) throws -> SimulatedDisk {
            let disk = SimulatedDisk()
            var small = fixture
            small.options.segmentBytesMax = 700
            let log = try small.make(on: disk)
            try log.append(2)
            _ = try log.append(third, as: 3)
            while log.statistics.segmentCount < 2 { try log.append(1) }
            if third != LogFixture.batch(3) { while try log.sealNext() {} }
            return disk.killed()
        }
        let own = try log(LogFixture.batch(3))
        var third = LogFixture.batch(3)
        third[third.count - 1] ^= 1
        let sealed = "events/\(SegmentName(1, .sealed))"
        own.overwrite(sealed, with: try #require(try log(third).contents[sealed]))
        let damage = try fixture.scan(own).damages.first { $0.code == .chainBroken }
        #expect(damage?.sequences?.lowerBound == 3)
        let error = failure(as: LogError.self) { _ = try fixture.open(own) }
        #expect(error?.sequences?.lowerBound == 3)
    }
}
