import SkyrosDisk
import SkyrosTesting
import Testing

@testable import SkyrosLog

/// A log to damage: three sealed segments, an ended one, and an active one, partly unsynced.
struct DamagedLog {
    let disk: SimulatedDisk
    let fixture: LogFixture
    /// The number of batches.
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

    /// The blocks of an open segment, and their offsets.
    func blocks(of name: SegmentName) throws -> [(offset: Int, block: Block)] {
        let bytes = bytes(of: name)
        let header = try SegmentHeader(bytes, in: name)
        var found: [(Int, Block)] = []
        var offset = SegmentHeader.fixedByteCount
        bytes.withUnsafeBytes { all in
            while let block = Block(wholeIn: all, at: offset, salt: header.salt) {
                found.append((offset, block))
                offset += block.byteCount
            }
        }
        return found
    }

    /// All batches that a scan can read, those after the damage included, by number.
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
    /// The damage in one line, without the message.
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
