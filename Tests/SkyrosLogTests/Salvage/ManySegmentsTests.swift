import SkyrosDisk
import SkyrosTesting
import Testing

@testable import SkyrosLog

/// Logs of many small segments: a scan does the same for each of them, however many there are.
@Suite struct `A scan of many segments` {
    /// A log of one batch a segment, the first of which is damaged.
    private func damagedLog(_ count: Int) throws -> (SimulatedDisk, LogFixture) {
        let fixture = LogFixture(segmentBytesMax: 1)
        let disk = SimulatedDisk()
        let log = try fixture.make(on: disk)
        try log.append(count)
        while try log.sealNext() {}
        let killed = disk.killed()
        let name = SegmentName(1, .sealed)
        var bytes = try #require(killed.contents["events/\(name)"])
        bytes[try SealedSegment(name, on: killed).frames[0].offset + 20] ^= 1
        killed.overwrite("events/\(name)", with: bytes)
        return (killed, fixture)
    }

    @Test func `opens each file as often`() throws {
        let opens = try [50, 100, 150].map { count in
            let (disk, fixture) = try damagedLog(count)
            let before = disk.count(.open)
            let scan = try fixture.scan(disk)
            #expect(scan.head.sequence == 0 && scan.damages.count == 1)
            #expect(scan.readableAfterDamage == [2...UInt64(count)])
            return disk.count(.open) - before
        }
        #expect(opens[2] - opens[1] == opens[1] - opens[0])
    }

    @Test func `compares a file with those that may hold its batches only`() {
        let apart = (1...1_000).map { (first: UInt64($0), last: UInt64($0)) }
        let pairCount = CoveredScans.rivals(in: apart).reduce(0) { $0 + $1.count }
        #expect(pairCount == 0)
        let merged: [(first: UInt64, last: UInt64)] = [(1, 9), (1, 3), (4, 9), (10, 12), (13, 13)]
        #expect(CoveredScans.rivals(in: merged) == [[1], [0], [0], [], []])
    }

    @Test func `remembers of earlier files only what reaches the next one`() {
        var earlier = EarlierExtents()
        for number: UInt64 in 1...1_000 {
            earlier.advance(to: number)
            #expect(earlier.held.count == min(1, Int(number) - 1))
            let hashes = number > 1 ? [ChainHash(rawValue: number - 1)] : []
            #expect(earlier.chainHashes(before: number) == hashes)
            #expect(earlier.lastSequence(beyond: number) == nil)
            earlier.append([
                BatchExtent(
                    segment: SegmentName(number, .sealed), form: .frame, offset: 0, byteCount: 1,
                    sequences: number...number, chainHashBefore: nil,
                    chainHashAfter: ChainHash(rawValue: number))
            ])
        }
    }
}
