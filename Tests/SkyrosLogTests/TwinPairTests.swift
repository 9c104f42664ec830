import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import SkyrosLog

/// Every state of a sealed segment beside every state of its open file, with and without the
/// segment that follows.
@Suite struct `A pair of files of the same events` {
    private enum Sealed: CaseIterable {
        case absent, whole, frameBit, indexBit, tableBit, headerBit, cut
    }

    private enum Open: CaseIterable {
        case absent, empty, whole, shorter, torn, blockBit, headerBit, longer
        case other, otherShorter, otherLonger
    }

    private let fixture = LogFixture(segmentBytesMax: 900)
    private let path = "events/00000000000000000001"
    /// The batches of both segments.
    private let count: UInt64
    /// The last batch of the first one.
    private let last: UInt64
    private let disk = SimulatedDisk()
    private let sealed: [UInt8]
    private let open: [UInt8]
    private let other: [UInt8]
    private let otherLonger: [UInt8]
    private let longer: [UInt8]
    private let successor: String

    init() throws {
        let log = try fixture.make(on: disk)
        while log.statistics.segmentCount == 1 { try log.append(1) }
        open = try #require(disk.contents["\(path).open"])
        last = log.head.sequence - 1
        _ = try log.sealNext()
        try log.append(2)
        try log.close()
        count = log.head.sequence
        sealed = try #require(disk.contents["\(path).zst"])
        successor = try #require(disk.contents.keys.filter { $0.hasSuffix(".open") }.max())
        func append(_ log: FileLog, _ number: UInt64) throws -> LogPosition {
            number == 3 ? try log.append([3, 1, 1], as: 3) : try log.append(1)
        }
        other = try Self.file(fixture, last, append)
        otherLonger = try Self.file(LogFixture(), count + 5, append)
        longer = try Self.file(LogFixture(), last + 1) { log, _ in try log.append(1) }
    }

    /// The only file of another log.
    private static func file(
        _ fixture: LogFixture, _ count: UInt64,
        _ append: (FileLog, UInt64) throws -> LogPosition
    ) throws -> [UInt8] {
        let disk = SimulatedDisk()
        let log = try fixture.make(on: disk)
        for number in 1...count { _ = try append(log, number) }
        try log.sync(through: log.end)
        return try #require(disk.contents["events/00000000000000000001.open"])
    }

    private func flipped(_ bytes: [UInt8], at offset: Int) -> [UInt8] {
        var bytes = bytes
        bytes[offset] ^= 4
        return bytes
    }

    private func bytes(of state: Sealed) -> [UInt8]? {
        switch state {
        case .absent: nil
        case .whole: sealed
        case .frameBit: flipped(sealed, at: 130)
        case .indexBit: flipped(sealed, at: sealed.count - 130)
        case .tableBit: flipped(sealed, at: sealed.count - 4)
        case .headerBit: flipped(sealed, at: 8 + 60)
        case .cut: Array(sealed.prefix(sealed.count / 2))
        }
    }

    private func bytes(of state: Open) -> [UInt8]? {
        switch state {
        case .absent: nil
        case .empty: []
        case .whole: open
        case .shorter: Array(open.prefix(blocks(3)))
        case .torn: Array(open.prefix(blocks(3) - 8))
        case .blockBit: flipped(open, at: blocks(3) - 12)
        case .headerBit: flipped(open, at: 60)
        case .other: other
        case .otherLonger: otherLonger
        case .otherShorter: Array(other.prefix(blocks(3)))
        case .longer: longer
        }
    }

    /// The end of a batch in the open file.
    private func blocks(_ count: UInt64) -> Int {
        var position = SegmentHeader.fixedByteCount
        let salt = open.withBytes { SegmentHeader(unchecked: $0)?.salt ?? 0 }
        while let block = open.withBytes({ Block(wholeIn: $0, at: position, salt: salt) }) {
            position += block.byteCount
            if block.kind == .batch, block.sequence == count { break }
        }
        return position
    }

    private func pairs() -> [(name: String, disk: SimulatedDisk, isProven: Bool)] {
        var all: [(String, SimulatedDisk, Bool)] = []
        for first in Sealed.allCases {
            for second in Open.allCases {
                for hasSuccessor in [true, false]
                where hasSuccessor || first != .absent || second != .absent {
                    let copy = disk.killed()
                    copy.erase("\(path).zst")
                    if let bytes = bytes(of: first) { copy.overwrite("\(path).zst", with: bytes) }
                    if let bytes = bytes(of: second) { copy.overwrite("\(path).open", with: bytes) }
                    if !hasSuccessor { copy.erase(successor) }
                    let name = "\(first), \(second), \(hasSuccessor ? "" : "no ")successor"
                    let isProven = hasSuccessor && (first == .whole || second == .whole)
                    all.append((name, copy, isProven))
                }
            }
        }
        return all
    }

    @Test func `is accepted by an opening and by a damage scan alike (F73)`() throws {
        for (name, disk, _) in pairs() {
            let scan = try fixture.scan(disk)
            let scanned = try scan.batches()
            let opened = try? batches(afterOpening: disk)
            #expect((opened != nil) == scan.damages.isEmpty, "\(name)")
            if let opened { #expect(opened == scanned, "\(name)") }
        }
    }

    private func batches(afterOpening disk: SimulatedDisk) throws -> [[UInt8]] {
        let inspection = try fixture.inspect(disk)
        if let refusal = inspection.refusal { throw refusal }
        // An opening may read no frame of a sealed segment.
        _ = try inspection.batches()
        return try fixture.open(disk).0.batches()
    }

    @Test func `gives every event to a damage scan if one file is whole (F73)`() throws {
        for (name, disk, isProven) in pairs() where isProven {
            let scan = try fixture.scan(disk)
            #expect(try scan.batches() == expected(count), "\(name)")
        }
    }
}
