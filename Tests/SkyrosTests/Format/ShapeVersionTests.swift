import TestSupport
import Testing

@testable import Skyros

@Suite struct `The versions of shapes in an event` {
    private let update: NamedValues<FieldValue> = [
        "entity": "E", "id": 1, "before": ["a": 1], "after": ["a": 2],
    ]

    private func event(_ change: NamedValues<FieldValue>) throws -> Event {
        let fields: NamedValues<FieldValue> = [
            "sequence": 1, "time": 5, "changes": [.map(change)],
        ]
        return try Fields(fields).bytes.withUnsafeBytes {
            try EventCoding.event(from: $0, expecting: 1)
        }
    }

    @Test(arguments: [(3, 1), (1, 3), (65_535, 2)])
    func `are those before and after an update`(version: Int, former: Int) throws {
        var change = update.merging(["formerVersion": .integer(Int128(former))]) { $1 }
        if version > 1 { change["version"] = .integer(Int128(version)) }
        let event = try event(change)
        #expect(event.version(ofChange: 0) == version)
        #expect(event.formerVersions == [0: former])
        var writer = CBORWriter()
        try EventCoding.append(event, to: &writer)
        let read = try writer.withUnsafeBytes { try EventCoding.event(from: $0, expecting: 1) }
        #expect(read == event)
    }

    @Test(
        arguments: [
            ["formerVersion": 1], ["formerVersion": 2, "version": 2], ["formerVersion": 0],
            ["formerVersion": 65_536], ["version": 1], ["version": 65_536], ["version": "2"],
        ] as [NamedValues<FieldValue>])
    func `are refused if an update cannot have them`(versions: NamedValues<FieldValue>) {
        #expect(code { _ = try event(update.merging(versions) { $1 }) } == .invalidEvent)
    }

    @Test func `are one in an insertion and a deletion, and none in a clearing`() throws {
        let rest: NamedValues<FieldValue> = ["version": 2, "formerVersion": 1]
        for fields in [
            ["entity": "E", "id": 1, "after": [:]], ["entity": "E", "id": 1, "before": [:]],
            ["entity": "E", "cleared": 0],
        ] as [NamedValues<FieldValue>] {
            #expect(code { _ = try event(fields) } == nil)
            #expect(code { _ = try event(fields.merging(rest) { $1 }) } == .invalidEvent)
        }
    }
}
