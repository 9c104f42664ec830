import Foundation
import SkyrosLog
import TestSupport
import Testing

@testable import Skyros

/// Events whose checks hold and that no store has written: what `scripts/fuzz` found in them.
@Suite struct `A hostile event` {
    struct Note: Entity {
        var id: Int
        var text: String
        static let indexes: [Index<Note>] = [.on(\.text)]
    }

    private let id = RecordID(1)

    /// The state after the changes, in one event.
    private func fold(_ changes: [Change]) throws -> Snapshot {
        var snapshot = Snapshot(
            try Schema([Note.self]), beginning: ChainHash(rawValue: 1), hashSeed: 1)
        try Self.apply(changes, as: 1, to: &snapshot)
        return snapshot
    }

    private static func apply(
        _ changes: [Change], as sequence: SequenceNumber, to snapshot: inout Snapshot
    ) throws {
        var dirty = DirtyRows()
        let event = Event(
            sequence: sequence, time: EventTime(microseconds: 1), metadata: Metadata(),
            intent: nil, changes: changes)
        try Projector.apply(
            event, chainHash: ChainHash(rawValue: 2), to: &snapshot, marking: &dirty)
    }

    private func record(_ fields: [UInt8]) -> Record {
        Record(entity: Note.entityName, id: id, fields: Fields(trusted: fields))
    }

    private func insertion(of text: String) throws -> Change {
        .inserted(record(try CBOREncoder().encode(Note(id: 1, text: text))))
    }

    @Test func `whose fields are out of order is refused as an event (F36)`() throws {
        // Two fields in the wrong order, b and a, which an update cannot be merged with.
        let unsorted: [UInt8] = [0xA2, 0x61, 0x62, 0x01, 0x61, 0x61, 0x02]
        let update = Change.updated(
            entity: Note.entityName, id: id, before: Fields(), after: Fields(trusted: unsorted))
        let error = #expect(throws: StoreError.self) { try fold([insertion(of: "a"), update]) }
        #expect(error?.code == .invalidEvent)
    }

    @Test func `that changes one record twice can be undone`() throws {
        var state = try fold([])
        let changes = [
            try insertion(of: "a"),
            .updated(
                entity: Note.entityName, id: id, before: try Fields(["text": .text("a")]),
                after: try Fields(["text": .text("b")])),
        ]
        let event = Event(
            sequence: 2, time: EventTime(microseconds: 2), metadata: Metadata(), intent: nil,
            changes: changes)
        let replayed = try AppliedEvent(event, chainHash: ChainHash(rawValue: 3), on: &state)
        #expect(try replayed.changes(of: Note.self).map { try $0.after?.text } == ["a", "b"])
        #expect(try replayed.stateBefore.count(Note.self) == 0)
        #expect(try replayed.stateBefore.all(Note.self, where: \.text >= "").isEmpty)
    }

    @Test func `whose indexed field cannot be read is refused as an event`() throws {
        // The field that the index is over: a text of two bytes, of which one is there.
        let cut: [UInt8] = [0xA1, 0x64, 0x74, 0x65, 0x78, 0x74, 0x62, 0x61]
        let error = #expect(throws: StoreError.self) { try fold([.inserted(record(cut))]) }
        #expect(error?.code == .invalidEvent)
    }

    @Test func `whose indexed field is no text is refused, if the indexes come last`() throws {
        // The field that the index is over: a text that is no UTF-8.
        let invalid = record([0xA1, 0x64, 0x74, 0x65, 0x78, 0x74, 0x61, 0xFF])
        var snapshot = try fold([])
        let error = #expect(throws: StoreError.self) {
            try snapshot.fold { try Self.apply([.inserted(invalid)], as: 2, to: &$0) }
        }
        #expect(error?.code == .invalidEvent)
    }

    @Test func `that does not follow the one before is refused (F36, F63)`() throws {
        for sequence in [0, 1, 3, .max] as [UInt64] {
            var snapshot = try fold([insertion(of: "a")])
            let error = #expect(throws: StoreError.self) {
                try snapshot.fold {
                    try Self.apply([], as: SequenceNumber(rawValue: sequence), to: &$0)
                }
            }
            #expect(error?.code == .invalidEvent)
        }
    }

    @Test func `that inserts over a record is refused (F36)`() throws {
        let error = #expect(throws: StoreError.self) {
            try fold([insertion(of: "a"), insertion(of: "b")])
        }
        #expect(error?.code == .invalidEvent)
    }

    @Test func `that clears another number of records is refused (F36)`() throws {
        for count in [0, 2] {
            let error = #expect(throws: StoreError.self) {
                try fold([insertion(of: "a"), .cleared(entity: Note.entityName, count: count)])
            }
            #expect(error?.code == .invalidEvent)
        }
    }

    private func update(_ before: FieldValue, _ after: FieldValue) throws -> Change {
        let (before, after) = (try #require(before.map), try #require(after.map))
        return .updated(
            entity: Note.entityName, id: id, before: try Fields(before), after: try Fields(after))
    }

    @Test(
        arguments: [
            (["text": "x"], ["text": "b"]), ([:], ["text": "b"]), (["text": "x"], [:]),
            (["other": 1], [:]), (["a": 1], ["text": "b"]), (["zzzzzzzzz": 1], [:]),
            (["more": 1, "text": "a"], ["text": "b"]), (["more": 1], ["more": 2]),
            (["text": "a"], ["id": 1]),
        ] as [(FieldValue, FieldValue)])
    func `that says of a record that it was other is refused (F36)`(
        before: FieldValue, after: FieldValue
    ) throws {
        let update = try update(before, after)
        let error = #expect(throws: StoreError.self) { try fold([insertion(of: "a"), update]) }
        #expect(error?.code == .invalidEvent)
    }

    @Test func `that says of a deleted record that it was other is refused (F36)`() throws {
        let other = record(try CBOREncoder().encode(Note(id: 1, text: "b")))
        let error = #expect(throws: StoreError.self) {
            try fold([insertion(of: "a"), .deleted(other)])
        }
        #expect(error?.code == .invalidEvent)
    }

    @Test func `may change a record several times, each from what the change before made`() throws {
        let changes = [
            try insertion(of: "a"), try update(["text": "a"], ["text": "b", "more": 1]),
            try update(["text": "b", "more": 1], ["text": "c"]),
            .deleted(record(try CBOREncoder().encode(Note(id: 1, text: "c")))),
            try insertion(of: "d"), .cleared(entity: Note.entityName, count: 1),
            try insertion(of: "e"), try update(["text": "e"], ["text": "f"]),
        ]
        #expect(try fold(changes).get(Note.self, 1)?.text == "f")
        let stale = try update(["text": "e"], ["text": "g"])
        let error = #expect(throws: StoreError.self) { try fold(changes + [stale]) }
        #expect(error?.code == .invalidEvent)
    }

    @Test func `with bytes after it is refused (F36)`() throws {
        var writer = CBORWriter()
        let event = Event(
            sequence: 1, time: EventTime(microseconds: 1), metadata: Metadata(), intent: nil,
            changes: [try insertion(of: "a")])
        try EventCoding.append(event, to: &writer)
        let bytes = writer.array + [0xF6]
        let error = #expect(throws: StoreError.self) {
            try bytes.withUnsafeBytes { try EventCoding.event(from: $0, expecting: 1) }
        }
        #expect(error?.code == .invalidEvent)
    }
}
