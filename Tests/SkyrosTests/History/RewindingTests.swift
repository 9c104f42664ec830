import SkyrosLog
import TestSupport
import Testing

@testable import Skyros

/// An entity in two versions, of which both write the same records.
private enum Versions {
    struct First: Entity {
        var id: Int
        var board = 0
        var note: String?
        static let entityName = "Card"
        static let indexes: [Index<First>] = [.on(\.board)]
    }

    struct Second: Entity {
        var id: Int
        var board = 0
        var note: String?
        var color: String?
        static let entityName = "Card"
        static let indexes: [Index<Second>] = [.on(\.board), .on(\.color)]
        static let evolution: Evolution<Second> = [.version(2) { .add("color", "red") }]
    }
}

/// Writes events at random: most of them to few records, so that each is changed many times.
private struct RandomWriter {
    let store: Store
    var random: RandomSource

    mutating func write<E: Entity>(
        _ type: E.Type, _ make: (Int, inout RandomSource) -> E
    ) throws where E.ID == Int {
        try store.write { tx in
            for _ in 0...random.below(3) {
                let id = random.below(40)
                if random.below(4) == 0 {
                    try tx.delete(type, id)
                } else {
                    try tx.upsert(make(id, &random))
                }
            }
        }
    }

    mutating func writeFirst() throws {
        try write(Versions.First.self) { id, random in
            Versions.First(
                id: id, board: random.below(5), note: random.below(2) == 0 ? random.text() : nil)
        }
    }

    mutating func writeSecond() throws {
        try write(Versions.Second.self) { id, random in
            Versions.Second(
                id: id, board: random.below(5), note: random.below(2) == 0 ? random.text() : nil,
                color: random.below(2) == 0 ? "blue" : nil)
        }
    }
}

@Suite(.long) struct `A state that is made of a later one` {
    /// What is compared: the exact rows, and what indexes find.
    private func content<E: Entity>(
        _ state: Snapshot, _ type: E.Type, _ filters: [Filter<E>]
    ) throws -> [String] {
        let table = try #require(state.table(E.entityName))
        let rows = table.sortedRows().map { "\($0.id) \($0.version) \($0.bytes)" }
        let found = try filters.map { try state.all(type, where: $0).map { "\($0.id)" } }
        return rows + found.map { "\($0)" }
            + ["\(state.sequence) \(state.time) \(state.chainHash)", try "\(state.digest())"]
            + state.recordedSchemas.map(\.key)
    }

    private func check<E: Entity>(
        _ store: Store, _ type: E.Type, _ filters: [Filter<E>], from first: UInt64
    ) throws {
        let newest = store.snapshot
        let reader = store.historyReader
        for number in stride(from: newest.sequence.rawValue, through: first, by: -1) {
            let moment = Moment.sequence(SequenceNumber(rawValue: number))
            let past = try reader.snapshot(asOf: moment, from: newest)
            let folded = try reader.snapshot(asOf: moment)
            try #expect(content(past, type, filters) == content(folded, type, filters))
        }
        #expect(store.snapshot.sequence == newest.sequence)
        #expect(try store.snapshot.digest() == newest.digest())
    }

    @Test(arguments: 0..<UInt64(Extent.pick(brief: 3, quick: 10, deep: 300)))
    func `is the one that a fold makes`(seed: UInt64) throws {
        let store = try Store(inMemory: Versions.First.self)
        var writer = RandomWriter(store: store, random: RandomSource(seed: seed))
        for _ in 0..<100 { try writer.writeFirst() }
        try check(store, Versions.First.self, (0..<5).map { \.board == $0 }, from: 0)
    }

    @Test(arguments: 0..<UInt64(Extent.pick(brief: 3, quick: 10, deep: 300)))
    func `has each record in the shape that it had`(seed: UInt64) throws {
        let home = try VersionedHome(.disk)
        let first = try home.open(Versions.First.self)
        var writer = RandomWriter(store: first, random: RandomSource(seed: seed))
        for _ in 0..<60 { try writer.writeFirst() }
        try first.close()
        let second = try home.open(Versions.Second.self)
        writer = RandomWriter(store: second, random: writer.random)
        for _ in 0..<40 { try writer.writeSecond() }
        try check(second, Versions.Second.self, [\.color == "blue", \.color == "red"], from: 0)
        try second.close()
    }

    @Test func `shares what did not change since`() throws {
        let store = try Store(inMemory: Versions.First.self)
        for id in 0..<100 { try store.write { try $0.insert(Versions.First(id: id)) } }
        try store.write { try $0.update(Versions.First.self, 7) { $0.board = 1 } }
        let past = try store.snapshot(asOf: .sequence(100))
        let (old, new) = (past.tables[0].sortedRows(), store.snapshot.tables[0].sortedRows())
        #expect(zip(old, new).filter { $0 === $1 }.count == 99)
        #expect(try past.get(Versions.First.self, 7)?.board == 0)
    }

    @Test func `is folded from the beginning if that is nearer, or past a clearing`() throws {
        let store = try Store(inMemory: Versions.First.self)
        for id in 0..<9 { try store.write { try $0.insert(Versions.First(id: id)) } }
        try store.write { try $0.deleteAll(Versions.First.self) }
        try store.write { try $0.insert(Versions.First(id: 1, board: 5)) }
        for (sequence, count) in [(11, 1), (10, 0), (9, 9), (8, 8), (1, 1), (0, 0)] {
            let moment = Moment.sequence(SequenceNumber(rawValue: UInt64(sequence)))
            #expect(try store.snapshot(asOf: moment).count("Card") == count)
        }
    }

    /// What comes back may contradict the type of today, see `Table.mayUse`.
    @Test func `is not compared with the type`() throws {
        let store = try Store(inMemory: Versions.First.self)
        for id in 0..<9 { try store.write { try $0.upsert(Versions.First(id: id / 2, board: id)) } }
        var state = store.snapshot
        try state.compareFields()
        let past = try store.historyReader.snapshot(asOf: .sequence(7), from: state)
        #expect(!past.tables[0].areFieldsCompared)
    }

    @Test func `is refused if an event does not fit it`() throws {
        for write in [
            { (tx: inout WriteTransaction) in _ = try tx.delete(Versions.First.self, 1) },
            { tx in try tx.upsert(Versions.First(id: 2, board: 3)) },
        ] {
            let store = try Store(inMemory: Versions.First.self)
            try store.write { try $0.insert([Versions.First(id: 1), Versions.First(id: 2)]) }
            let event = try #require(try store.event(1))
            try store.write(write)
            var state = store.snapshot
            let error = failure(as: StoreError.self) {
                _ = try Rewinder.takeBack(event, from: &state)
            }
            #expect(error?.code == .invalidEvent)
            #expect(error?.place.sequences == 1...1)
        }
    }
}
