import SkyrosSQLite
import TestSupport
import Testing

@testable import Skyros

@Suite struct `The idempotency keys in a checkpoint` {
    private let directory: CheckpointDirectory

    init() throws {
        directory = try CheckpointDirectory()
    }

    private static func event(_ key: String, _ sequence: UInt64, _ intent: Intent? = nil)
        -> KeyedEvent
    {
        KeyedEvent(
            key, intent, at: SequenceNumber(rawValue: sequence),
            EventTime(microseconds: Int64(sequence) * 1_000))
    }

    private static let intent = Intent(name: "Do", encoded: [0x01])
    private static let events = [
        event("a", 2), event("b\0c", 5, intent), event("é", 6), event("a", 9),
    ]

    private func write(
        _ events: [KeyedEvent], after bound: UInt64 = 0, at sequence: UInt64,
        replacesAll: Bool = false, to database: CheckpointDatabase
    ) throws {
        var batch = CheckpointBatch()
        batch.replacesAll = replacesAll
        batch.keys = { known in
            #expect((known == nil) == (replacesAll || self.isEmpty))
            let time = EventTime(microseconds: Int64(bound) * 1_000)
            return IdempotencyKeys.Changes(
                bound: bound == 0
                    ? .none : KeyBound(sequence: SequenceNumber(rawValue: bound), time: time),
                events: events)
        }
        var position = CheckpointDirectory.position
        position.sequence = sequence
        try database.write(batch, at: position)
    }

    private var isEmpty: Bool { (try? directory.query("SELECT * FROM _skyros").isEmpty) ?? true }

    private func loaded() throws -> [KeyedEvent] {
        var events: [KeyedEvent] = []
        try directory.open().load(keys: { events.append($0) }, { _, _ in })
        return events
    }

    @Test func `are added, and deleted up to the bound`() throws {
        let database = try directory.open()
        try write(Array(Self.events.prefix(2)), at: 5, to: database)
        #expect(try loaded() == Array(Self.events.prefix(2)))
        try write(Array(Self.events.suffix(2)), after: 2, at: 9, to: database)
        #expect(try loaded() == Array(Self.events.suffix(3)))
        #expect(try database.description()?.keys.bound.sequence == 2)
        // Of a longer window: the oldest comes back.
        try write([Self.events[0]], at: 9, to: database)
        #expect(try loaded() == Self.events)
        #expect(try database.description()?.keys.bound == KeyBound.none)
        try write([Self.events[3]], after: 6, at: 9, replacesAll: true, to: database)
        #expect(try loaded() == [Self.events[3]])
        try database.close()
        let columns = try directory.query("SELECT key_count, keys_after FROM _skyros")
        #expect(columns == [["1", "6"]])
        let rows = try directory.query("SELECT * FROM _skyros_keys")
        #expect(rows == [["9", "9000", "a", "NULL"]])
    }

    @Test(arguments: [
        "UPDATE _skyros_keys SET key = 'x' WHERE sequence = 2",
        "UPDATE _skyros_keys SET sequence = 3 WHERE sequence = 2",
        "UPDATE _skyros_keys SET time = time + 1 WHERE sequence = 9",
        "UPDATE _skyros_keys SET intent = intent + 1 WHERE sequence = 5",
        "UPDATE _skyros_keys SET intent = NULL WHERE sequence = 5",
        "UPDATE _skyros_keys SET intent = 0 WHERE sequence = 6",
        "UPDATE _skyros_keys SET key = NULL WHERE sequence = 6",
        "UPDATE _skyros_keys SET key = x'61' WHERE sequence = 2",
        "UPDATE _skyros_keys SET key = CAST(x'ff' AS TEXT) WHERE sequence = 2",
        "DELETE FROM _skyros_keys WHERE sequence = 6",
        "INSERT INTO _skyros_keys VALUES (7, 7000, 'z', NULL)",
        "INSERT INTO _skyros_keys VALUES (0, 0, 'z', NULL)",
        "INSERT INTO _skyros_keys VALUES (10, 10000, 'z', NULL)",
        "UPDATE _skyros SET key_count = 3",
        "UPDATE _skyros SET key_content = '0000000000000000'",
        "UPDATE _skyros SET keys_after = 1",
        "UPDATE _skyros SET keys_after_time = 1",
        "UPDATE _skyros SET keys_after = 10",
        "UPDATE _skyros SET key_count = -1",
        "CREATE INDEX more ON _skyros_keys(key)",
        "DROP TABLE _skyros_keys",
    ])
    func `are damaged by any change`(sql: String) throws {
        let database = try directory.open()
        try write(Self.events, at: 9, to: database)
        try database.close()
        #expect(try loaded() == Self.events)
        try directory.stranger().execute(sql)
        let error = failure(as: CheckpointError.self) { _ = try loaded() }
        guard case .corrupt = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
