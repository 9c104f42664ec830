import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

private enum Versions {
    struct First: Entity {
        static let entityName = "Thing"
        var id: Int
        var name = "a"
    }

    struct Second: Entity {
        static let entityName = "Thing"
        var id: Int
        var name = "a"
        var color = "red"
        static let evolution: Evolution<Second> = [.version(2) { .add("color", "red") }]
    }
}

@Suite struct `A state of the past that a write was decided on` {
    private let disk = SimulatedDisk()

    private func refusal(_ store: Store, _ condition: WriteCondition) -> StoreError? {
        failure(as: StoreError.self) {
            try store.write(expecting: condition) { tx in
                try tx.upsert(Counter(id: "c", value: Int(store.sequence.rawValue)))
            }
        }
    }

    @Test func `is of a history that was erased`() throws {
        let store = try Store(on: disk, entities: Note.self, Counter.self)
        let empty = store.snapshot
        try store.write { try $0.insert(Note(id: 1, text: "a")) }
        let seen = store.snapshot
        let notes = FetchRequest<Note>()
        try store.nuke()
        // Of as many events.
        try store.write { try $0.insert(Note(id: 1, text: "a")) }
        for state in [empty, seen] {
            let error = refusal(store, .unchanged(notes, since: state))
            #expect(error?.code == .conflict)
            #expect(error?.message.contains("another history") == true)
        }
        try store.write { try $0.insert(Note(id: 2, text: "b")) }
        #expect(refusal(store, .unchanged(Note.self, id: 1, since: seen))?.code == .conflict)
        #expect(refusal(store, .unchanged(notes, since: store.snapshot)) == nil)
        try store.close()
    }

    @Test func `is a state of an earlier opening`() throws {
        var store = try Store(on: disk, entities: Note.self, Counter.self)
        try store.write { tx in try tx.insert((1...40).map { Note(id: $0, text: "a") }) }
        let seen = store.snapshot
        try store.close()
        store = try Store(on: disk, entities: Note.self, Counter.self)
        #expect(refusal(store, .unchanged(FetchRequest<Note>(), since: seen)) == nil)
        try store.write { try $0.update(Note.self, 7) { $0.text = "b" } }
        let error = refusal(store, .unchanged(FetchRequest<Note>(), since: seen))
        #expect(error?.place.ids == [RecordID(7)])
        #expect(refusal(store, .unchanged(Note.self, id: 8, since: seen)) == nil)
        try store.close()
    }

    @Test func `has a record that was written again in a newer shape`() throws {
        let home = try VersionedHome(.disk)
        let first = try home.open(Versions.First.self)
        try first.write { try $0.insert(Versions.First(id: 1)) }
        try first.close()
        let second = try home.open(Versions.Second.self)
        let seen = second.snapshot
        // It adds the field to what is stored, and leaves what the type reads.
        try second.write { try $0.upsert(Versions.Second(id: 1)) }
        #expect(second.sequence == seen.sequence.next)
        try second.write(expecting: .unchanged(Versions.Second.self, id: 1, since: seen)) { tx in
            try tx.update(Versions.Second.self, 1) { $0.color = "blue" }
        }
        #expect(throws: StoreError(.conflict, "")) {
            try second.write(expecting: .unchanged(Versions.Second.self, id: 1, since: seen)) {
                try $0.delete(Versions.Second.self, 1)
            }
        }
        try second.close()
    }

    @Test func `is folded if the log is damaged after it`() throws {
        let store = try Store(on: disk, entities: Note.self)
        let text = String(repeating: "x", count: 1_000)
        for id in 1...1_000 { try store.write { try $0.insert(Note(id: id, text: text)) } }
        let name = try #require(disk.contents.keys.first { $0.hasPrefix("events/") })
        var bytes = try #require(disk.contents[name])
        bytes[830_000] ^= 1
        disk.overwrite(name, with: bytes)
        // Made backwards after the damage, folded before it.
        for count in stride(from: 0, through: 1_000, by: 100) {
            let moment = Moment.sequence(SequenceNumber(rawValue: UInt64(count)))
            #expect(try store.snapshot(asOf: moment).count(Note.self) == count)
        }
        try? store.close()
    }
}
