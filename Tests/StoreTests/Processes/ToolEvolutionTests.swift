import Foundation
import SkyrosLog
import TestSupport
import Testing

@testable import Skyros

/// A store with records of two shapes, as a foreign writer has written it.
@Suite struct `The tool on a store that evolves` {
    private let store = `A golden store`.stores.appending(path: "event-schema").path

    private func run(_ arguments: String...) throws -> String {
        let outcome = try Program("skyros").run(arguments)
        #expect(outcome.status == 0, "\(outcome.output)")
        return outcome.output
    }

    @Test func `shows records in the newest shape, or as they are stored`() throws {
        let shown = try run("show", store, "Dish")
        #expect(
            shown == """
                Dish 1  {"id":1,"price":"5","title":"Hot soup"}
                Dish 2  {"id":2,"price":"2","title":"Bread"}
                Dish 4  {"id":4,"price":"4","title":"Cake"}

                """)
        let stored = try run("show", store, "Dish", "2", "--stored")
        #expect(stored == "Dish 2  {\"id\":2,\"name\":\"Bread\",\"price\":2}\n")
        // Before the event that records the steps.
        let before = try run("show", store, "Dish", "2", "--at", "1")
        #expect(before == stored)
    }

    @Test func `shows the history of a record in the newest shape, or as it is stored`() throws {
        let changes = try run("history", store, "Dish", "1").split(separator: "\n")
        #expect(
            changes.filter { $0.hasPrefix("  ") } == [
                "    id: – → 1", "    price: – → \"5\"", "    title: – → \"Soup\"",
                "    title: \"Soup\" → \"Hot soup\"",
            ])
        #expect(try run("history", store, "Dish", "1", "--stored").contains("price: 5 → \"5\""))
        func events(_ options: String...) throws -> [FieldValue?] {
            let outcome = try Program("skyros").run(
                ["blame", store, "Dish", "1", "--json"] + options)
            return try outcome.output.split(separator: "\n")
                .map { try FieldValue(json: String($0))["sequence"] }
        }
        #expect(try events() == [1, 1, 2])
        #expect(try events("--stored") == [1, 2, 2])
    }

    @Test func `queries and exports the newest shape`() throws {
        let sql = "SELECT id, title, price FROM Dish WHERE title IS NOT NULL ORDER BY id"
        let rows = try run("query", store, sql, "--json").split(separator: "\n")
        #expect(rows.count == 3)
        #expect(rows[1] == "{\"id\":2,\"price\":\"2\",\"title\":\"Bread\"}")
        #expect(
            try run("query", store, sql, "--stored", "--json").split(separator: "\n").count == 1)
        let lines = try run("export", store, "Dish", "--format", "csv")
        #expect(lines.hasPrefix("id,price,title\n"), "\(lines)")
    }

    @Test func `lists versions and steps`() throws {
        let text = try run("schema", store)
        #expect(
            text.contains(
                "version 2: rename(\"name\", to: \"title\"), retype(\"price\", .integerToText)"),
            "\(text)")
        #expect(text.contains("    price  text\n"), "\(text)")
        let json = try FieldValue(json: run("schema", store, "--json"))
        #expect(json["version"] == 2)
        #expect(json["steps"]?["2"]?.array?.count == 2)
        let event = try FieldValue(json: run("log", store, "--from", "2", "--to", "2", "--json"))
        #expect(event["schema"]?["Dish"]?["version"] == 2)
        #expect(event["changes"]?[0]?["version"] == 2)
        #expect(event["changes"]?[0]?["formerVersion"] == 1)
    }
}

@Suite struct `A state without the app's types` {
    private func state(_ steps: [String: FieldValue], version: Int) throws -> Snapshot {
        var state = Snapshot(.untyped, beginning: ChainHash(rawValue: 0), hashSeed: 0)
        var dirty = DirtyRows()
        let schema = try Fields([
            "version": .integer(Int128(version)), "steps": .map(NamedValues(steps)),
        ])
        let records: [Record] = try [(1, "7"), (2, "seven")].map { id, text in
            try Record(
                entity: "E", id: RecordID(id),
                fields: ["id": .integer(Int128(id)), "a": .text(text)])
        }
        let event = Event(
            sequence: 1, time: EventTime(microseconds: 1), metadata: Metadata(), intent: nil,
            changes: records.map { .inserted($0) },
            schemas: ["E": try #require(EntitySchema(schema))])
        try Projector.apply(event, chainHash: state.chainHash, to: &state, marking: &dirty)
        return state
    }

    @Test func `has the shape before a closure, and says of how many records`() throws {
        let steps: [String: FieldValue] = [
            "2": [["rename", "a", "b"]], "3": [["code"]], "4": [["drop", "b"]],
        ]
        let evolved = try EvolvedState(state(steps, version: 4))
        #expect(evolved.heldBack == ["E": 2])
        #expect(try evolved.state.record("E", RecordID(1))?.fieldNames == ["b", "id"])
    }

    @Test func `keeps a record as it is stored if a step fails`() throws {
        let steps: [String: FieldValue] = ["2": [["retype", "a", "textToInteger"]]]
        let evolved = try EvolvedState(state(steps, version: 2))
        #expect(evolved.heldBack == ["E": 1])
        #expect(try evolved.state.record("E", RecordID(1))?["a"] == 7)
        #expect(try evolved.state.record("E", RecordID(2))?["a"] == "seven")
    }
}
