import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import SkyrosLog

/// A flipped bit anywhere.
@Suite(.long) struct `A scan after a flipped bit` {
    /// Whether the log can be read without an error.
    private func isReadableWhole(_ log: DamagedLog) -> Bool {
        do {
            let inspection = try log.fixture.inspect(log.disk)
            guard inspection.refusal == nil, inspection.verdict != .clean else { return false }
            return try inspection.batches() == expected(log.count)
        } catch {
            return false
        }
    }

    @Test func `reads every batch as it was, or names it as lost`() throws {
        let log = try DamagedLog()
        let whole = log.disk.contents
        for name in log.names {
            let bytes = whole["events/\(name)"] ?? []
            let end = (bytes.lastIndex { $0 != 0 } ?? 0) + 1
            for offset in stride(from: 0, to: end, by: Extent.pick(brief: 67, quick: 7, deep: 1)) {
                for bit in Extent.current == .deep ? Array(0..<8) : [offset % 8] {
                    log.flip(name, at: offset, bit: UInt8(bit))
                    try check(log, "\(name), byte \(offset), bit \(bit)")
                    log.overwrite(name, bytes)
                }
            }
        }
    }

    private func check(_ log: DamagedLog, _ place: String) throws {
        let scan = try log.scan()
        let readable = try DamagedLog.readable(scan)
        #expect(readable.allSatisfy { LogFixture.batch($0) == $1 }, "\(place)")
        #expect(try scan.batches() == expected(scan.head.sequence), "\(place)")
        let named = scan.damages + [scan.tornTail].compactMap { $0 }
        for number in 1...log.count where readable[number] == nil {
            let isNamed = named.contains { $0.sequences?.contains(number) ?? false }
            #expect(isNamed, "batch \(number) is lost and not named: \(place)")
        }
        // One bit takes one frame, or one block, at most.
        #expect(Int(log.count) - readable.count <= 8, "\(place)")
        if named.isEmpty { #expect(isReadableWhole(log), "\(place)") }
        if !isReadableWhole(log) { #expect(!named.isEmpty, "\(place)") }
    }
}
