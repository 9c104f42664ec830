import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

/// SQL over a store whose oldest events were pruned.
@Suite struct `A query over a pruned archive` {
    private let disk = SimulatedDisk()
    private let count: SequenceNumber = 61

    /// One counter, and a note with each of the events after it.
    init() throws {
        var options = Store.Options()
        options.segmentBytesMax = 900
        let environment = Environment(disk: disk, clock: ManualClock())
        let store = try Store.simulated([Counter.self, Note.self], options, environment)
        try store.write { try $0.insert(Counter(id: "c", value: 1)) }
        for id in 1...60 {
            try store.write { try $0.insert(Note(id: id, text: "note \(id)")) }
            try store.run(.seal)
        }
        try store.close()
        disk.erase("checkpoint.sqlite")
    }

    /// The archive after a prune, and the last event that went.
    private func pruned(isWhole: Bool = false) throws -> (Archive, floor: SequenceNumber) {
        let first = SequenceNumber(rawValue: try FileLog.prune(on: disk, isWhole: isWhole))
        return (try Archive(on: Environment(disk: disk)), first.advanced(by: -1))
    }

    @Test(arguments: [false, true])
    func `has the tables and columns of the floor at every moment`(isEvolving: Bool) throws {
        let (archive, floor) = try pruned()
        for moment in [floor, floor.next, count] {
            let (database, _) = try archive.database(
                asOf: .sequence(moment), isEvolving: isEvolving
            ) { _, _ in }
            var rows: [[FieldValue]] = []
            try database.run(
                "SELECT value, count(text) FROM Counter, Note", { _ in }, { rows.append($0) })
            #expect(rows == [[1, .integer(Int128(moment.rawValue - 1))]])
        }
    }

    @Test func `has no events at the moment of its floor`() throws {
        let (archive, floor) = try pruned()
        for table in ["_events", "_changes"] {
            func rows(_ condition: String) throws -> [[FieldValue]] {
                let sql = "SELECT count(*) FROM \(table) WHERE \(condition)"
                return try archive.query(sql, asOf: .sequence(floor)).rows
            }
            #expect(try rows("true") == [[0]])
            #expect(try rows("sequence > \(floor)") == [[0]])
            // These events were pruned.
            #expect(throws: StoreError(.belowFloor, "")) { try rows("sequence < 3") }
        }
        let newest = try archive.query("SELECT count(*) FROM _events").rows
        #expect(newest == [[.integer(Int128(count.rawValue - floor.rawValue))]])
    }

    @Test func `has no events if all were pruned`() throws {
        let (archive, floor) = try pruned(isWhole: true)
        #expect(floor == count)
        #expect(try archive.query("SELECT count(*) FROM _events").rows == [[0]])
        #expect(try archive.query("SELECT count(*) FROM Note").rows == [[60]])
    }
}
