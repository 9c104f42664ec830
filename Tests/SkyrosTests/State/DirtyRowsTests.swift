import SkyrosLog
import Testing

@testable import Skyros

/// Rows 1, 2 and 3 of which only 1 and 2 still exist, with marks of several events.
@Suite struct `The dirty rows of a long fold` {
    private struct Thing: Entity {
        let id: Int
    }

    private var snapshot: Snapshot
    private var dirty = DirtyRows()

    init() throws {
        snapshot = try Snapshot(
            Schema([Thing.self]), beginning: ChainHash(rawValue: 0), hashSeed: 1)
        let index = snapshot.tableIndex(of: "Thing")
        for (number, event) in [(1, 1), (2, 2), (3, 3), (1, 4), (3, 5), (1, 6)] {
            let id = StateFixtures.id(number)
            let row = snapshot.tables[index].storedRow(
                id, hash: snapshot.tables[index].hash(id), number: UInt64(number), bytes: [0xA0])
            if number < 3, event < 3 {
                try snapshot.tables[index].put(row, replacing: nil)
            }
            dirty.mark(row, of: SequenceNumber(rawValue: UInt64(event)), in: "Thing", at: index)
        }
    }

    private func marks(_ dirty: DirtyRows) -> [String] {
        dirty.tables.compactMap(\.self).flatMap(\.newestMarks).map { "\($0.number)@\($0.sequence)" }
    }

    @Test func `keep the newest mark of each row`() {
        var compacted = dirty
        compacted.compact(in: snapshot, isFromEmpty: false, surplusMax: 1)
        #expect(compacted.tables[0]?.count == 3)
        #expect(marks(compacted) == ["1@6", "2@2", "3@5"])
    }

    @Test func `forget deleted rows that no checkpoint holds`() {
        var compacted = dirty
        compacted.compact(in: snapshot, isFromEmpty: true, surplusMax: 1)
        #expect(marks(compacted) == ["1@6", "2@2"])
    }

    @Test func `are left as they are while there are few`() {
        var compacted = dirty
        compacted.compact(in: snapshot, isFromEmpty: true, surplusMax: 2)
        #expect(compacted.tables[0]?.count == 6)
    }
}
