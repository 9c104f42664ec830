import SkyrosLog
import Testing

@testable import Skyros

/// Checkpoints that are whole as databases, and whose rows no store has written.
@Suite struct `A checkpoint on its way into memory` {
    private func load(_ rows: [CheckpointFolder.Row]) throws -> Snapshot? {
        let folder = try CheckpointFolder()
        let database = try folder.open()
        try database.write(rows)
        let empty = Snapshot(
            .untyped, beginning: .init(rawValue: 0), hashSeed: 1)
        return try CheckpointLoader.load(database, into: empty)
    }

    private func row(_ number: Int64, id: Int128) -> CheckpointFolder.Row {
        let value = CheckpointValue.integer(id)
        return .init("Thing", number, id: value, CheckpointValue.map([("id", value)]))
    }

    @Test func `is taken as it is when its rows can be a store's`() throws {
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
            "a row has a number below 1", entity: "Thing", row: number)
        #expect(throws: damage) { try load([row(number, id: 7)]) }
    }
}
