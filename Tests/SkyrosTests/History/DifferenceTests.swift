import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

private struct Pair: Entity, Equatable {
    var id: Int
    var value = 0
}

private struct Other: Entity {
    var id: String
}

/// Two entities whose names Swift takes for the same.
private enum Cafe {
    struct Composed: Entity {
        var id: Int
        static let entityName = "Caf\u{E9}"
    }

    struct Decomposed: Entity {
        var id: Int
        static let entityName = "Cafe\u{301}"
    }
}

@Suite(.long) struct `The difference of two states` {
    private let store: Store

    init() throws {
        store = try Store(inMemory: Pair.self, Other.self)
        for id in 0..<4 { try store.write { try $0.insert(Pair(id: id)) } }
        try store.write { tx in
            try tx.update(Pair.self, 1) { $0.value = 5 }
            try tx.delete(Pair.self, 2)
            try tx.insert(Other(id: "a"))
        }
    }

    @Test func `has the records that were inserted, updated and deleted`() throws {
        let list = try store.diff(from: .sequence(3), to: .sequence(5))
        #expect(
            list.map { "\($0.kind) \($0.entity) \($0.id)" }
                == ["inserted Other a", "updated Pair 1", "deleted Pair 2", "inserted Pair 3"])
        let update = try #require(list.dropFirst().first)
        #expect(try update.before(as: Pair.self) == Pair(id: 1))
        #expect(try update.after(as: Pair.self) == Pair(id: 1, value: 5))
        #expect(try update.changes.map(\.description) == ["value: 0 → 5"])
        #expect(update.recordAfter?["value"] == 5)
        #expect(try list[2].after(as: Pair.self) == nil)
        #expect(try list[2].changes.count == 2)
    }

    @Test func `is the opposite in the other direction`() throws {
        let list = try store.diff(from: .sequence(5), to: .sequence(3))
        #expect(list.map(\.kind) == [.deleted, .updated, .inserted, .deleted])
    }

    @Test func `leaves out what was changed back, and other entities`() throws {
        try store.write { try $0.update(Pair.self, 1) { $0.value = 0 } }
        let before = try store.snapshot(asOf: .sequence(4))
        let list = store.snapshot.differences(from: before, in: "Pair")
        #expect(list.map(\.id) == [RecordID(2)])
        #expect(store.snapshot.differences(from: store.snapshot).isEmpty)
        #expect(store.snapshot.differences(from: before, in: "Nope").isEmpty)
    }

    @Test func `has the records of entities whose names look alike`() throws {
        let store = try Store(inMemory: Cafe.Composed.self, Cafe.Decomposed.self)
        let before = store.snapshot
        try store.write { tx in
            try tx.insert(Cafe.Composed(id: 1))
            try tx.insert(Cafe.Decomposed(id: 2))
        }
        let list = store.snapshot.differences(from: before)
        #expect(list.map(\.id) == [2, 1].map { RecordID($0) })
        let one = store.snapshot.differences(from: before, in: Cafe.Composed.entityName)
        #expect(one.map(\.id) == [RecordID(1)])
        #expect(before.differences(from: store.snapshot).count == 2)
    }

    @Test(arguments: 0..<UInt64(Extent.pick(brief: 3, quick: 10, deep: 200)))
    func `is the same, however the states were made`(seed: UInt64) throws {
        var random = RandomSource(seed: seed)
        let disk = SimulatedDisk()
        var store = try Store(on: disk, entities: Pair.self, Other.self)
        for _ in 0..<60 {
            try store.write { tx in
                for _ in 0...random.below(3) {
                    let id = random.below(20)
                    if random.below(3) == 0 {
                        try tx.delete(Pair.self, id)
                    } else {
                        try tx.upsert(Pair(id: id, value: random.below(4)))
                    }
                }
            }
        }
        let last = Int(store.sequence.rawValue)
        let moments = (0..<6).map { _ in SequenceNumber(rawValue: UInt64(random.below(last + 1))) }
        let first = try moments.map { try store.snapshot(asOf: .sequence($0)) }
        try store.close()
        // Another opening has another hash seed.
        store = try Store(on: disk, entities: Pair.self, Other.self)
        let second = try moments.map { try store.historyReader.snapshot(asOf: .sequence($0)) }
        for (one, other) in zip(first, second) {
            #expect(one.differences(from: other).isEmpty)
            let expected = first[0].differences(from: one)
            #expect(second[0].differences(from: other) == expected)
            #expect(second[0].differences(from: one) == expected)
            let (old, new) = try (one.all(Pair.self), first[0].all(Pair.self))
            let changed = Set((old + new).map(\.id)).filter { id in
                old.first { $0.id == id } != new.first { $0.id == id }
            }
            #expect(Set(expected.map(\.id)) == Set(changed.map { RecordID($0) }))
        }
        try store.close()
    }

    @Test(arguments: 0..<UInt64(Extent.pick(brief: 3, quick: 10, deep: 200)))
    func `is the same of the index and of states`(seed: UInt64) throws {
        var random = RandomSource(seed: seed)
        let store = try Store(on: SimulatedDisk(), entities: Pair.self, Other.self)
        for number in 0..<60 {
            try store.write { tx in
                try tx.upsert(Other(id: "\(number % 3)"))
                try tx.upsert(Pair(id: random.below(20), value: random.below(4)))
                if random.below(3) == 0 { try tx.delete(Pair.self, random.below(20)) }
            }
            if random.below(8) == 0 { try store.run(.indexHistory) }
        }
        let (reader, index) = (store.historyReader, try #require(store.session.history))
        for entity in ["Pair", nil] {
            let moments = (0..<2).map { _ in
                SequenceNumber(rawValue: UInt64(random.below(Int(store.sequence.rawValue) + 1)))
            }
            let (before, after) = (moments[0], moments[1])
            let (first, second) = try (
                store.snapshot(asOf: .sequence(before)), store.snapshot(asOf: .sequence(after))
            )
            let expected = second.differences(from: first, in: entity)
            let found = try reader.differences(
                from: before, to: after, in: entity, index, costOfStates: 1e9)
            #expect(found == expected)
            let list = try store.diff(from: .sequence(before), to: .sequence(after), in: entity)
            #expect(list == expected)
        }
        try store.close()
    }

    @Test func `of two logs begins with the first event that differs`() throws {
        func archive(_ values: [Int], after disk: SimulatedDisk = SimulatedDisk()) throws -> (
            SimulatedDisk, Archive
        ) {
            let store = try Store(on: disk, entities: Pair.self)
            for value in values {
                try store.write { try $0.upsert(Pair(id: value, value: value)) }
            }
            try store.close()
            return (disk, try Archive(on: Environment(disk: disk)))
        }
        let (disk, short) = try archive([1, 2, 3])
        let copies = [disk.killed(), disk.killed()]
        let same = try Archive(on: Environment(disk: disk.killed()))
        let (_, left) = try archive([4, 5], after: copies[0])
        let (_, right) = try archive([4, 6], after: copies[1])
        #expect(try short.firstDifference(from: same) == nil)
        #expect(try short.firstDifference(from: left) == 4)
        #expect(try left.firstDifference(from: short) == 4)
        let different = try #require(try left.firstDifference(from: right))
        // The times of equal events may differ.
        #expect(different == 4 || different == 5)
    }
}
