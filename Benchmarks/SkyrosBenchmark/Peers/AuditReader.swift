import BenchmarkModel
import Foundation

/// Questions to an audit table.
final class AuditReader: Sendable {
    /// One row of the table, with the JSON that a program would show.
    struct Entry {
        let number: Int
        let time: Double
        let actor: String
        let reason: String
        let kind: String
        let before: String?
        let after: String?
    }

    private let versions: SQLiteStatement
    private let past: SQLiteStatement
    private let count: SQLiteStatement
    private let changes: SQLiteStatement
    private let end: SQLiteStatement

    init(_ database: SQLiteDatabase) throws {
        versions = try SQLiteStatement(
            database,
            """
            SELECT number, at, actor, reason, kind, old, new FROM audit WHERE id = ?
            ORDER BY number
            """)
        past = try SQLiteStatement(
            database,
            """
            SELECT id, new ->> 'customer', new ->> 'restaurant', new ->> 'status',
                new ->> 'totalCents', new ->> 'createdAt', new ->> 'items', new ->> 'note',
                new ->> 'rating'
            FROM audit WHERE id = ? AND number <= ? ORDER BY number DESC LIMIT 1
            """)
        count = try SQLiteStatement(
            database,
            """
            SELECT count(*) FROM audit AS a WHERE number <= ?1 AND new ->> 'status' = ?2
                AND number = (SELECT max(number) FROM audit WHERE id = a.id AND number <= ?1)
            """)
        changes = try SQLiteStatement(
            database,
            """
            SELECT hex(id), old, new FROM audit
            WHERE number > ? AND number <= ? ORDER BY number
            """)
        end = try SQLiteStatement(database, "SELECT max(number) FROM audit")
    }

    /// The last entry of the table.
    func last() throws -> Int {
        defer { end.reset() }
        return try end.step() ? end.integer(0) : 0
    }

    /// The number of rows that differ between two entries of the table.
    func difference(after first: Int, through last: Int) throws -> Int {
        changes.bind(first, at: 1)
        changes.bind(last, at: 2)
        defer { changes.reset() }
        var rows: [String: (before: String?, after: String?)] = [:]
        while try changes.step() {
            let (id, after) = (changes.text(0), changes.optionalText(2))
            rows[id, default: (changes.optionalText(1), nil)].after = after
        }
        return rows.values.count { $0.before != $0.after }
    }

    /// The versions of a row, the oldest first.
    func history(of id: UUID) throws -> [Entry] {
        versions.bind(id, at: 1)
        defer { versions.reset() }
        var entries: [Entry] = []
        while try versions.step() {
            entries.append(
                Entry(
                    number: versions.integer(0), time: versions.double(1), actor: versions.text(2),
                    reason: versions.text(3), kind: versions.text(4),
                    before: versions.optionalText(5),
                    after: versions.optionalText(6)))
        }
        return entries
    }

    /// A row as it was after an entry of the table.
    func order(_ id: UUID, asOf number: Int) throws -> Order? {
        past.bind(id, at: 1)
        past.bind(number, at: 2)
        defer { past.reset() }
        return try past.step() ? SQLitePeer.order(in: past) : nil
    }

    /// The number of rows that had a status after an entry of the table.
    func count(_ status: Order.Status, asOf number: Int) throws -> Int {
        count.bind(number, at: 1)
        count.bind(status.rawValue, at: 2)
        defer { count.reset() }
        return try count.step() ? count.integer(0) : 0
    }

    func finalize() {
        for statement in [versions, past, count, changes, end] { statement.finalize() }
    }
}
