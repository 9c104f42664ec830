import SkyrosDisk
import SkyrosTesting
import Testing

@testable import SkyrosLog

/// A log of three sealed segments with several frames each, one that has ended, and an active one
/// with durable batches and others that were never synced; and ways to damage it.
struct DamagedLog {
    let disk: SimulatedDisk
    let fixture: LogFixture
    /// How many batches there are.
    let count: UInt64

    init() throws {
        var fixture = LogFixture(segmentBytesMax: 900)
        fixture.options.frameBytes = 100
        self.fixture = fixture
        let whole = SimulatedDisk()
        let log = try fixture.make(on: whole)
        while log.statistics.segmentCount < 5 { try log.append(1) }
        while log.statistics.sealedSegmentCount < 3 { _ = try log.sealNext() }
        try log.append(1)
        try log.sync(through: log.append(1))
        try log.markIdle()
        try log.append(2)
        count = log.head.sequence
        disk = whole.killed()
    }

    /// The segments' names, in order.
    var names: [SegmentName] {
        disk.contents.keys.filter { $0.hasPrefix("events/") }.sorted()
            .compactMap { SegmentName(String($0.dropFirst("events/".count))) }
    }

    func scan() throws -> DamageScan {
        try DamageScan(of: disk, fixture.options, framing: LogFixture.framing)
    }

    func bytes(of name: SegmentName) -> [UInt8] { disk.contents["events/\(name)"] ?? [] }

    func overwrite(_ name: SegmentName, _ bytes: [UInt8]) {
        disk.overwrite("events/\(name)", with: bytes)
    }

    func erase(_ name: SegmentName) { disk.erase("events/\(name)") }

    func flip(_ name: SegmentName, at offset: Int, bit: UInt8 = 0) {
        var bytes = bytes(of: name)
        bytes[offset] ^= 1 << bit
        overwrite(name, bytes)
    }

    func sealed(_ name: SegmentName) throws -> SealedSegment {
        try SealedSegment(name, on: disk)
    }

    /// The blocks of an open segment and where they stand.
    func blocks(of name: SegmentName) throws -> [(offset: Int, block: Block)] {
        let bytes = bytes(of: name)
        let header = try SegmentHeader(bytes, in: name)
        var found: [(Int, Block)] = []
        var offset = SegmentHeader.byteCount
        bytes.withUnsafeBytes { all in
            while let block = Block(wholeIn: all, at: offset, salt: header.salt) {
                found.append((offset, block))
                offset += block.byteCount
            }
        }
        return found
    }

    /// All batches that a scan gives, those behind the damage too, by their numbers.
    static func readable(_ scan: DamageScan) throws -> [UInt64: [UInt8]] {
        var found: [UInt64: [UInt8]] = [:]
        try scan.forEach(after: 0) { number, bytes in
            #expect(found[number] == nil)
            found[number] = [UInt8](bytes)
            return true
        }
        return found
    }
}

extension LogDamage {
    /// All of the damage but its words, in one line.
    var summary: String {
        var text = "\(code) \(segment)"
        if let offset { text += " @\(offset)" }
        if let frame { text += " frame \(frame)" }
        if let sequences { text += " \(sequences.lowerBound)...\(sequences.upperBound)" }
        if isOpenEnded { text += " and more" }
        if !isBelowDurable { text += " above" }
        return isReadable ? text + " readable" : text
    }
}
