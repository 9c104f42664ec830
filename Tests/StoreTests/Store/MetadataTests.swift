import Foundation
import Skyros
import TestSupport
import Testing

private struct Rename: DomainCommand, Equatable {
    var from: String
    var to: String
}

@Suite struct `An event` {
    private let store: Store

    init() throws {
        store = try Store(inMemory: Note.self)
    }

    @Test func `keeps actor, reason, correlation, causation and tags`() throws {
        let metadata = Metadata(correlation: "r-1", causation: "c-1", tags: ["b": "2", "a": "1"])
        try store.write(by: "alice", because: "new", metadata: metadata) {
            try $0.insert(Note(id: 1, text: "a"))
        }
        let event = try #require(try store.event(1))
        #expect(event.metadata.actor == "alice")
        #expect(event.metadata.reason == "new")
        #expect(event.metadata.correlation == "r-1")
        #expect(event.metadata.causation == "c-1")
        #expect(event.metadata.tags == ["a": "1", "b": "2"])
    }

    @Test(arguments: [-1.5, 0, 1_800_000_000.000_001])
    func `keeps when it happened, beside when it was recorded`(seconds: Double) throws {
        let date = Date(timeIntervalSince1970: seconds)
        try store.write(metadata: Metadata(occurredAt: date)) {
            try $0.insert(Note(id: 1, text: "a"))
        }
        try Store.withMetadata(occurredAt: date) {
            try store.write { try $0.insert(Note(id: 2, text: "a")) }
            let own = Metadata(occurredAt: date.addingTimeInterval(1))
            try store.write(metadata: own) { try $0.insert(Note(id: 3, text: "a")) }
        }
        let events: [SequenceNumber] = [1, 2, 3]
        let times = try events.map { try store.event($0)?.metadata.occurredAt?.microseconds }
        let micros = Int64(seconds * 1_000_000)
        #expect(times == [micros, micros, micros + 1_000_000])
    }

    @Test func `takes missing metadata from the enclosing context`() throws {
        try Store.withMetadata(actor: "job", reason: "nightly", tags: ["x": "1"]) {
            try Store.withMetadata(reason: "inner", correlation: "c", causation: "k") {
                try store.write(by: "alice") { try $0.insert(Note(id: 1, text: "a")) }
            }
            try store.write { try $0.insert(Note(id: 2, text: "a")) }
        }
        let first = try #require(try store.event(1)).metadata
        #expect(first.actor == "alice")
        #expect(first.reason == "inner")
        #expect(first.correlation == "c")
        #expect(first.tags == ["x": "1"])
        #expect(try store.event(2)?.metadata.actor == "job")
    }

    @Test func `takes missing metadata from the context of a task that awaits`() async throws {
        let store = store
        try await Store.withMetadata(actor: "handler", correlation: "r-7") {
            try await store.write { try $0.insert(Note(id: 1, text: "a")) }
            await Task.yield()
            async let other: Void = store.write { try $0.insert(Note(id: 2, text: "b")) }
            _ = try await other
        }
        for sequence in [1, 2] as [SequenceNumber] {
            #expect(try store.event(sequence)?.metadata.actor == "handler")
            #expect(try store.event(sequence)?.metadata.correlation == "r-7")
        }
    }

    @Test func `keeps the domain command as data`() throws {
        let command = Rename(from: "a", to: "b")
        try store.write(intent: command) { try $0.insert(Note(id: 1, text: "b")) }
        let intent = try #require(try store.event(1)?.intent)
        #expect(intent.name == "Rename")
        #expect(try intent.decode(as: Rename.self) == command)
        #expect(try intent.value == .map(["from": "a", "to": "b"]))
        #expect(throws: StoreError(.notDecodable, "")) {
            struct Other: DomainCommand { var number: Int }
            _ = try intent.decode(as: Other.self)
        }
    }

    @Test func `keeps no domain command that cannot be encoded`() throws {
        struct Unencodable: DomainCommand {
            struct Failure: Error {}

            func encode(to encoder: any Encoder) throws { throw Failure() }
        }
        #expect(throws: StoreError(.notEncodable, "")) {
            try store.write(intent: Unencodable()) { try $0.insert(Note(id: 1, text: "")) }
        }
        #expect(store.sequence == .zero)
        #expect(Unencodable.commandName == "Unencodable")
    }

    @Test func `holds the changed fields before and after`() throws {
        try store.write { try $0.insert(Note(id: 1, text: "a")) }
        try store.write { try $0.update(Note.self, 1) { $0.text = "b" } }
        try store.write { try $0.delete(Note.self, 1) }
        let id = try RecordID(encoding: 1)
        #expect(
            try store.event(1)?.changes == [
                .inserted(Record(entity: "Note", id: id, fields: Fields(["id": 1, "text": "a"])))
            ])
        #expect(
            try store.event(2)?.changes == [
                .updated(
                    entity: "Note", id: id, before: Fields(["text": "a"]),
                    after: Fields(["text": "b"]))
            ])
        #expect(
            try store.event(3)?.changes == [
                .deleted(Record(entity: "Note", id: id, fields: Fields(["id": 1, "text": "b"])))
            ])
        #expect(try store.event(3)?.changes.first?.id == id)
        #expect(try store.event(3)?.changes.first?.entity == "Note")
        #expect(try store.event(4) == nil)
    }

    @Test func `is later than the event before it`() throws {
        for id in 0..<100 { try store.write { try $0.insert(Note(id: id, text: "")) } }
        var last = EventTime(microseconds: 0)
        try store.events().forEach { event in
            #expect(event.time > last)
            last = event.time
        }
        #expect(EventTime(last.date) == last)
    }
}
