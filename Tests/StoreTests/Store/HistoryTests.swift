import Foundation
import Skyros
import TestSupport
import Testing

@Suite struct `The past` {
    private let store: Store

    init() throws {
        store = try SharedStore.inMemory(Note.self, Counter.self)
        try store.write(by: "a", because: "one") { try $0.insert(Note(id: 1, text: "first")) }
        try store.write(by: "b", because: "two") { tx in
            try tx.update(Note.self, 1) { $0.text = "second" }
            try tx.insert(Note(id: 2, text: "other"))
        }
        try store.write(by: "c") { try $0.delete(Note.self, 1) }
        try store.write(by: "d") { try $0.insert(Note(id: 1, text: "third")) }
        try store.write(by: "e") { try $0.deleteAll(Note.self) }
    }

    @Test func `can be read by sequence`() throws {
        let texts = try (0...5).map { sequence in
            try store.snapshot(asOf: .sequence(SequenceNumber(rawValue: UInt64(sequence))))
                .all(Note.self).map(\.text)
        }
        #expect(texts == [[], ["first"], ["second", "other"], ["other"], ["third", "other"], []])
    }

    @Test func `can be read by time`() throws {
        let time = try #require(try store.event(2)).time
        let state = try store.snapshot(asOf: .date(time.date.addingTimeInterval(0.000_000_4)))
        #expect(state.sequence >= 2)
        #expect(try store.snapshot(asOf: .date(.distantPast)).sequence == .zero)
        #expect(try store.snapshot(asOf: .date(.distantFuture)).sequence == 5)
    }

    @Test func `is not searched by a date that is no number`() throws {
        let none = Date(timeIntervalSince1970: .nan)
        for filter in [
            EventFilter(since: none), EventFilter(until: none), EventFilter(occurredSince: none),
            EventFilter(occurredUntil: none),
        ] {
            let error = failure(as: StoreError.self) {
                try store.events(where: filter).forEach { _ in }
            }
            #expect(error?.code == .invalidInput)
        }
    }

    @Test func `does not include the future`() throws {
        #expect(throws: StoreError(.noSuchEvent, "")) {
            try store.snapshot(asOf: .sequence(6))
        }
    }

    @Test func `has every change of a record`() throws {
        let history = try store.history(of: Note.self, 1)
        #expect(history.map(\.kind) == [.inserted, .updated, .deleted, .inserted, .cleared])
        #expect(history.map(\.actor) == ["a", "b", "c", "d", "e"])
        #expect(history.map(\.sequence) == [1, 2, 3, 4, 5])
        #expect(history[0].reason == "one")
        #expect(try history[1].changes.map(\.description) == ["text: \"first\" → \"second\""])
        #expect(try history[1].changes.first?.before == "first")
        #expect(try history[1].changes.first?.after == "second")
        #expect(try store.history(of: Note.self, 3).isEmpty)
    }

    @Test func `has metadata, time and intent for every change of a record`() throws {
        struct Correct: DomainCommand, Equatable { var note: Int }
        let metadata = Metadata(correlation: "r", tags: ["k": "v"])
        try store.write(by: "f", metadata: metadata, intent: Correct(note: 7)) { tx in
            try tx.insert(Note(id: 7, text: "x"))
        }
        let entry = try #require(try store.history(of: Note.self, 7).first)
        let event = try #require(try store.event(6))
        #expect(entry.time == event.time)
        #expect(entry.metadata == event.metadata)
        #expect(entry.metadata.correlation == "r")
        #expect(entry.metadata.tags == ["k": "v"])
        #expect(entry.intent == event.intent)
        #expect(try entry.intent?.decode(as: Correct.self) == Correct(note: 7))
        #expect(HistoryEntry.Kind(rawValue: "inserted") == entry.kind)
        #expect(try entry.changes.map(\.field) == ["id", "text"])
    }

    @Test func `can be read event by event over any range`() throws {
        func walk(_ first: SequenceNumber, _ last: SequenceNumber?) throws -> [SequenceNumber] {
            guard let last else { return try Array(store.events(first...)).map(\.sequence) }
            guard first <= last else {
                return try Array(store.events(first..<first)).map(\.sequence)
            }
            return try Array(store.events(first...last)).map(\.sequence)
        }
        #expect(try walk(1, nil) == [1, 2, 3, 4, 5])
        #expect(try walk(2, 3) == [2, 3])
        #expect(try walk(.zero, 2) == [1, 2])
        #expect(try walk(4, 99) == [4, 5])
        #expect(try walk(3, 2).isEmpty)
        #expect(try walk(6, nil).isEmpty)
        #expect(try walk(SequenceNumber(rawValue: .max), SequenceNumber(rawValue: .max)).isEmpty)
        #expect(try store.event(.zero) == nil)
        #expect(try store.event(SequenceNumber(rawValue: .max)) == nil)
    }

    @Test func `has the same digest each time it is read (F64)`() throws {
        for number in 0...5 {
            let sequence = SequenceNumber(rawValue: UInt64(number))
            let once = try store.snapshot(asOf: .sequence(sequence))
            #expect(once.sequence == sequence)
            #expect(try once.digest() == store.snapshot(asOf: .sequence(sequence)).digest())
        }
        #expect(try store.snapshot.digest() == store.snapshot(asOf: .sequence(5)).digest())
    }

    @Test func `gives records without their types`() throws {
        let state = try store.snapshot(asOf: .sequence(2))
        #expect(state.entities == ["Note"])
        let records = try state.records("Note")
        #expect(records.map { $0["text"]?.text } == ["second", "other"])
        let id = try RecordID(encoding: 2)
        #expect(try state.record("Note", id)?.decode(as: Note.self) == Note(id: 2, text: "other"))
        #expect(try state.record("Note", RecordID(encoding: 3)) == nil)
        #expect(throws: StoreError(.unknownEntity, "")) { try state.record("Nothing", id) }
        #expect(state.time == (try store.event(2))?.time)
    }

    @Test func `answers SQL`() throws {
        let state = try store.snapshot(asOf: .sequence(2))
        let result = try state.query("SELECT id, text FROM Note ORDER BY id")
        #expect(result.columns == ["id", "text"])
        #expect(result.rows == [[1, "second"], [2, "other"]])
        #expect(throws: StoreError(.invalidInput, "")) { try state.query("DELETE FROM Note") }
        #expect(throws: StoreError(.invalidInput, "")) { try state.query("SELEKT") }
    }

    @Test(arguments: [
        "DELETE FROM Note", "PRAGMA writable_schema=1", "PRAGMA user_version=7",
        "PRAGMA user_version(7)", "PRAGMA query_only=0", "PRAGMA optimize", "PRAGMA shrink_memory",
        "BEGIN", "SAVEPOINT a", "ATTACH ':memory:' AS other", "DETACH main", "VACUUM",
        "ANALYZE", "CREATE TEMP TABLE a(x)", "DROP TABLE Note",
        "WITH a AS (SELECT 1) INSERT INTO Note(id) SELECT * FROM a",
    ])
    func `refuses SQL that is not read-only`(sql: String) throws {
        let error = #expect(throws: StoreError.self) {
            try store.snapshot(asOf: .sequence(2)).query(sql)
        }
        #expect(error?.code == .invalidInput)
        #expect(
            error?.description == "invalidInput: a query may only read, which this does not: \(sql)"
        )
    }

    @Test(arguments: [
        ("SELECT count(*), max(text) FROM Note", 1), ("VALUES (1), (2)", 2),
        ("WITH n(i) AS (VALUES (1) UNION SELECT i + 1 FROM n LIMIT 4) SELECT i FROM n", 4),
        ("SELECT value FROM json_each('[1, 2, 3]')", 3),
        ("SELECT name FROM sqlite_schema WHERE name = 'Note'", 1),
        ("SELECT name FROM pragma_table_info('Note') WHERE name = 'text'", 1),
        ("PRAGMA table_info('Note')", 2), ("PRAGMA user_version", 1),
    ])
    func `answers every kind of read-only SQL`(sql: String, rowCount: Int) throws {
        #expect(try store.snapshot(asOf: .sequence(2)).query(sql).rows.count == rowCount)
    }

    @Test func `explains a query plan`() throws {
        let plan = try store.snapshot(asOf: .sequence(2)).query(
            "EXPLAIN QUERY PLAN SELECT * FROM Note")
        #expect(plan.rows.count == 1)
    }
}

@Suite struct `A snapshot` {
    @Test func `never changes`() throws {
        let store = try SharedStore.inMemory(Note.self)
        var snapshots: [Snapshot] = []
        for id in 0..<200 {
            try store.write { tx in
                try tx.insert(Note(id: id, text: "a"))
                if id > 10 { try tx.delete(Note.self, id - 10) }
                if id > 5 { try tx.update(Note.self, id - 5) { $0.text = "b" } }
            }
            snapshots.append(store.snapshot)
        }
        for (index, snapshot) in snapshots.enumerated() {
            let past = try store.snapshot(
                asOf: .sequence(SequenceNumber(rawValue: UInt64(index + 1))))
            #expect(try snapshot.digest() == past.digest())
        }
    }

    @Test func `stays the same during a read while others write`() throws {
        let store = try SharedStore.inMemory(Note.self)
        try store.read { snapshot in
            try store.write { try $0.insert(Note(id: 1, text: "a")) }
            #expect(try snapshot.count(Note.self) == 0)
            #expect(try store.count(Note.self) == 1)
        }
    }
}
