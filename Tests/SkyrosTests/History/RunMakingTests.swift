import SkyrosDisk
import SkyrosLog
import SkyrosTesting
import TestSupport
import Testing

@testable import Skyros

/// A record that is not whole in each version.
private struct Chapter: Entity {
    var id: Int
    var page = -1
    var text = String(repeating: "x", count: 40_000)
}

@Suite struct `A run that is made` {
    private let disk = SimulatedDisk()

    private func open() throws -> Store {
        let store = try Store(on: disk, entities: Note.self, Chapter.self)
        store.maintenance.stop()
        return store
    }

    @Test func `waits for a pause, or for more of the log`() throws {
        let store = try open()
        let index = try #require(store.session.history)
        index.noteAppended(byteCount: 2 << 20)
        #expect(!index.isDue)
        index.notePause()
        #expect(index.isDue)
        index.noteAppended(byteCount: 5 << 20)
        #expect(!index.isDue)
        index.noteAppended(byteCount: 1 << 20)
        #expect(index.isDue)
    }

    /// Otherwise the next attempt would read in vain what was written since.
    @Test func `is not due again for what it covers`() throws {
        let store = try open()
        let index = try #require(store.session.history)
        for id in 0..<5 { try store.write { try $0.insert(largeNote(id)) } }
        index.notePause()
        #expect(index.isDue)
        let isMade = try store.makeRun()
        #expect(isMade && !index.isDue)
        try store.write { try $0.insert(largeNote(5)) }
        index.notePause()
        #expect(!index.isDue)
    }

    @Test func `is made after a pause`() throws {
        let store = try Store(on: disk, entities: Note.self)
        for id in 0..<5 { try store.write { try $0.insert(largeNote(id)) } }
        // The run is all that is due.
        store.maintenance.sealBeforeClosing()
        let segments = try #require(store.session.engine.segments)
        #expect(!segments.isActiveSealable && segments.endedSegmentCount == 0)
        store.maintenance.noteIdle()
        store.maintenance.stop()
        let index = try #require(store.session.history)
        #expect(index.current().parts.map(\.sequences) == [1...5])
        try store.close()
    }

    /// Each run alone has less than what makes a record whole again.
    @Test func `has a large record whole after 256 versions of it in several runs`() throws {
        let store = try open()
        let index = try #require(store.session.history)
        try store.write { try $0.insert(Chapter(id: 1)) }
        var counts: [Int] = []
        for round in 0..<20 {
            for number in 0..<40 {
                try store.write { tx in
                    try tx.update(Chapter.self, 1) { $0.page = 1_000 * round + number }
                }
            }
            _ = try store.makeRun()
            while try index.mergeNext() {}
            let key = HistoryKey("Chapter", RecordID(1))
            let versions = try index.newestVersions(of: key, through: store.sequence)
            #expect(versions.first?.isWhole == true)
            counts.append(versions.count)
        }
        #expect(counts.allSatisfy { $0 <= 256 } && counts.max() ?? 0 > 200, "\(counts)")
        #expect(try store.get(Chapter.self, 1, asOf: .sequence(500))?.page == 12_018)
        try store.close()
    }

    private func largeNote(_ id: Int) -> Note {
        Note(id: id, text: String(repeating: "x", count: 300_000))
    }

    /// Makes a run through a state; others write while its events are read.
    private func makeRun(of store: Store, through last: Snapshot) throws -> Bool {
        let index = try #require(store.session.history)
        let newest = store.snapshot
        var questions = 0
        let isMade = try index.makeNext(
            through: last.sequence,
            from: {
                questions += 1
                return questions == 1 ? last : newest
            }, isComplete: true, syncing: {})
        #expect(questions == 2)
        return isMade
    }

    @Test(arguments: 0..<6)
    func `has the records of its last event, whatever was written since`(later: Int) throws {
        let store = try open()
        try store.write { tx in try tx.insert((0..<4).map { Note(id: $0, text: "first") }) }
        let isFirst = try store.makeRun()
        for id in 0..<4 { try store.write { try $0.update(Note.self, id) { $0.text = "last" } } }
        let last = store.snapshot
        for id in 0..<2 {
            try store.write { tx in
                switch later {
                case 0: try tx.update(Note.self, id) { $0.text = "later" }
                case 1: try tx.delete(Note.self, id)
                case 2: try tx.deleteAll(Note.self)
                case 3:
                    try tx.deleteAll(Note.self)
                    try tx.insert(Note(id: id, text: "again"))
                case 4: try tx.insert(Note(id: 9 + id, text: "new"))
                default: return
                }
            }
        }
        let index = try #require(store.session.history)
        let isMade = try makeRun(of: store, through: last)
        #expect(isFirst && isMade)
        #expect(index.current().tail.start == last.sequence)
        for id in 0..<4 {
            let key = HistoryKey("Note", RecordID(id))
            let version = try #require(try index.versions(of: key, through: last.sequence).last)
            let row = try #require(last.table("Note")?.row(RecordID(id)))
            #expect(version.image == .record(row.bytes))
        }
        try store.close()
    }

    /// An update says nothing of the fields that it leaves alone.
    @Test func `has the fields of its last event that later ones have changed`() throws {
        let store = try Store(on: disk, entities: Restaurant.self)
        store.maintenance.stop()
        let nonna = Restaurant(name: "Nonna", cuisine: "Italian")
        try store.write { try $0.insert(nonna) }
        let isFirst = try store.makeRun()
        try store.write { try $0.update(Restaurant.self, nonna.id) { $0.cuisine = "Roman" } }
        let last = store.snapshot
        try store.write { try $0.update(Restaurant.self, nonna.id) { $0.rating = 4 } }
        let index = try #require(store.session.history)
        let isMade = try makeRun(of: store, through: last)
        #expect(isFirst && isMade)
        let row = try #require(last.table("Restaurant")?.row(RecordID(nonna.id)))
        let key = HistoryKey("Restaurant", row.id)
        let version = try #require(try index.versions(of: key, through: last.sequence).last)
        #expect(version.image == .record(row.bytes))
        try store.close()
    }

    @Test func `asks for no state if the events say everything`() throws {
        let store = try open()
        try store.write { tx in try tx.insert((0..<4).map { Note(id: $0, text: "first") }) }
        try store.write { try $0.update(Note.self, 1) { $0.text = "last" } }
        try store.write { try $0.delete(Note.self, 2) }
        let index = try #require(store.session.history)
        let newest = store.snapshot
        var questions = 0
        _ = try index.makeNext(
            through: newest.sequence,
            from: {
                questions += 1
                return newest
            }, isComplete: true, syncing: {})
        // For what was written meanwhile.
        #expect(questions == 1)
        try store.close()
    }

    /// Texts that differ in their bytes only are different actors.
    @Test func `has labels of each event, whatever its neighbour has`() throws {
        let store = try open()
        let actors = ["Jos\u{E9}", "Jose\u{301}", "ada", nil]
        for number in 0..<24 {
            let metadata = Metadata(tags: number % 3 == 0 ? ["t": "\(number % 2)"] : [:])
            try store.write(by: actors[number % 4], metadata: metadata) { tx in
                try tx.upsert(Note(id: number, text: "a"))
            }
        }
        let isMade = try store.makeRun()
        #expect(isMade)
        for (place, actor) in actors.enumerated() {
            guard let actor else { continue }
            let found = try Array(store.events(where: EventFilter(actor: actor)))
            #expect(found.count == 6)
            #expect(found.allSatisfy { ($0.sequence.rawValue - 1) % 4 == place })
        }
        let tagged = try Array(store.events(where: EventFilter(tags: ["t": "1"])))
        #expect(tagged.map(\.sequence) == [4, 10, 16, 22])
        try store.close()
    }
}

@Suite struct `The versions of records that an event makes` {
    private func event(_ changes: [Change]) -> Event {
        Event(sequence: 1, time: .zero, metadata: Metadata(), intent: nil, changes: changes)
    }

    private func insertion(_ id: Int, of entity: String) -> Change {
        .inserted(Record(entity: entity, id: RecordID(id), fields: .none))
    }

    @Test func `say the order of its changes if one record has several`() {
        let places = [
            event([insertion(1, of: "User"), insertion(1, of: "Profile")]),
            event([insertion(1, of: "User"), insertion(2, of: "User"), insertion(1, of: "User")]),
            event([insertion(1, of: "User"), .cleared(entity: "User", count: 1)]),
        ].map { RecordVersion.list(of: $0).map(\.version.place) }
        #expect(places == [[0, 0], [0, 1, 2], [0, 1]])
    }

    @Test(.mayHang) func `are made in one pass, also of two entities with the same ids`() {
        let ids = 1...150_000
        let changes = ["User", "Profile"].flatMap { entity in
            ids.map { insertion($0, of: entity) }
        }
        let versions = RecordVersion.list(of: event(changes))
        #expect(versions.count == changes.count && versions.allSatisfy { $0.version.place == 0 })
    }
}
