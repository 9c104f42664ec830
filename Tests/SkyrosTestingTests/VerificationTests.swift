import Foundation
import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

private struct Item: Entity, Equatable {
    var id: Int
    var text = ""
}

/// What `Archive.verify` finds in logs whose checksums are all right, because another program, or a
/// forger, wrote them.
@Suite struct `A verification` {
    private let disk = SimulatedDisk()

    /// A log of these events, in segments of about `segmentBytesMax`.
    private func write(
        _ events: [[UInt8]], timesBefore: [Int64] = [], segmentBytesMax: Int = 1 << 20
    ) throws {
        var options = LogOptions()
        options.segmentBytesMax = segmentBytesMax
        let entropy = SeededEntropy(seed: 1)
        let log = try FileLog.make(
            for: StoreID(from: entropy), on: disk, options, entropy: entropy,
            framing: EventCoding.byteCount(of:))
        for (index, event) in events.enumerated() {
            let timeBefore = index < timesBefore.count ? timesBefore[index] : Int64(index)
            try event.withUnsafeBytes { bytes in
                _ = try log.append(
                    bytes, as: UInt64(index + 1), timeBefore: timeBefore, deferring: false)
            }
        }
        while try log.sealNext() {}
        try log.close()
    }

    private func event(_ sequence: Int, _ changes: [FieldValue] = []) throws -> [UInt8] {
        try Fields([
            "sequence": .integer(Int128(sequence)), "time": .integer(Int128(sequence)),
            "changes": .array(changes),
        ]).bytes
    }

    private func insertion(_ id: Int, _ text: String = "a") -> FieldValue {
        let id = FieldValue.integer(Int128(id))
        return ["entity": "Item", "id": id, "after": ["id": id, "text": .text(text)]]
    }

    private func problems() throws -> [String] {
        let whole = try Archive(on: Environment(disk: disk)).verify()
        let scanned = try Archive(on: Environment(disk: disk), reading: .upToDamage).verify()
        #expect(whole.problems == scanned.problems && whole.sequence == scanned.sequence)
        #expect(whole.damages.isEmpty && whole.isReadable)
        return whole.problems
    }

    @Test func `finds nothing in an ordinary log`() throws {
        try write(
            [
                try event(1, [insertion(1)]),
                try event(
                    2,
                    [
                        [
                            "entity": "Item", "id": 1, "before": ["text": "a"],
                            "after": ["text": "b"],
                        ]
                    ]),
                try event(
                    3,
                    [
                        ["entity": "Item", "id": 1, "before": ["id": 1, "text": "b"]],
                        insertion(1, "c"),
                    ]),
                try event(4, [["entity": "Item", "cleared": 1], insertion(1, "d")]),
            ], segmentBytesMax: 300)
        #expect(try problems() == [])
    }

    @Test(
        arguments: [
            // An integer in too many bytes, keys in another order, the same key twice, bad UTF-8, a
            // float in too many bytes, a bignum of a small number.
            ([0xA1, 0x61, 0x78, 0x18, 0x01], "shortest"),
            ([0xA2, 0x61, 0x79, 0x01, 0x61, 0x78, 0x02], "canonical order"),
            ([0xA2, 0x61, 0x78, 0x01, 0x61, 0x78, 0x02], "same key twice"),
            ([0xA1, 0x61, 0x78, 0x61, 0xFF], "UTF-8"),
            ([0xA1, 0x61, 0x78, 0xFA, 0x3F, 0x80, 0x00, 0x00], "shortest"),
            ([0xA1, 0x61, 0x78, 0xC2, 0x41, 0x05], "shortest"),
        ] as [([UInt8], String)])
    func `finds an event that is not canonical`(fields: [UInt8], why: String) throws {
        var bytes = try event(1, [["entity": "E", "id": 1, "after": [:]]])
        let place = try #require(bytes.lastIndex(of: 0xA0))
        bytes.replaceSubrange(place...place, with: fields)
        try write([bytes])
        let problems = try problems()
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix("event 1 is not in canonical form: ") == true)
        #expect(problems.first?.contains(why) == true, "\(problems)")
        #expect(problems.first?.hasSuffix("of the event") == true)
    }

    /// The event around a record or an id adds levels, which do not count.
    @Test func `finds nothing in values that are nested to the limit (F36)`() throws {
        let deep = [UInt8](repeating: 0x81, count: CBORFormat.nestingMax)
        let plain = try event(1, [["entity": "E", "id": 1, "after": [:]]])
        var record = plain
        var place = try #require(plain.lastIndex(of: 0xA0))
        record.replaceSubrange(place...place, with: [0xA1, 0x61, 0x78] + deep.dropLast() + [0])
        var id = plain
        place = try #require(plain.indices.first { plain[$0...].starts(with: [0x62, 0x69, 0x64]) })
        id.replaceSubrange(place + 3...place + 3, with: deep + [0])
        let sequence = Array("sequence".utf8)
        place = try #require(record.indices.first { record[$0...].starts(with: sequence) })
        record[place + sequence.count] = 2
        let time = Array("time".utf8)
        place = try #require(record.indices.first { record[$0...].starts(with: time) })
        record[place + 4] = 2
        try write([id, record])
        #expect(try problems() == [])
    }

    @Test func `finds a first event that is not later than 1970`() throws {
        var bytes = try event(1)
        let time = Array("time".utf8)
        let place = try #require(bytes.indices.first { bytes[$0...].starts(with: time) })
        bytes[place + 4] = 0
        try write([bytes])
        #expect(try problems() == ["event 1 is not later than the beginning of 1970"])
    }

    @Test func `ends before an event that says of a record that it was other`() throws {
        let update: FieldValue = [
            "entity": "Item", "id": 1, "before": ["text": "x"], "after": ["text": "b"],
        ]
        try write([try event(1, [insertion(1)]), try event(2, [update])])
        let verification = try Archive(on: Environment(disk: disk)).verify()
        #expect(verification.sequence == 1)
        #expect(verification.problems.count == 1)
        #expect(verification.problems.first?.contains("Item 1, which had other fields") == true)
    }

    @Test func `finds times in headers and indexes that are not the events'`() throws {
        let events = try (1...9).map { try event($0, [insertion($0)]) }
        // Each segment but the first states a wrong time, and so does each sealed one.
        try write(
            events, timesBefore: (0..<9).map { Int64($0) * 100 }, segmentBytesMax: 300)
        let names = disk.contents.keys.filter { $0.hasPrefix("events/") }.sorted()
        try #require(names.count > 2)
        let problems = try problems()
        #expect(problems.count == 2 * (names.count - 1))
        for name in names.dropFirst() {
            let offset = name.hasSuffix(".zst") ? 56 : 48
            #expect(problems.contains { $0.hasPrefix("\(name) says at byte \(offset) that event") })
        }
    }

    @Test func `finds a checkpoint whose time is not that of its event`() throws {
        let store = try Store(on: disk, entities: Item.self)
        for id in 1...3 { try store.write { try $0.insert(Item(id: id)) } }
        try store.close()
        let archive = try Archive(on: Environment(disk: disk))
        let checkpointer = Checkpointer(
            in: try #require(disk.databaseDirectory), "checkpoint.sqlite",
            storeID: archive.log.storeID.bytes)
        var state = try #require(try checkpointer.load(into: archive.empty))
        let time = state.time
        state.move(
            to: state.sequence, time: EventTime(microseconds: 1),
            rawChainHash: state.chainHash.rawValue)
        try checkpointer.write(
            state, DirtyRows(), IdempotencyKeys(KeyTable(), KeyWindow(KeyWindow.standard)))
        try checkpointer.close()
        #expect(
            archive.verify().problems == [
                "the checkpoint has another time than event 3; rebuild the checkpoint"
            ])
        #expect(try archive.info().lastTime == time)
        #expect(try archive.newestSnapshot().time == time)
        let opened = try Store(on: disk, entities: Item.self)
        #expect(opened.snapshot.time == time)
        guard case .rebuilt(let reason) = opened.recovery.checkpoint else {
            Issue.record("\(opened.recovery)")
            return
        }
        #expect(reason.contains("its time is not that of event 3"))
    }

    @Test func `finds a checkpoint with other idempotency keys than the log`() throws {
        let store = try Store(on: disk, entities: Item.self)
        for id in 1...3 { try store.write(once: "k\(id)") { try $0.insert(Item(id: id)) } }
        try store.close()
        let archive = try Archive(on: Environment(disk: disk))
        #expect(archive.verify().ok)
        var rows = DirtyRows()
        let state = try archive.historyReader.snapshot(asOf: .sequence(3), marking: &rows)
        disk.erase("checkpoint.sqlite")
        let checkpointer = Checkpointer(
            in: try #require(disk.databaseDirectory), "checkpoint.sqlite",
            storeID: archive.log.storeID.bytes)
        let table = KeyTable(
            [KeyedEvent("k9", nil, at: 1, EventTime(microseconds: 1))], after: .none)
        try checkpointer.write(state, rows, IdempotencyKeys(table, KeyWindow(.seconds(Int64.max))))
        try checkpointer.close()
        #expect(
            archive.verify().problems == [
                "the checkpoint has other idempotency keys than the log up to event 3; "
                    + "rebuild the checkpoint"
            ])
    }

    @Test func `says in words what zstd says of a damaged frame`() throws {
        try write(try (1...9).map { try event($0, [insertion($0)]) }, segmentBytesMax: 300)
        let name = try #require(disk.contents.keys.filter { $0.hasSuffix(".zst") }.min())
        var bytes = try #require(disk.contents[name])
        bytes[150] ^= 1
        disk.overwrite(name, with: bytes)
        let problems = try Archive(on: Environment(disk: disk), reading: .upToDamage).verify()
            .problems.filter { $0.contains("a frame cannot be decompressed: ") }
        #expect(!problems.isEmpty && !problems.contains { $0.contains("library(") })
    }

    /// After a reboot, opening would cut off all of it: the writes may have been reordered.
    @Test func `finds whole events after a torn one`() throws {
        var options = Store.Options()
        options.syncInterval = .seconds(3_600)
        let store = try Store(on: disk, entities: Item.self, options: options)
        for id in 1...9 { try store.write { try $0.insert(Item(id: id)) } }
        let killed = disk.killed()
        let name = "events/00000000000000000001.open"
        var bytes = try #require(killed.contents[name])
        // The payload of event 4.
        let text = Array("changes".utf8)
        let places = bytes.indices.filter { bytes[$0...].starts(with: text) }
        bytes[places[3]] ^= 1
        killed.overwrite(name, with: bytes)
        killed.nameBoot("another")
        let result = try Archive(on: Environment(disk: killed)).verify()
        #expect(!result.ok && result.sequence == 3 && result.damages.isEmpty)
        #expect(result.tornTail?.wholeEventCount == 5)
        #expect(result.problems.count == 1)
        #expect(result.problems.first?.hasPrefix("5 whole events follow the torn tail") == true)
        withExtendedLifetime(store) {}
    }

    @Test func `says nothing of a checkpoint's store where that of the log is unknown`() throws {
        let store = try Store(on: disk, entities: Item.self)
        try store.write { try $0.insert(Item(id: 1)) }
        try store.close()
        let name = "events/00000000000000000001.open"
        var bytes = try #require(disk.contents[name])
        for index in 0..<96 { bytes[index] ^= 0xFF }
        disk.overwrite(name, with: bytes)
        let result = try Archive(on: Environment(disk: disk), reading: .upToDamage).verify()
        #expect(!result.ok && !result.problems.contains { $0.contains("another store") })
    }
}
