import Foundation
import Skyros
import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import TestSupport
import Testing

private struct Item: Entity, Equatable {
    var id: Int
    var text = ""
}

private let segment = "events/00000000000000000001.open"

@Suite struct `A store on a failing disk` {
    private let disk = SimulatedDisk()
    private let clock = ManualClock()

    private func open(
        _ disk: SimulatedDisk, _ configure: (inout Store.Options) -> Void = { _ in }
    ) throws -> Store {
        var options = Store.Options()
        options.syncInterval = .milliseconds(60_000)
        configure(&options)
        return try Store(on: disk, entities: Item.self, options: options, clock: clock)
    }

    @Test func `keeps buffered writes through a kill and durable ones through a power cut`() throws
    {
        let store = try open(disk)
        try store.write(durability: .durable) { try $0.insert(Item(id: 1)) }
        try store.write { try $0.insert(Item(id: 2)) }
        #expect(try open(disk.killed()).all(Item.self).map(\.id) == [1, 2])
        for seed in 0..<20 {
            let ids = try open(disk.crashed(seed: UInt64(seed))).all(Item.self).map(\.id)
            #expect(ids == [1] || ids == [1, 2])
        }
    }

    @Test func `reports what a power cut tore and where the bytes are kept`() throws {
        let store = try open(disk)
        try store.write(durability: .durable) { try $0.insert(Item(id: 1)) }
        try store.write { try $0.insert(Item(id: 2, text: String(repeating: "x", count: 2_000))) }
        var torn = 0
        for seed in 0..<20 {
            let crashed = disk.crashed(seed: UInt64(seed))
            let report = try open(crashed).recovery
            #expect(!report.wasClean)
            guard report.cutByteCount > 0 else { continue }
            torn += 1
            #expect(!report.isComplete)
            let path = try #require(report.quarantined.first)
            #expect(crashed.contents[path]?.count == 96 + report.cutByteCount)
        }
        #expect(torn > 0)
    }

    @Test func `counts the whole events that a power cut left after a gap`() throws {
        let store = try open(disk)
        for id in 1...8 {
            let text = String(repeating: "x", count: 600)
            try store.write { try $0.insert(Item(id: id, text: text)) }
        }
        var counts: Set<Int> = []
        for seed in 0..<40 {
            let again = try open(disk.crashed(seed: UInt64(seed)))
            counts.insert(again.recovery.cutEventCount)
            let ids = try again.all(Item.self).map(\.id)
            #expect(ids == Array(1...8).prefix(ids.count).map { $0 })
            #expect(again.recovery.cutEventCount < 8 - ids.count || ids.count == 8)
        }
        #expect(counts.count > 1)
    }

    @Test func `refuses a write on a full disk, and accepts the next one (F16)`() throws {
        let store = try open(disk)
        try store.write { try $0.insert(Item(id: 1)) }
        disk.inject(Fault(.write, reason: .noSpace, writtenBytes: 20))
        #expect(code { try store.write { try $0.insert(Item(id: 2)) } } == .diskFull)
        #expect(try store.count(Item.self) == 1)
        try store.write { try $0.insert(Item(id: 3)) }
        #expect(try open(disk.killed()).all(Item.self).map(\.id) == [1, 3])
    }

    @Test func `refuses writes after a failed sync, and still reads (F13)`() throws {
        let store = try open(disk)
        try store.write(durability: .durable) { try $0.insert(Item(id: 1)) }
        disk.inject(Fault(.syncFile))
        do {
            try store.write(durability: .durable) { try $0.insert(Item(id: 2)) }
            Issue.record("the sync failed")
        } catch let error as StoreError {
            #expect(error.code == .durabilityLost)
            #expect(error.place.sequences == 2...2)
        }
        #expect(try store.count(Item.self) == 2)
        let syncs = disk.count(.syncFile)
        #expect(code { try store.write { try $0.insert(Item(id: 3)) } } == .durabilityLost)
        #expect(code { try store.close() } == .durabilityLost)
        #expect(disk.count(.syncFile) == syncs)
        #expect(try open(disk.killed()).count(Item.self) == 2)
    }

    @Test func `reports a failed background sync to the error handler`() async throws {
        let calls = Locked(0)
        let error = await withCheckedContinuation { continuation in
            do {
                let store = try open(disk) { options in
                    options.syncInterval = .milliseconds(1)
                    options.onError = { error in
                        calls.withLock { $0 += 1 }
                        continuation.resume(returning: error)
                    }
                }
                disk.inject(Fault(.syncFile))
                try store.write { try $0.insert(Item(id: 1)) }
                try? store.close()
            } catch {
                Issue.record(error)
            }
        }
        #expect((error as? StoreError)?.code == .durabilityLost)
        #expect(calls.withLock { $0 } >= 1)
    }

    /// No call waits for this write or closes the store, so only the background can report.
    @Test func `syncs buffered writes in the background`() throws {
        let reported = Monitor<(any Error)?>(nil)
        let store = try open(disk) { options in
            options.syncInterval = .milliseconds(1)
            // Releasing the store reports it again.
            options.onError = { error in reported.change { $0 = $0 ?? error } }
        }
        disk.inject(Fault(.syncFile))
        try store.write { try $0.insert(Item(id: 1)) }
        let error = reported.wait(atMost: 120_000) { $0 } as? StoreError
        #expect(error?.code == .durabilityLost)
    }

    @Test func `syncs once for a durable write and not at all for a buffered one`() throws {
        let store = try open(disk)
        let before = disk.count(.syncFile)
        try store.write { try $0.insert(Item(id: 1)) }
        #expect(disk.count(.syncFile) == before)
        try store.write(durability: .durable) { try $0.insert(Item(id: 2)) }
        #expect(disk.count(.syncFile) == before + 1)
        let receipt = try store.writeWithReceipt { try $0.insert(Item(id: 3)) }.receipt
        try receipt.waitUntilDurable()
        try receipt.waitUntilDurable()
        #expect(disk.count(.syncFile) == before + 2)
    }

    @Test func `waits for durability without blocking the task`() async throws {
        let store = try open(disk)
        let receipt = try await store.writeWithReceipt { try $0.insert(Item(id: 1)) }.receipt
        try await receipt.waitUntilDurable()
        for seed in 0..<10 {
            #expect(try open(disk.crashed(seed: UInt64(seed))).count(Item.self) == 1)
        }
    }

    @Test func `refuses an event beyond the limit (F37)`() throws {
        let store = try open(disk) { $0.eventBytesMax = 1_000 }
        let text = String(repeating: "x", count: 1_000)
        #expect(
            code { try store.write { try $0.insert(Item(id: 1, text: text)) } } == .limitExceeded)
        #expect(store.sequence == .zero)
        try store.write { try $0.insert(Item(id: 1, text: "short")) }
        #expect(store.sequence == 1)
    }

    @Test func `refuses an event that is one byte too large (F37)`() throws {
        let item = Item(id: 1, text: String(repeating: "x", count: 2_000))
        func isAccepted(limit: Int) throws -> Bool {
            let disk = SimulatedDisk()
            let store = try open(disk) { $0.eventBytesMax = limit }
            let before = disk.contents
            let found = code { try store.write { try $0.insert(item) } }
            let isAccepted = found == nil
            #expect(isAccepted || found == .limitExceeded)
            #expect(isAccepted || disk.contents == before)
            #expect(try store.count(Item.self) == (isAccepted ? 1 : 0))
            return isAccepted
        }
        var (refused, accepted) = (2_000, 3_000)
        while accepted - refused > 1 {
            let middle = (refused + accepted) / 2
            if try isAccepted(limit: middle) { accepted = middle } else { refused = middle }
        }
        let store = try open(disk)
        try store.write { try $0.insert(item) }
        // The header of the event's block holds the size of the payload.
        let bytes = try #require(disk.contents[segment])
        let opening = 96 + 48 + (Int(bytes[100]) + 7) / 8 * 8
        #expect(Int(bytes[opening + 4]) | Int(bytes[opening + 5]) << 8 == accepted)
        for limit in [accepted - 1, accepted, accepted + 1] {
            #expect(try isAccepted(limit: limit) == (limit >= accepted))
        }
    }

    @Test func `refuses an event beyond the largest possible limit (F37)`() throws {
        let store = try open(disk)
        let before = disk.contents
        let text = String(repeating: "x", count: 65 << 20)
        let found = code { try store.write { try $0.insert(Item(id: 1, text: text)) } }
        #expect(found == .limitExceeded)
        #expect(disk.contents == before)
        try store.write { try $0.insert(Item(id: 1)) }
    }

    @Test func `reads an event that is larger than the present limit`() throws {
        let store = try open(disk) { $0.segmentBytesMax = 1_000 }
        let text = String(repeating: "x", count: 200_000)
        for id in 0..<3 { try store.write { try $0.insert(Item(id: id, text: text)) } }
        try store.close()
        #expect(disk.contents.keys.contains { $0.hasSuffix(".zst") })
        let again = try open(disk) { $0.eventBytesMax = 1_000 }
        #expect(try again.all(Item.self).map(\.text) == [text, text, text])
        #expect(
            code { try again.write { try $0.insert(Item(id: 8, text: text)) } } == .limitExceeded)
        try again.write { try $0.insert(Item(id: 9)) }
    }

    @Test func `refuses an event after the latest possible time (F54)`() throws {
        let last = ManualClock(microseconds: .max)
        let store = try Store(on: disk, entities: Item.self, clock: last)
        try store.write { try $0.insert(Item(id: 1)) }
        #expect(code { try store.write { try $0.insert(Item(id: 2)) } } == .limitExceeded)
        #expect(try store.all(Item.self).map(\.id) == [1])
        let time = try #require(try store.event(1)).time
        #expect(time.microseconds == .max)
        try store.close()
        #expect(try open(disk).count(Item.self) == 1)
    }

    @Test func `has increasing event times if the clock goes back (F54)`() throws {
        let store = try open(disk)
        try store.write { try $0.insert(Item(id: 1)) }
        clock.advance(byMicroseconds: -1_000_000_000)
        try store.write { try $0.insert(Item(id: 2)) }
        let times = try [1, 2].map { try #require(try store.event($0)).time.microseconds }
        #expect(times[1] == times[0] + 1)
        clock.advance(byMicroseconds: 2_000_000_000)
        try store.write { try $0.insert(Item(id: 3)) }
        #expect(try #require(try store.event(3)).time.microseconds > times[1] + 1)
    }

    @Test func `has increasing event times if the clock jumps at random (F54)`() throws {
        let jumps = SeededEntropy(seed: 54)
        let store = try open(disk)
        let year: Int64 = 31_557_600 * 1_000_000
        // 1970 and around it, long before, and the last time that 64 bits of nanoseconds can hold.
        let times: [Int64] = [0, 1, -1, -60 * year]
        let end: Int64 = 9_223_372_036_854_775
        var last: Int64 = .min
        for number in 0..<10_000 {
            let jump = jumps.next()
            let target =
                switch jump % 50 {
                case 0: times[Int(jump / 50) % times.count]
                case 1 where number > 9_000: end
                default: Int64(jump % UInt64(20 * year)) - 10 * year
                }
            clock.advance(byMicroseconds: target - clock.nowMicroseconds())
            try store.write { try $0.upsert(Item(id: number % 7, text: "\(number)")) }
            let time = store.snapshot.time.microseconds
            #expect(time > last)
            last = time
        }
        var previous: Int64 = .min
        let again = try open(disk.killed())
        try again.events().forEach { event in
            #expect(event.time.microseconds > previous)
            previous = event.time.microseconds
        }
        #expect(previous == last)
    }
}

@Suite struct `A store whose files are protected for a while` {
    /// EPERM and EACCES: what a phone answers while it is locked.
    @Test(arguments: [Int32(1), 13], [0, 7])
    func `refuses writes meanwhile, and takes them later (F21)`(code: Int32, partly: Int) throws {
        let disk = SimulatedDisk()
        let store = try Store(on: disk, entities: Item.self)
        try store.write { try $0.insert(Item(id: 1)) }
        for kind in [SimulatedDisk.Kind.write, .truncate, .preallocate, .create, .rename] {
            disk.inject(
                Fault(kind, reason: .system(code), isLasting: true, writtenBytes: partly))
        }
        for _ in 0..<3 {
            #expect(throws: StoreError(.io, "")) { try store.write { try $0.insert(Item(id: 2)) } }
        }
        #expect(try store.all(Item.self).map(\.id) == [1])
        disk.heal()
        try store.write { try $0.insert(Item(id: 3)) }
        try store.write(durability: .durable) { try $0.insert(Item(id: 4)) }
        let killed = try Store(on: disk.killed(), entities: Item.self)
        #expect(try killed.all(Item.self).map(\.id) == [1, 3, 4])
        #expect(killed.recovery.cutByteCount == 0)
        try store.close()
    }
}

@Suite struct `A store with damaged files` {
    private let disk = SimulatedDisk()

    init() throws {
        let store = try Store(on: disk, entities: Item.self)
        for id in 0..<20 { try store.write { try $0.insert(Item(id: id)) } }
        try store.close()
    }

    private func opening(_ disk: SimulatedDisk) -> StoreError.Code? {
        code { _ = try Store(on: disk, entities: Item.self) }
    }

    @Test func `fails with logCorrupt if the log is damaged (F24)`() throws {
        let copy = disk.killed()
        var bytes = try #require(copy.contents[segment])
        bytes[250] ^= 1
        copy.overwrite(segment, with: bytes)
        #expect(opening(copy) == .logCorrupt)
        #expect(code { _ = try Archive(on: copy) } == .logCorrupt)
    }

    @Test func `fails with unsupportedFormat if the format is newer (F59)`() throws {
        let copy = disk.killed()
        var bytes = try #require(copy.contents[segment])
        bytes[10] = 9
        copy.overwrite(segment, with: bytes.withHeaderCheck)
        #expect(opening(copy) == .unsupportedFormat)
    }

    @Test func `detects a missing segment and one of another store (F28)`() throws {
        let small = SimulatedDisk()
        var options = Store.Options()
        options.segmentBytesMax = 500
        let store = try Store(on: small, entities: Item.self, options: options, seed: 5)
        for id in 0..<20 { try store.write { try $0.insert(Item(id: id)) } }
        try store.close()
        let names = small.contents.keys.filter { $0.hasPrefix("events/") }.sorted()
        let missing = small.killed()
        missing.erase(names[0])
        #expect(opening(missing) == .segmentMissing)
        let mixed = small.killed()
        let last = try #require(names.last)
        var bytes = try #require(mixed.contents[last])
        // Its id, and what it continues: with the latter alone right it would be a fork's.
        for byte in [16, 40] { bytes[byte] ^= 1 }
        mixed.overwrite(last, with: bytes.withHeaderCheck)
        #expect(opening(mixed) == .foreignStore)
    }

    @Test func `fails with notAStore if there is none`() {
        #expect(code { _ = try Archive(on: SimulatedDisk()) } == .notAStore)
    }
}

extension [UInt8] {
    /// The bytes of a segment with an updated checksum of its header.
    fileprivate var withHeaderCheck: [UInt8] {
        var bytes = self
        let check = XXH64.hash(Array(bytes[..<88]))
        Swift.withUnsafeBytes(of: check.littleEndian) { bytes.replaceSubrange(88..<96, with: $0) }
        return bytes
    }
}
