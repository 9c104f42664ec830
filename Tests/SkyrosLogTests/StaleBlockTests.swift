import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import Testing

/// Free space keeps the bytes of removed files, which can appear in an extended file.
@Suite struct `A stale block` {
    private let fixture = LogFixture(segmentBytesMax: 900)
    private let disk = SimulatedDisk()
    private let first = "events/00000000000000000001.open"

    @Test func `of a segment is rejected in its successor (F7, F32)`() throws {
        let log = try fixture.make(on: disk)
        while log.statistics.segmentCount == 1 { try log.append(1) }
        try log.sync(through: log.end)
        let count = log.head.sequence
        let path = try #require(disk.contents.keys.filter { $0.hasPrefix("events/") }.max())
        let bytes = try #require(disk.contents[path])
        let stale = try #require(disk.contents[first])
        let end = SegmentEnd.of(bytes)
        for offset in stride(from: 160, to: 800, by: 8) {
            let crashed = disk.crashed(seed: 1)
            crashed.overwrite(path, with: Array(bytes[..<end]) + stale[offset...])
            let (again, recovery) = try fixture.open(crashed)
            #expect(try again.batches() == expected(count))
            #expect(recovery.cutBlockCount == 0)
        }
    }

    @Test func `that an earlier opening cut off stays cut off (F7)`() throws {
        let log = try fixture.make(on: disk)
        try log.sync(through: log.append(2))
        let end = SegmentEnd.of(try #require(disk.contents[first]))
        try log.append(1)
        let before = try #require(disk.contents[first])
        // The third batch is torn; then it is cut off.
        let torn = disk.crashed(seed: 0)
        torn.overwrite(first, with: Array(before[..<(end + 20)]))
        #expect(try fixture.open(torn).0.batches() == expected(2))
        // The third block of the old file appears after the last one of the new file.
        let bytes = try #require(torn.contents[first])
        let next = torn.crashed(seed: 0)
        next.overwrite(
            first, with: Array(bytes[..<SegmentEnd.of(bytes)]) + before[end...])
        #expect(try fixture.open(next).0.batches() == expected(2))
    }

    /// The end of each block of a segment's file.
    private enum SegmentEnd {
        static func of(_ bytes: [UInt8]) -> Int {
            let last = (bytes.lastIndex { $0 != 0 } ?? -1) + 1
            return (last + 7) / 8 * 8
        }
    }
}
