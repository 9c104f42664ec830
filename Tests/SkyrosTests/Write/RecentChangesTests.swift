import SkyrosLog
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

private struct Account: Entity, Equatable {
    var id: Int
    var cents = 0
}

private struct Note: Entity {
    var id: Int
}

@Suite(.long) struct `What the newest events have changed` {
    private let recent = RecentChanges()

    /// An event that changes records of the first table; its chain hash is its number.
    private func note(_ ids: [Int?], as number: UInt64, after before: UInt64? = nil) {
        let changes = ids.map { id in
            let change: Change =
                if let id {
                    .deleted(Record(entity: "Account", id: RecordID(id), fields: .none))
                } else {
                    .cleared(entity: "Account", count: 1)
                }
            return StagedChange(change: change, table: 0, effect: .clear(count: 0, old: 0))
        }
        let stamp = EventStamp(
            sequence: SequenceNumber(rawValue: number), time: .zero,
            chainHash: ChainHash(rawValue: number))
        recent.note(changes, as: stamp, after: ChainHash(rawValue: before ?? number - 1))
    }

    private func state(_ number: UInt64, chainHash: UInt64? = nil) -> Snapshot {
        var state = Snapshot(.untyped, beginning: ChainHash(rawValue: 0), hashSeed: 0)
        state.move(
            to: SequenceNumber(rawValue: number), time: .zero, rawChainHash: chainHash ?? number)
        return state
    }

    /// Whether it is known that a record is unchanged.
    private func isUnchanged(
        _ id: Int, table: Int = 0, since number: UInt64, through newest: Snapshot
    ) -> Bool {
        recent.isUnchanged(
            RecordID(id), inTableAt: table, since: SequenceNumber(rawValue: number),
            through: newest)
    }

    @Test func `is known of each record, since each of them`() {
        note([1, 2], as: 5)
        note([3], as: 6)
        note([1], as: 7)
        let newest = state(7)
        for (id, last) in [(1, UInt64(7)), (2, 5), (3, 6), (4, 4)] {
            for since: UInt64 in 4...7 {
                #expect(
                    isUnchanged(id, since: since, through: newest) == (since >= last),
                    "\(id) since \(since)")
            }
            #expect(!isUnchanged(id, since: 3, through: newest))
        }
        #expect(isUnchanged(1, table: 1, since: 4, through: newest))
        // Of another state than the newest nothing is known.
        #expect(!isUnchanged(4, since: 4, through: state(6)))
        #expect(!isUnchanged(4, since: 4, through: state(7, chainHash: 70)))
        #expect(!isUnchanged(4, since: 8, through: newest))
    }

    @Test func `is forgotten if others have written in between`() {
        note([1], as: 5)
        note([2], as: 7, after: 60)
        #expect(!isUnchanged(3, since: 5, through: state(7)))
        #expect(isUnchanged(1, since: 6, through: state(7)))
    }

    @Test func `is forgotten when a type is cleared, or many records change`() {
        note([1], as: 5)
        note([2, nil], as: 6)
        #expect(!isUnchanged(3, since: 5, through: state(6)))
        #expect(isUnchanged(3, since: 6, through: state(6)))
        note([4], as: 7)
        #expect(isUnchanged(3, since: 6, through: state(7)))
        note(Array(0...RecentChanges.changesMax / 2), as: 8)
        #expect(!isUnchanged(3, since: 7, through: state(8)))
        note([4], as: 9)
        #expect(isUnchanged(3, since: 8, through: state(9)))
    }

    @Test func `is kept of a thousand changes, and forgotten from the oldest on`() {
        let last = UInt64(RecentChanges.changesMax) + 1
        for number in 1...last { note([Int(number)], as: number) }
        let half = UInt64(RecentChanges.changesMax / 2)
        #expect(isUnchanged(0, since: half, through: state(last)))
        #expect(!isUnchanged(0, since: half - 1, through: state(last)))
        #expect(!isUnchanged(Int(half) + 1, since: half, through: state(last)))
    }

    @Test func `lets a condition on a record be checked without reading the log`() throws {
        let disk = SimulatedDisk()
        let store = try Store(on: disk, entities: Account.self, Note.self)
        store.maintenance.stop()
        for id in 0..<200 { try store.write { try $0.insert(Account(id: id)) } }
        let seen = store.sequence
        for id in 0..<100 { try store.write { try $0.insert(Note(id: id)) } }
        let before = disk.count(.read)
        for id in 0..<100 {
            let condition = WriteCondition.unchanged(Account.self, id: id, since: seen)
            try store.write(expecting: condition) { tx in
                try tx.update(Account.self, id) { $0.cents += 1 }
            }
        }
        #expect(disk.count(.read) == before)
        let error = failure(as: StoreError.self) {
            try store.write(expecting: .unchanged(Account.self, id: 7, since: seen)) { _ in }
        }
        #expect(error?.code == .conflict && error?.place.ids == [RecordID(7)])
        // A record that was changed back is unchanged, which only a state of then shows.
        try store.write { tx in try tx.update(Account.self, 7) { $0.cents = 0 } }
        try store.write(expecting: .unchanged(Account.self, id: 7, since: seen)) { _ in }
        try store.close()
    }

    @Test func `leaves only what may have changed to be compared with a state of then`() throws {
        let store = try Store(on: SimulatedDisk(), entities: Account.self, Note.self)
        for id in 0..<2 { try store.write { try $0.insert(Account(id: id)) } }
        let seen = store.sequence
        try store.write { tx in try tx.update(Account.self, 0) { $0.cents += 1 } }
        // Other writers wait while a condition is checked, and not while its state is made.
        for (id, isMade) in [(0, true), (1, false), (2, false)] {
            let condition = WriteCondition.unchanged(Account.self, id: id, since: seen)
            let prepared = store.prepared(condition).parts
            guard case .unchanged(_, let base) = try #require(prepared.first) else {
                Issue.record("another condition")
                continue
            }
            if case .state = base { #expect(isMade, "\(id)") } else { #expect(!isMade, "\(id)") }
        }
        try store.close()
    }
}
