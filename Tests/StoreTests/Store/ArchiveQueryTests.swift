import Foundation
import Skyros
import TestSupport
import Testing

/// SQL over a store without its types.
@Suite struct `A query over an archive` {
    private let directory: TemporaryDirectory
    private let archive: Archive

    private struct Rename: DomainCommand {
        var text: String
    }

    init() throws {
        directory = try TemporaryDirectory()
        let store = try Store(at: directory.store, entities: Counter.self, Note.self)
        try store.write(by: "a", because: "r") { try $0.insert(Note(id: 7, text: "n")) }
        let metadata = Metadata(
            occurredAt: Date(timeIntervalSince1970: -86_400), tags: ["k": "v"])
        try store.write(by: "b", metadata: metadata) {
            try $0.insert(Counter(id: "c", value: 1))
        }
        try store.write(intent: Rename(text: "m")) { tx in
            try tx.update(Note.self, 7) { $0.text = "m" }
            try tx.update(Counter.self, "c") { $0.value = 2 }
        }
        try store.write { try $0.deleteAll(Note.self) }
        try store.close()
        archive = try Archive(at: directory.store)
    }

    private func rows(_ sql: String, asOf moment: Moment? = nil) throws -> [[FieldValue]] {
        try archive.query(sql, asOf: moment).rows
    }

    @Test func `has every table and column that there ever were`() throws {
        // The checkpoint was written when all notes were gone.
        #expect(try rows("SELECT id, text FROM Note").isEmpty)
        #expect(try rows("SELECT text FROM Note", asOf: .sequence(2)) == [["n"]])
        #expect(try rows("SELECT text FROM Note", asOf: .sequence(3)) == [["m"]])
        #expect(try rows("SELECT value FROM Counter") == [[2]])
        let tables = try archive.tables()
        #expect(tables.map(\.entity) == ["Note", "Counter"])
        #expect(tables[0].columns.map(\.kind) == ["integer", "text"])
        #expect(try archive.tables(through: 1).map(\.entity) == ["Note"])
    }

    @Test func `has them for records in their newest shapes, too`() throws {
        let (database, _) = try archive.database(asOf: nil, isEvolving: true) { _, _ in }
        var columns: [String] = []
        try database.run("SELECT * FROM Note", { columns = $0 }, { _ in })
        #expect(columns == ["id", "text"])
        try database.run("SELECT value FROM Counter", { _ in }, { #expect($0 == [2]) })
    }

    @Test(arguments: ["_events", "_changes"])
    func `finds each row of the log once, whichever conditions it fulfils`(table: String) throws {
        let store = try Store(inMemory: Note.self)
        for id in 1...100 {
            try store.write { tx in
                for part in 0..<3 { try tx.insert(Note(id: id * 3 + part, text: "n")) }
            }
        }
        let archive = try store.archive()
        for (lower, upper) in [(5, 90), (90, 5), (50, 50)] {
            func rows(_ column: String) throws -> [[FieldValue]] {
                let condition = "\(column) < \(lower) OR \(column) > \(upper)"
                let sql = "SELECT sequence FROM \(table) WHERE \(condition) ORDER BY +sequence"
                return try archive.query(sql).rows
            }
            // SQLite scans the table for a condition on what is no column.
            let (found, expected) = (try rows("sequence"), try rows("+sequence"))
            #expect(found == expected && !found.isEmpty, "\(lower), \(upper)")
        }
    }

    @Test func `names the tables and columns where one is missing`() throws {
        for (sql, error) in [
            ("SELECT * FROM Nope", "the tables are Note, Counter, _events, _changes"),
            ("SELECT nope FROM note", "the columns of Note are id, text"),
        ] {
            do {
                _ = try rows(sql)
                Issue.record("it was accepted")
            } catch let error as StoreError where error.code == .invalidInput {
                #expect(error.message.contains("no such "))
            }
            #expect(throws: StoreError.self) { try rows(sql) }
            let message = (Result { try rows(sql) }.failure as? StoreError)?.description
            #expect(message?.contains(error) == true)
        }
    }

    @Test func `shows the events of the log up to the moment`() throws {
        let events = try rows("SELECT * FROM _events ORDER BY sequence")
        #expect(events.count == 4)
        #expect(events[0][2...3] == ["a", "r"] && events[0][9] == 1)
        #expect(events[1][6] == "{\"k\":\"v\"}")
        #expect(
            try rows("SELECT occurredAt FROM _events WHERE sequence < 3")
                == [[.null], ["1969-12-31T00:00:00.000000Z"]])
        #expect(events[2][7...9] == ["Rename", "{\"text\":\"m\"}", 2])
        #expect(try rows("SELECT count(*) FROM _events", asOf: .sequence(2)) == [[2]])
        for (condition, expected) in [
            ("= 2", [2]), ("> 2", [3, 4]), (">= 2 AND sequence < 4", [2, 3]), ("<= 1", [1]),
            ("= 9", []), ("= '2'", [2]), ("= 2.5", []), ("< 0", []), ("IN (1, 4)", [1, 4]),
            ("> -9223372036854775808 AND sequence < 2", [1]), ("> 1.5 AND sequence < 2.5", [2]),
        ] {
            let found = try rows("SELECT sequence FROM _events WHERE sequence \(condition)")
            #expect(found == expected.map { [.integer(Int128($0))] }, "\(condition)")
        }
        let time = try archive.event(3)?.time.description
        #expect(try rows("SELECT time FROM _events WHERE sequence = 3") == [[.text(time ?? "")]])
    }

    @Test func `shows the changes of each event`() throws {
        let changes = try rows(
            "SELECT sequence, entity, id, kind, before, after, count FROM _changes")
        #expect(
            changes == [
                [1, "Note", 7, "inserted", .null, "{\"id\":7,\"text\":\"n\"}", .null],
                [2, "Counter", "c", "inserted", .null, "{\"id\":\"c\",\"value\":1}", .null],
                [3, "Note", 7, "updated", "{\"text\":\"n\"}", "{\"text\":\"m\"}", .null],
                [3, "Counter", "c", "updated", "{\"value\":1}", "{\"value\":2}", .null],
                [4, "Note", .null, "cleared", .null, .null, 1],
            ])
        let joined = try rows(
            """
            SELECT c.sequence, n.text FROM _changes c JOIN Note n ON n.id = c.id
            WHERE c.entity = 'Note' ORDER BY 1
            """, asOf: .sequence(3))
        #expect(joined == [[1, "m"], [3, "m"]])
    }

    @Test func `prints the dates of changes as those of the columns`() throws {
        struct Visit: Entity {
            var id: Date
            var when: Date
            var others: [Date]
        }
        struct Book: DomainCommand {
            var when: Date
        }
        // Not exactly this number of milliseconds.
        let date = Date(timeIntervalSince1970: 1_777_777_428.123)
        let place = directory.url.appending(path: "Visits.skyros")
        let store = try Store(at: place, entities: Visit.self)
        try store.write(intent: Book(when: date)) {
            try $0.insert(Visit(id: date, when: date, others: [date]))
        }
        try store.write { try $0.update(Visit.self, date) { $0.others = [] } }
        try store.close()
        let archive = try Archive(at: place)
        let joined = try archive.query(
            """
            SELECT c.sequence FROM _changes c JOIN Visit v
            ON v.id = c.id AND c.after ->> 'when' = v."when"
            """)
        #expect(joined.rows == [[1]])
        let text = FieldValue.text("2026-05-03T03:03:48.123Z")
        let commands = try archive.query("SELECT command ->> 'when' FROM _events LIMIT 1")
        #expect(commands.rows == [[text]])
        let list = FieldValue.text("[\(text.jsonText())]")
        let lists = try archive.query("SELECT others FROM Visit", asOf: .sequence(1))
        #expect(lists.rows == [[list]])
        let past = try archive.query(
            "SELECT before ->> 'others' FROM _changes WHERE sequence = 2")
        #expect(past.rows == [[list]])
    }

    @Test func `has both tables beside an entity of that name`() throws {
        struct Events: Entity {
            var id: Int
            static let entityName = "_EVENTS"
        }
        let place = directory.url.appending(path: "Other.skyros")
        let store = try Store(at: place, entities: Events.self)
        try store.write { try $0.insert(Events(id: 5)) }
        try store.close()
        let archive = try Archive(at: place)
        #expect(try archive.query("SELECT id FROM \"~_EVENTS~1\"").rows == [[5]])
        #expect(try archive.query("SELECT sequence FROM _events").rows == [[1]])
        #expect(try archive.query("SELECT count(*) FROM _changes").rows == [[1]])
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
