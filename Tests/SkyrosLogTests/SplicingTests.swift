import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import SkyrosLog

/// Intact blocks at an offset where they do not belong.
@Suite(.long) struct `A block that replaces another one` {
    private let path = "events/00000000000000000001.open"
    private let fixture = LogFixture()
    private static let count: UInt64 = 12

    private func log(of storeID: StoreID, seed: UInt64) throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        let log = try FileLog.make(
            for: storeID, on: disk, fixture.options, entropy: SeededEntropy(seed: seed),
            framing: LogFixture.framing)
        try log.append(Int(Self.count))
        try log.close()
        return disk
    }

    private func blocks(of disk: SimulatedDisk) throws -> [[UInt8]] {
        let bytes = try #require(disk.contents[path])
        return BlockLocation.all(in: bytes).map { Array(bytes[$0.range]) }
    }

    /// Tries each of `sources` at each place of `disk`'s log.
    private func splice(_ sources: [[UInt8]], into disk: SimulatedDisk) throws -> Int {
        let bytes = try #require(disk.contents[path])
        let closing = try #require(BlockLocation.all(in: bytes).last)
        var count = 0
        for target in BlockLocation.all(in: bytes) {
            for source in sources where source != Array(bytes[target.range]) {
                var spliced = bytes
                let end = min(target.range.lowerBound + source.count, bytes.count)
                let place = target.range.lowerBound..<end
                // The closing mark proves the blocks before it, unless it is replaced.
                if end > closing.range.lowerBound, target.range != closing.range { continue }
                spliced.replaceSubrange(place, with: source.prefix(place.count))
                let copy = disk.killed()
                copy.overwrite(path, with: spliced)
                let before = copy.contents
                do {
                    // The mark that proves the batches durable may be replaced, and they stay.
                    #expect(try fixture.open(copy).0.batches() == expected(Self.count), "\(place)")
                } catch is LogError {
                    #expect(copy.contents == before)
                }
                count += 1
            }
        }
        return count
    }

    @Test func `is rejected if it is of another store (F32)`() throws {
        let own = try log(of: fixture.storeID, seed: 7)
        let foreign = try log(of: StoreID(from: SeededEntropy(seed: 99)), seed: 98)
        let count = try splice(blocks(of: foreign), into: own)
        #expect(count > 100)
        reportSweep("blocks of another store", "\(count) splices")
    }

    /// The same store, restored and continued: the sequences fit, the salt does not.
    @Test func `is rejected if it is of another file of the store (F32)`() throws {
        let own = try log(of: fixture.storeID, seed: 7)
        let other = try log(of: fixture.storeID, seed: 8)
        let count = try splice(blocks(of: other), into: own)
        #expect(count > 100)
        reportSweep("blocks of another file", "\(count) splices")
    }

    @Test func `is rejected if it is of another offset (F32, F63)`() throws {
        let own = try log(of: fixture.storeID, seed: 7)
        let count = try splice(blocks(of: own), into: own)
        #expect(count > 100)
        reportSweep("blocks at another place", "\(count) splices")
    }
}

/// A changed history, in which the hashes of each block were corrected.
@Suite(.long) struct `A forged history` {
    private let path = "events/00000000000000000001.open"
    private let fixture = LogFixture()
    private let disk = SimulatedDisk()
    private let bytes: [UInt8]
    private let salt: UInt64
    private static let count: UInt64 = 16

    init() throws {
        let log = try fixture.make(on: disk)
        try log.append(Int(Self.count))
        try log.close()
        bytes = try #require(disk.contents[path])
        salt = try SegmentHeader(bytes, in: SegmentName(1, .open)).salt
    }

    /// A block's fields and its payload.
    private struct Item {
        var block: Block
        var payload: [UInt8]
    }

    private func items() throws -> [Item] {
        try BlockLocation.all(in: bytes).map { place in
            let block = try #require(
                bytes.withUnsafeBytes {
                    Block(headerIn: $0, at: place.range.lowerBound, salt: salt)
                })
            let payload = bytes[place.range.lowerBound + 48..<place.payloadEnd]
            return Item(block: block, payload: Array(payload))
        }
    }

    /// Writes the items with correct hashes, and returns the error of an opening.
    private func opening(_ items: [Item]) throws -> LogError.Code? {
        var forged = Array(bytes[..<96])
        for item in items {
            var block = item.block
            block.payloadByteCount = item.payload.count
            block.payloadHash = XXH64.hash(item.payload)
            item.payload.withUnsafeBytes { block.append(to: &forged, payload: $0, salt: salt) }
        }
        let copy = disk.killed()
        copy.overwrite(path, with: forged)
        let before = copy.contents
        let found = logCode { _ = try fixture.open(copy) }
        let scan = try DamageScan(of: copy, fixture.options, framing: LogFixture.framing)
        #expect(scan.damages.isEmpty == (found == nil))
        // Whatever is forged, the history that a scan finds is what was written.
        #expect(try scan.batches() == expected(scan.head.sequence))
        #expect(copy.contents == before)
        return found
    }

    @Test func `is accepted if nothing was changed`() throws {
        #expect(try items().count { $0.block.kind == .batch } == Self.count)
        var forged = Array(bytes[..<96])
        for item in try items() {
            item.payload.withUnsafeBytes { item.block.append(to: &forged, payload: $0, salt: salt) }
        }
        #expect(forged == bytes)
    }

    @Test func `is detected wherever an event was edited (F33)`() throws {
        let items = try items()
        for index in items.indices where items[index].block.kind == .batch {
            var forged = items
            forged[index].payload[forged[index].payload.count - 1] ^= 1
            #expect([.corrupt, .chainBroken].contains(try opening(forged)), "block \(index)")
            // The chain hash, too, as far as this block goes.
            let before = items[index - 1].block.chainHash
            let hash = XXH64.hash(forged[index].payload)
            forged[index].block.chainHash = before.advanced(by: hash)
            let found = try opening(forged)
            #expect([.corrupt, .chainBroken].contains(found), "block \(index)")
        }
    }

    @Test func `is detected wherever an event was removed (F33, F63)`() throws {
        let items = try items()
        for index in items.indices where items[index].block.kind == .batch {
            var forged = items
            forged.remove(at: index)
            #expect(try opening(forged) != nil, "block \(index)")
            for later in forged.indices[index...] { forged[later].block.sequence -= 1 }
            #expect(try opening(forged) != nil, "block \(index), renumbered")
        }
    }

    @Test func `is detected wherever events were swapped (F33)`() throws {
        let items = try items()
        for index in items.indices.dropLast() {
            guard items[index].block.kind == .batch, items[index + 1].block.kind == .batch else {
                continue
            }
            var forged = items
            forged.swapAt(index, index + 1)
            #expect(try opening(forged) != nil, "block \(index)")
            (forged[index].block.sequence, forged[index + 1].block.sequence) =
                (items[index].block.sequence, items[index + 1].block.sequence)
            #expect(try opening(forged) != nil, "block \(index), renumbered")
        }
    }

    @Test func `is detected if a sequence is repeated or too large (F63)`() throws {
        let items = try items()
        for index in items.indices where items[index].block.kind == .batch {
            for sequence in [items[index].block.sequence - 1, .max, 0] {
                var forged = items
                forged[index].block.sequence = sequence
                #expect(try opening(forged) != nil, "block \(index) as \(sequence)")
            }
        }
    }
}
