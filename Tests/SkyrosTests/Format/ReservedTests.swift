import Foundation
import SkyrosLog
import TestSupport
import Testing

@testable import Skyros

/// What later versions may write into events, values and names.
@Suite struct `An event of a later version` {
    private func event(_ bytes: [UInt8]) throws -> Event {
        try bytes.withUnsafeBytes { try EventCoding.event(from: $0, expecting: 1) }
    }

    private func code(
        _ fields: NamedValues<FieldValue>
    ) -> StoreError.Code? {
        failure(as: StoreError.self) { _ = try event(Fields(fields).bytes) }?.code
    }

    private let plain: NamedValues<FieldValue> = ["sequence": 1, "time": 5, "changes": []]
    private let insertion: FieldValue = ["entity": "E", "id": 1, "after": ["id": 1]]

    @Test func `with a key that begins with + keeps it, shows it, and is folded as without (F72)`()
        throws
    {
        let fields = plain.merging([
            "+asked": ["n": 1], "+origin": "elsewhere", "+x": .null,
            "changes": [
                insertion,
                ["entity": "E", "id": 2, "after": ["id": 2], "+evolved": ["a"], "+operations": 3],
            ],
            "intent": ["name": "Do", "value": 7, "+why": "because"],
        ]) { $1 }
        let bytes = try Fields(fields).bytes
        let event = try event(bytes)
        #expect(event.additions.names == ["+x", "+asked", "+origin"])
        #expect(event.additions(toChange: 0) == Fields())
        #expect(event.additions(toChange: 1).names == ["+evolved", "+operations"])
        #expect(event.intent?.additions.names == ["+why"])
        #expect(event.changes.count == 2)
        var writer = CBORWriter()
        try EventCoding.append(event, to: &writer)
        #expect(writer.array == bytes)
        var state = Snapshot(.untyped, beginning: ChainHash(rawValue: 0), hashSeed: 0)
        var dirty = DirtyRows()
        try Projector.apply(event, chainHash: state.chainHash, to: &state, marking: &dirty)
        let records: [Record] = try state.records("E")
        #expect(records.map(\.fields.names) == [["id"], ["id"]])
    }

    @Test(arguments: ["erase", "tree", "floor", "keys", "x", "-"])
    func `with any other unknown key is refused (F72)`(key: String) {
        #expect(code(plain) == nil)
        #expect(code(plain.merging([key: 1]) { $1 }) == .unsupportedFormat)
        var change = insertion.map ?? [:]
        change[key] = 1
        #expect(code(plain.merging(["changes": [.map(change)]]) { $1 }) == .unsupportedFormat)
        let intent: FieldValue = .map(["name": "n", "value": 1, key: 1])
        #expect(code(plain.merging(["intent": intent]) { $1 }) == .unsupportedFormat)
    }

    @Test func `that breaks the rules of an intent is invalid (F36)`() throws {
        func code(_ more: NamedValues<FieldValue>) -> StoreError.Code? {
            let intent: NamedValues<FieldValue> = ["name": "n", "value": 1]
            return self.code(plain.merging(["intent": .map(intent.merging(more) { $1 })]) { $1 })
        }
        #expect(code(["version": 2, "result": 3, "ids": .bytes(Data(count: 16))]) == nil)
        #expect(code(["version": 65_535]) == nil)
        for more: NamedValues<FieldValue> in [
            ["version": 1], ["version": 0], ["version": 65_536], ["version": "2"],
            ["ids": .bytes(Data())], ["ids": .bytes(Data(count: 15))], ["ids": [1]],
        ] {
            #expect(code(more) == .invalidEvent)
        }
    }

    @Test(arguments: ["actor", "reason", "correlation", "causation", "key"])
    func `with a protected text is refused (F72)`(key: String) throws {
        // The text of one letter becomes an item under a tag of this library.
        var bytes = try Fields(plain.merging([key: "Q"]) { $1 }).bytes
        let place = try #require(
            bytes.indices.dropLast().first { bytes[$0...].starts(with: [0x61, 0x51]) })
        bytes.replaceSubrange(place..<place + 2, with: [0xD9, 0xDA, 0x7F, 0x80])
        #expect(failure(as: StoreError.self) { _ = try event(bytes) }?.code == .unsupportedFormat)
        bytes[place + 2] = 0x8F
        #expect(failure(as: StoreError.self) { _ = try event(bytes) }?.code == .invalidEvent)
    }

    @Test func `with values under a reserved tag is carried, folded and digested (F72)`() throws {
        // {"id": 1, "p": 55935([1, h'00'])}
        let record: [UInt8] =
            [0xA2, 0x61, 0x70, 0xD9, 0xDA, 0x7F, 0x82, 0x01, 0x41, 0x00, 0x62, 0x69, 0x64, 0x01]
        let id = try RecordID(encoding: 1)
        var state = Snapshot(.untyped, beginning: ChainHash(rawValue: 0), hashSeed: 0)
        var dirty = DirtyRows()
        let stored = Record(entity: "E", id: id, fields: Fields(trusted: record))
        try Projector.apply(
            Event(
                sequence: 1, time: EventTime(microseconds: 1), metadata: Metadata(), intent: nil,
                changes: [.inserted(stored)]),
            chainHash: state.chainHash, to: &state, marking: &dirty)
        #expect(try state.records("E").map(\.fields.bytes) == [record])
        var hasher = StateDigest.RecordHasher(entity: "E")
        let digest = id.bytes.withUnsafeBytes { id in
            record.withUnsafeBytes { hasher.hash(id: id, record: $0) }
        }
        #expect(try state.digest() == digest)
        #expect(try stored.fields.value["p"] == .tagged(55_935, [1, .bytes(Data([0]))]))
    }

    @Test(arguments: [55_935, 55_949] as [UInt64])
    func `is not made from a value of the app (F72)`(tag: UInt64) {
        #expect(throws: CBORError(.reservedTag(tag), at: 0)) {
            try FieldValue.tagged(tag, 1).encoded()
        }
        #expect(throws: CBORError(.reservedTag(tag), at: 0)) {
            try Fields(["a": [.map(["b": .tagged(tag, 1)])]])
        }
        #expect(throws: Never.self) { try FieldValue.tagged(tag + 15, 1).encoded() }
    }

    @Test func `has keys in JSON that no key of the app can equal (F72)`() throws {
        let map: FieldValue = ["$protected": 1, "$$": 2, "a$": 3, "$": [["$x": 4]]]
        let json = map.jsonText()
        #expect(json == #"{"$$":[{"$$x":4}],"$$$":2,"$$protected":1,"a$":3}"#)
        #expect(try FieldValue(json: json) == map)
        for text in [#"{"$protected":{}}"#, #"{"$":1}"#, #"[{"\u0024x":1}]"#] {
            #expect(throws: JSONError.self) { try FieldValue(json: text) }
        }
    }
}

@Suite struct `A change of an event` {
    @Test func `of an entity without a name is invalid`() throws {
        for (entity, code) in [("E", nil), ("", StoreError.Code.invalidEvent)] {
            let change: FieldValue = ["entity": .text(entity), "id": 1, "after": ["id": 1]]
            let bytes = try Fields(["sequence": 1, "time": 5, "changes": [change]]).bytes
            let error = failure(as: StoreError.self) {
                _ = try bytes.withUnsafeBytes { try EventCoding.event(from: $0, expecting: 1) }
            }
            #expect(error?.code == code)
        }
    }
}
