import SkyrosDisk
import SkyrosTesting
import Testing

@testable import SkyrosLog

/// A `DamagedLog` whose two oldest segments were pruned, one after the other.
struct PrunedLog {
    let log: DamagedLog
    let floor: SegmentName
    /// The segments that were kept.
    let names: [SegmentName]
    /// What was removed: the segments and the first floor.
    let removed: [String: [UInt8]]

    var disk: SimulatedDisk { log.disk }
    var first: UInt64 { floor.firstSequence }
    var kept: ClosedRange<UInt64> { first...log.count }
    var fixture: LogFixture { log.fixture }

    /// - Parameter frameCount: the frames of a floor.
    init(frameCount: Int = 4) throws {
        log = try DamagedLog()
        let (writer, _) = try log.fixture.open(log.disk)
        let names = log.names
        let borders = writer.borders.prefix(2).map(\.firstSequence)
        try #require(borders == [names[1].firstSequence, names[2].firstSequence])
        var removed: [String: [UInt8]] = [:]
        for border in borders {
            let before = log.disk.contents
            let floor = try writer.makeFloor(
                below: border, { try Self.write(frameCount, to: &$0) }, check: { _ in })
            let report = try writer.prune(to: floor) {}
            let left = log.disk.contents
            let gone = before.filter { $0.key.hasPrefix("events/") && left[$0.key] == nil }
            #expect(report.fileCount == gone.count)
            removed.merge(gone) { $1 }
        }
        try writer.close()
        self.removed = removed
        floor = SegmentName(borders[1], .floor)
        self.names = Array(log.names.filter { $0.kind != .floor })
    }

    /// Frames that do not compress, and an index.
    private static func write(_ count: Int, to writer: inout FloorWriter) throws -> [UInt8] {
        let entropy = SeededEntropy(seed: 5)
        for _ in 0..<count {
            var content: [UInt8] = []
            for _ in 0..<20 { content.append(littleEndian: entropy.next()) }
            try writer.append(content)
        }
        var index = Array("index of the frames".utf8)
        index.append(littleEndian: XXH64.hash(index))
        return index
    }

    /// Changes a byte in the header of a sealed segment or the floor, and makes its checksum right.
    func changeHeader(of name: SegmentName, at offset: Int) {
        var bytes = log.bytes(of: name)
        let start = SkippableFrame.headerByteCount
        bytes[start + offset] ^= 1
        var hash: [UInt8] = []
        hash.append(
            littleEndian: XXH64.hash(Array(bytes[start...].prefix(SegmentHeader.Offset.headerHash)))
        )
        let place = start + SegmentHeader.Offset.headerHash
        bytes.replaceSubrange(place..<place + hash.count, with: hash)
        log.overwrite(name, bytes)
    }

    func opened() throws -> LogFloor { try LogFloor(floor, on: disk) }

    /// The offsets of bytes that no checksum covers: see docs/log-format.md.
    func uncovered() throws -> Set<Int> {
        let (floor, bytes) = (try opened(), log.bytes(of: floor))
        var offsets: Set<Int> = []
        // The hash of the content in each entry of the seek table, before its footer.
        let entryCount = floor.frameCount + 2
        let table = bytes.count - SeekTable.footerByteCount - 12 * entryCount
        for entry in 0..<entryCount {
            offsets.formUnion(table + 12 * entry + 8..<table + 12 * (entry + 1))
        }
        // The size of the index's content.
        offsets.formUnion(table + 12 * entryCount - 8..<table + 12 * entryCount - 4)
        // The header of each zstd frame has an unused bit.
        offsets.formUnion(floor.frames.frames.map { $0.offset + 4 })
        return offsets
    }
}
