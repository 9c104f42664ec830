import SkyrosSQLite
import TestSupport
import Testing

@testable import Skyros

@Suite struct `The projections in a checkpoint` {
    private let directory: CheckpointDirectory

    init() throws {
        directory = try CheckpointDirectory()
    }

    private static let sales = StoredProjection(
        name: "Sales", version: 3, sequence: 40, value: [0xA0], failure: nil)
    private static let failed = StoredProjection(
        name: "b\0é", version: 1, sequence: 7, value: [0x80],
        failure: ProjectionFailure(.hasThrown, at: 8, "Bad()"))
    private static let empty = StoredProjection(
        name: "Empty", version: 1, sequence: 0, value: nil,
        failure: ProjectionFailure(.isBelowFloor, at: 0, "belowFloor: …"))
    private static let all = [sales, failed, empty]

    private func write(
        _ projections: [StoredProjection], replacesAll: Bool = false,
        to database: CheckpointDatabase
    ) throws {
        var batch = CheckpointBatch()
        batch.replacesAll = replacesAll
        batch.projections = projections
        try database.write(batch, at: CheckpointDirectory.position)
    }

    private func loaded() throws -> [StoredProjection] {
        var projections: [StoredProjection] = []
        try directory.open().load(projections: { projections.append($0) }, { _, _ in })
        return projections
    }

    private func older(_ projection: StoredProjection, value: [UInt8]?) -> StoredProjection {
        StoredProjection(
            name: projection.name, version: projection.version, sequence: 40, value: value,
            failure: nil)
    }

    @Test func `are replaced by name, and kept otherwise`() throws {
        let database = try directory.open()
        try write(Self.all, to: database)
        #expect(try loaded() == Self.all)
        let newer = StoredProjection(
            name: "Sales", version: 4, sequence: 41, value: [0xF6], failure: nil)
        try write([newer], to: database)
        #expect(try loaded() == [newer, Self.failed, Self.empty])
        try write([], to: database)
        #expect(try loaded() == [newer, Self.failed, Self.empty])
        // Of an earlier event, but for one that is to be built anew.
        try write([older(newer, value: [0xA0])], to: database)
        #expect(try loaded() == [newer, Self.failed, Self.empty])
        try write([older(newer, value: nil)], to: database)
        #expect(try loaded() == [older(newer, value: nil), Self.failed, Self.empty])
        try write([Self.sales], replacesAll: true, to: database)
        #expect(try loaded() == [Self.sales])
        try database.close()
        let rows = try directory.query(
            "SELECT name, version, sequence, failure FROM _skyros_projections")
        #expect(rows == [["Sales", "3", "40", "NULL"]])
        #expect(try directory.query("SELECT projection_count FROM _skyros") == [["1"]])
    }

    @Test(arguments: [
        "UPDATE _skyros_projections SET name = 'Sale' WHERE number = 1",
        "UPDATE _skyros_projections SET name = NULL WHERE number = 1",
        "UPDATE _skyros_projections SET name = CAST(x'ff' AS TEXT) WHERE number = 1",
        "UPDATE _skyros_projections SET version = 4 WHERE number = 1",
        "UPDATE _skyros_projections SET sequence = 39 WHERE number = 1",
        "UPDATE _skyros_projections SET sequence = 43 WHERE number = 1",
        "UPDATE _skyros_projections SET value = x'A1' WHERE number = 1",
        "UPDATE _skyros_projections SET value = NULL WHERE number = 1",
        "UPDATE _skyros_projections SET value = x'A0' WHERE number = 3",
        "UPDATE _skyros_projections SET failure_kind = 2 WHERE number = 2",
        "UPDATE _skyros_projections SET failure_kind = 3 WHERE number = 2",
        "UPDATE _skyros_projections SET failure_kind = NULL WHERE number = 2",
        "UPDATE _skyros_projections SET failure_kind = 1 WHERE number = 1",
        "UPDATE _skyros_projections SET failed_at = 9 WHERE number = 2",
        "UPDATE _skyros_projections SET failure = 'Good()' WHERE number = 2",
        "UPDATE _skyros_projections SET sum = sum + 1 WHERE number = 2",
        "DELETE FROM _skyros_projections WHERE number = 3",
        "INSERT INTO _skyros_projections SELECT 4, name, version, sequence, value, failure_kind, "
            + "failed_at, failure, sum FROM _skyros_projections WHERE number = 3",
        "UPDATE _skyros SET projection_count = 2",
        "UPDATE _skyros SET projection_count = -1",
        "UPDATE _skyros SET projection_content = '0000000000000000'",
        "CREATE INDEX more ON _skyros_projections(name)",
        "DROP TABLE _skyros_projections",
    ])
    func `are damaged by any change`(sql: String) throws {
        let database = try directory.open()
        try write(Self.all, to: database)
        try database.close()
        #expect(try loaded() == Self.all)
        try directory.stranger().execute(sql)
        let error = failure(as: CheckpointError.self) { _ = try loaded() }
        guard case .corrupt = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `are of no later event than the checkpoint`() throws {
        let database = try directory.open()
        let last = CheckpointDirectory.position.sequence
        let late = StoredProjection(
            name: "Late", version: 1, sequence: SequenceNumber(rawValue: last + 1), value: [0xA0],
            failure: nil)
        try write([late], to: database)
        #expect(try loaded() == [])
    }
}
