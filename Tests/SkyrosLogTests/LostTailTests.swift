import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import SkyrosLog

/// A log whose file lacks a block in the middle of what was not synced.
@Suite struct `A log that lost a write without a reboot` {
    private let disk: SimulatedDisk
    private var fixture = LogFixture()
    private let path = "events/00000000000000000001.open"

    init() throws {
        let original = SimulatedDisk()
        let log = try fixture.make(on: original)
        try log.append(2)
        try log.sync(through: log.end)
        try log.append(7)
        disk = original.killed()
        try damage(batch: 3)
        withExtendedLifetime(log) {}
    }

    /// Overwrites the payload of the batch at `index` with zeros.
    private func damage(batch index: Int) throws {
        var bytes = try #require(disk.contents[path])
        let block = BlockLocation.all(in: bytes).filter(\.isBatch)[index]
        for offset in block.range.dropFirst(48) { bytes[offset] = 0 }
        disk.overwrite(path, with: bytes)
    }

    private var accepting: LogFixture {
        var accepting = fixture
        accepting.options.acceptsLostTail = true
        return accepting
    }

    @Test func `is refused, with the way out in the message`() throws {
        let before = disk.contents
        let error = failure(as: LogError.self) { _ = try fixture.open(disk) }
        #expect(error?.code == .corrupt)
        #expect(error?.message.contains("Options.acceptsLostTail") == true)
        #expect(disk.contents == before)
    }

    @Test func `is opened without what follows if the app accepts that`() throws {
        let (log, recovery) = try accepting.open(disk)
        #expect(try log.batches() == expected(3))
        #expect(recovery.cutBlockCount == 5 && recovery.quarantined != nil)
        try log.close()
        #expect(try fixture.open(disk).0.batches() == expected(3))
    }

    @Test func `is refused all the same if what it lost was synced`() throws {
        try damage(batch: 1)
        #expect(logCode { _ = try accepting.open(disk) } == .corrupt)
    }

    /// Another payload, or another kind that readers skip, with checksums that match.
    @Test(arguments: [[48: 0xFF], [1: 0x7F]] as [[Int: UInt8]])
    func `is refused if no opening block shows a reboot`(changes: [Int: UInt8]) throws {
        var bytes = try #require(disk.contents[path])
        let salt = try SegmentHeader(bytes, in: SegmentName(1, .open)).salt
        for (offset, byte) in changes { bytes[96 + offset] = byte }
        bytes.rehashBlock(at: 96, salt: salt)
        disk.overwrite(path, with: bytes)
        disk.nameBoot("another")
        let error = failure(as: LogError.self) { _ = try fixture.open(disk) }
        #expect(error?.code == .corrupt && error?.sequences == 4...4)
        #expect(error?.message.contains("no reboot since is known") == true)
        #expect(try fixture.scan(disk).tornTail == nil)
        #expect(try accepting.open(disk).0.batches() == expected(3))
    }

    @Test func `keeps in quarantine what its blocks are checked with (F2)`() throws {
        let whole = try #require(disk.contents[path])
        let (_, recovery) = try accepting.open(disk)
        let place = try #require(recovery.quarantined)
        let bytes = try #require(disk.contents[place])
        #expect(bytes.prefix(96) == whole.prefix(96))
        let header = try SegmentHeader(bytes, in: SegmentName(1, .open))
        // Zeros at the end are left out, also those of the last block's padding.
        let blocks = (bytes + [UInt8](repeating: 0, count: 8)).withUnsafeBytes { all in
            stride(from: 96, to: all.count, by: Block.alignment).compactMap { offset in
                Block(wholeIn: all, at: offset, salt: header.salt)
            }
        }
        #expect(blocks.map(\.sequence) == [5, 6, 7, 8, 9])
    }
}
