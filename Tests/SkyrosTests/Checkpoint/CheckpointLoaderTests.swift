import SkyrosLog
import SkyrosSQLite
import Testing

@testable import Skyros

/// Checkpoints that are whole as databases, and whose rows no store has written.
@Suite struct `A checkpoint on its way into memory` {
    /// - Parameter harm: what a stranger does to the database before it is loaded.
    private func load(
        _ rows: [CheckpointDirectory.Row], after harm: String = ""
    ) throws -> Snapshot? {
        let directory = try CheckpointDirectory()
        try directory.open().write(rows)
        try directory.stranger().execute(harm)
        let database = try directory.open()
        let empty = Snapshot(
            .untyped, beginning: .init(rawValue: 0), hashSeed: 1)
        return try CheckpointLoader.load(database, into: empty)
    }

    private func row(_ number: Int64, id: Int128) -> CheckpointDirectory.Row {
        let value = CheckpointValue.integer(id)
        return .init("Thing", number, id: value, CheckpointValue.map([("id", value)]))
    }

    @Test func `is loaded if its rows are possible`() throws {
        #expect(try load([row(1, id: 7), row(2, id: 8)])?.count("Thing") == 2)
    }

    @Test func `is damaged if two rows have the same id`() {
        #expect(
            throws: CheckpointError.damage("two rows have the same id", entity: "Thing", row: 2)
        ) {
            try load([row(1, id: 7), row(2, id: 7)])
        }
    }

    @Test(arguments: [0, -1, Int64.min])
    func `is damaged if a row has an impossible number`(number: Int64) {
        let damage = CheckpointError.damage(
            "no store gives a row this number", entity: "Thing", row: number)
        #expect(throws: damage) { try load([row(number, id: 7)]) }
    }

    /// The next new row would have a number that SQLite cannot hold.
    @Test(arguments: [1 << 47, 1 << 62, Int64.max])
    func `is damaged if no row can follow`(number: Int64) {
        let damage = CheckpointError.damage(
            "no store gives a row this number", entity: "Thing", row: number)
        #expect(throws: damage) { try load([row(number, id: 7)]) }
    }

    /// As long as the row asks for, so that rows make one batch or several.
    private func row(_ number: Int64, id: Int64, byteCount: Int) -> CheckpointDirectory.Row {
        let value = CheckpointValue.integer(Int128(id))
        let text = CheckpointValue.text(String(repeating: "x", count: byteCount))
        return .init(
            "Thing", number, id: value, CheckpointValue.map([("id", value), ("text", text)]))
    }

    private func rows(_ count: Int64) -> [CheckpointDirectory.Row] {
        (1...count).map { row($0, id: $0, byteCount: 1_000) }
    }

    @Test func `brings all rows of many batches`() throws {
        let rows = rows(300)
        let snapshot = try #require(try load(rows))
        #expect(snapshot.count("Thing") == 300)
        #expect(try snapshot.digest() == StateDigest(rows))
    }

    /// Sixty-odd of these rows make a batch.
    @Test(arguments: [2, 63, 64, 65, 66, 67, 150, 300] as [Int64])
    func `names the row that repeats an id, in whichever batch`(number: Int64) {
        var rows = rows(300)
        rows[Int(number) - 1] = row(number, id: 1, byteCount: 1_000)
        let damage = CheckpointError.damage(
            "two rows have the same id", entity: "Thing", row: number)
        #expect(throws: damage) { try load(rows) }
    }

    /// The reading notices at its end that something is wrong; by then the row may still be on its
    /// way.
    @Test(arguments: [1, 10, 100, 150, 200, 300] as [Int64])
    func `names the row that is wrong before what follows from it`(count: Int64) {
        let damage = CheckpointError.damage(
            "no store gives a row this number", entity: "Thing", row: 0)
        #expect(throws: damage) {
            try load(rows(count), after: "UPDATE Thing SET _row = 0 WHERE _row = 1")
        }
    }
}
