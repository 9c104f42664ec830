import SkyrosDisk
import SkyrosTesting
import Testing

@testable import SkyrosLog

@Suite struct `A scan of a pruned log` {
    private let pruned: PrunedLog
    private let log: DamagedLog
    private let first: UInt64

    init() throws {
        pruned = try PrunedLog()
        log = pruned.log
        first = pruned.first
    }

    private var lost: String { "1...\(first - 1)" }

    private func expectWhole(location: SourceLocation = #_sourceLocation) throws {
        let scan = try log.scan()
        #expect(scan.damages.map(\.summary) == [], sourceLocation: location)
        #expect(scan.floor?.firstSequence == first, sourceLocation: location)
        #expect(scan.head.sequence == log.count, sourceLocation: location)
        let batches = try scan.batches(from: first)
        #expect(batches == expected(log.count, from: first), sourceLocation: location)
    }

    /// Expects damage of the floor, after which all kept batches can be read.
    private func expectLost(
        _ damages: [String], location: SourceLocation = #_sourceLocation
    ) throws {
        let scan = try log.scan()
        #expect(scan.damages.map(\.summary) == damages, sourceLocation: location)
        let message = try #require(scan.damages.first?.message, sourceLocation: location)
        #expect(message.contains("the state before event \(first)"), sourceLocation: location)
        #expect(message.contains("--from-checkpoint"), sourceLocation: location)
        #expect(scan.floor == nil && scan.head.sequence == 0, sourceLocation: location)
        #expect(scan.readableAfterDamage == [pruned.kept], sourceLocation: location)
        #expect(try scan.chunk(containing: first) == nil, sourceLocation: location)
        let readable = try DamagedLog.readable(scan)
        #expect(readable.keys.sorted() == Array(pruned.kept), sourceLocation: location)
    }

    @Test func `begins after the floor, with the chain hash of the beginning`() throws {
        try expectWhole()
        let scan = try log.scan()
        let (opened, _) = try pruned.fixture.open(log.disk.killed())
        #expect(scan.head == opened.head && scan.storeID == opened.storeID)
        #expect(scan.beginning == opened.beginning && scan.isStoreKnown)
        #expect(scan.readableAfterDamage.isEmpty && scan.tornTail == nil)
        for sequence in 0..<first { #expect(try scan.chunk(containing: sequence) == nil) }
        #expect(try scan.chunk(containing: first)?.firstSequence == first)
        #expect(scan.location(of: first - 1) == nil && scan.location(of: first) != nil)
        let bytes = log.bytes(of: pruned.floor).count
        #expect(scan.statistics?.floorBytes == bytes)
        #expect(scan.statistics?.segmentCount == pruned.names.count)
    }

    /// The segment of that name is there, too; or the name is below the floor.
    @Test(
        arguments: [
            ("first", .open), ("below", .open), ("below", .sealed),
        ] as [(String, SegmentName.Kind)])
    func `passes over a copy of the floor with the name of a segment`(
        place: String, kind: SegmentName.Kind
    ) throws {
        let name = SegmentName(place == "first" ? first : first - 1, kind)
        log.overwrite(name, log.bytes(of: pruned.floor))
        try expectWhole()
        let (opened, _) = try pruned.fixture.open(log.disk.killed())
        #expect(opened.head.sequence == log.count)
    }

    /// The last segment is lost then.
    @Test func `finds the floor in the place of a segment`() throws {
        let name = SegmentName(first, .sealed)
        #expect(pruned.names.contains(name))
        log.overwrite(name, log.bytes(of: pruned.floor))
        let scan = try log.scan()
        #expect(scan.damages.first?.message == "the file is of another kind than its name says")
        #expect(logCode { _ = try pruned.fixture.open(log.disk) } == .corrupt)
    }

    @Test func `passes over any files below the floor, whatever is in them`() throws {
        let removed = pruned.removed.sorted { $0.key < $1.key }
        #expect(removed.count == 3)
        for mask in 1..<8 {
            for change in 0..<3 {
                for (index, (path, bytes)) in removed.enumerated() {
                    log.disk.erase(path)
                    guard mask & 1 << index != 0 else { continue }
                    var bytes = bytes
                    // As it was; with a wrong bit in its header; cut.
                    if change == 1 { bytes[40] ^= 1 }
                    if change == 2 { bytes.removeLast(bytes.count / 2) }
                    log.disk.overwrite(path, with: bytes)
                }
                try expectWhole()
            }
        }
    }

    @Test func `continues after damage in a segment after the floor`() throws {
        let segment = try log.sealed(pruned.names[0])
        let extent = segment.extent(ofFrame: 1)
        log.flip(pruned.names[0], at: extent.offset + 12)
        let scan = try log.scan()
        let range = "\(extent.sequences.lowerBound)...\(extent.sequences.upperBound)"
        #expect(
            scan.damages.map(\.summary)
                == ["corrupt \(pruned.names[0]) @\(extent.offset) frame 2 \(range)"])
        #expect(scan.floor?.firstSequence == first)
        #expect(scan.head.sequence == extent.sequences.lowerBound - 1)
        #expect(scan.readableAfterDamage == [extent.sequences.upperBound + 1...log.count])
        let batches = try scan.batches(from: first)
        #expect(batches == expected(scan.head.sequence, from: first))
    }

    @Test func `names each damaged part of the floor, and what can be read after it`() throws {
        let floor = try pruned.opened()
        let bytes = log.bytes(of: pruned.floor)
        let index = floor.frames.indexOffset
        let parts = [
            (20, "@8"), (index + 12, "@\(index)"),
            (bytes.count - 3, "@\(bytes.count - SeekTable.footerByteCount)"),
        ]
        for (offset, place) in parts {
            log.flip(pruned.floor, at: offset)
            try expectLost(["corrupt \(pruned.floor) \(place) \(lost)"])
            log.flip(pruned.floor, at: offset)
        }
        let frames = floor.frames.frames.enumerated()
        for (number, frame) in frames {
            log.flip(pruned.floor, at: frame.offset + frame.compressedByteCount / 2)
            try expectLost(
                ["corrupt \(pruned.floor) @\(frame.offset) frame \(number + 1) \(lost)"])
            log.flip(pruned.floor, at: frame.offset + frame.compressedByteCount / 2)
        }
        for (_, frame) in frames { log.flip(pruned.floor, at: frame.offset + 9) }
        #expect(try log.scan().damages.map(\.frame) == [1, 2, 3, 4])
        for count in [0, 3, 100, index, bytes.count - 1] {
            log.overwrite(pruned.floor, Array(bytes.prefix(count)))
            #expect(try log.scan().damages.map(\.segment) == [pruned.floor])
            #expect(try log.scan().readableAfterDamage == [pruned.kept])
        }
    }

    @Test func `finds a wrong bit in every byte of the floor`() throws {
        let uncovered = try pruned.uncovered()
        for offset in log.bytes(of: pruned.floor).indices {
            log.flip(pruned.floor, at: offset, bit: UInt8(offset % 8))
            let scan = try log.scan()
            if scan.damages.isEmpty {
                #expect(uncovered.contains(offset), "byte \(offset)")
                #expect(scan.floor != nil && scan.head.sequence == log.count)
            } else {
                #expect(scan.damages.map(\.segment) == [pruned.floor], "byte \(offset)")
                #expect(scan.damages[0].sequences == 1...first - 1)
                #expect(scan.readableAfterDamage == [pruned.kept], "byte \(offset)")
            }
            log.flip(pruned.floor, at: offset, bit: UInt8(offset % 8))
        }
        try expectWhole()
    }

    @Test func `needs no floor whose segments are still there`() throws {
        for (path, bytes) in pruned.removed where path.hasSuffix(".zst") {
            log.disk.overwrite(path, with: bytes)
        }
        // Its header is damaged: an opening passes over it, too.
        log.flip(pruned.floor, at: 20)
        var scan = try log.scan()
        #expect(scan.damages.isEmpty && scan.floor == nil)
        #expect(try scan.batches() == expected(log.count))
        log.flip(pruned.floor, at: 20)
        // An opening takes it, and finds the damage only later.
        log.flip(pruned.floor, at: try pruned.opened().frames.frames[1].offset + 9)
        scan = try log.scan()
        #expect(scan.damages.map(\.segment) == [pruned.floor])
        #expect(scan.damages[0].isReadable && !scan.damages[0].message.contains("lost"))
        #expect(try scan.batches() == expected(log.count))
        // The earlier floor serves as well.
        for (path, bytes) in pruned.removed { log.disk.overwrite(path, with: bytes) }
        scan = try log.scan()
        #expect(scan.damages.map(\.segment) == [pruned.floor] && scan.damages[0].isReadable)
        #expect(scan.floor != nil && scan.floor?.firstSequence != first)
        #expect(scan.head.sequence == log.count)
    }

    @Test func `says which events after the floor are missing`() throws {
        log.erase(pruned.names[0])
        var scan = try log.scan()
        let next = pruned.names[1].firstSequence
        #expect(
            scan.damages.map(\.summary)
                == ["segmentMissing \(SegmentName(first, .sealed)) \(first)...\(next - 1)"])
        #expect(scan.floor?.firstSequence == first && scan.head.sequence == first - 1)
        #expect(scan.readableAfterDamage == [next...log.count])
        for name in pruned.names { log.erase(name) }
        scan = try log.scan()
        let missing = SegmentName(first, .open)
        #expect(
            scan.damages.map(\.summary)
                == ["segmentMissing \(missing) \(first)...\(first) and more"])
        #expect(scan.head.sequence == first - 1 && scan.isStoreKnown)
        log.flip(pruned.floor, at: 20)
        scan = try log.scan()
        #expect(scan.damages.map(\.segment) == [pruned.floor] && !scan.isStoreKnown)
    }

    @Test func `names a floor that no segment follows and none has led to`() throws {
        let whole = try DamagedLog()
        let path = pruned.floor.path.description
        let bytes = log.bytes(of: pruned.floor)
        // The log has its history: it was to be pruned.
        whole.disk.overwrite(path, with: bytes)
        #expect(try whole.scan().damages.isEmpty)
        // The segments end before it, or are not of its history.
        for name in whole.names.dropFirst(1) where name != pruned.floor { whole.erase(name) }
        let missing = "segmentMissing \(SegmentName(first, .open)) \(first)...\(first) and more"
        let scan = try whole.scan()
        #expect(scan.damages.map(\.summary).contains(missing))
        #expect(scan.floor == nil && scan.head.sequence < first - 1)
    }

    @Test func `is not led astray by the name of a floor`() throws {
        for number in [0, 1, .max] as [UInt64] {
            for bytes in [[], [1, 2, 3], log.bytes(of: pruned.floor)] {
                let copy = log.disk.killed()
                copy.overwrite("events/\(SegmentName(number, .floor))", with: bytes)
                let scan = try pruned.fixture.scan(copy)
                #expect(scan.head.sequence == log.count)
                #expect(scan.damages.allSatisfy { $0.segment.kind == .floor })
                #expect(scan.damages.isEmpty == (number < 2))
                let refused = logCode { _ = try pruned.fixture.inspect(copy) }
                #expect(refused == (number < 2 ? nil : .corrupt))
            }
        }
    }

    @Test func `names a segment that does not continue the floor`() throws {
        pruned.changeHeader(of: pruned.floor, at: SegmentHeader.Offset.chainHashBefore)
        let scan = try log.scan()
        #expect(scan.damages.map(\.code) == [.chainBroken])
        #expect(scan.damages.map(\.segment) == [pruned.names[0]])
        #expect(scan.floor != nil && scan.head.sequence == first - 1)
        #expect(scan.readableAfterDamage == [pruned.kept])
    }

    /// The first kept segment has the id of the log's origin.
    @Test func `keeps the segments of a fork's origin, which its floor or its fork proves`() throws
    {
        pruned.changeHeader(of: pruned.names[0], at: SegmentHeader.Offset.storeID)
        try expectWhole()
        let segment = try log.sealed(pruned.names[0])
        let end = segment.extent(ofFrame: segment.frames.count - 1)
        // Nothing shows any more that the next segment continues it.
        log.flip(pruned.names[0], at: end.offset + 12)
        var scan = try log.scan()
        #expect(scan.damages.map(\.code) == [.corrupt])
        #expect(scan.head.sequence == end.sequences.lowerBound - 1)
        log.flip(pruned.names[0], at: end.offset + 12)
        log.flip(pruned.floor, at: 20)
        scan = try log.scan()
        #expect(scan.damages.map(\.segment) == [pruned.floor])
        #expect(scan.readableAfterDamage == [pruned.kept])
    }
}
