import Foundation
import Skyros
import TestSupport
import Testing

/// The command-line tool, run as a process on a real store.
@Suite struct `The tool` {
    private let directory: TemporaryDirectory
    private let tool: Program
    private let nonna = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

    init() throws {
        directory = try TemporaryDirectory()
        tool = try Program("skyros")
        let store = try Store(at: directory.store, entities: Restaurant.self, Note.self)
        try store.write(by: "alice", because: "new partner") { tx in
            try tx.insert(Restaurant(id: nonna, name: "Nonna", cuisine: "italian"))
            try tx.insert(Note(id: 7, text: "a, \"quoted\" text"))
        }
        try store.write(by: "bob", metadata: Metadata(tags: ["t": "1"])) { tx in
            try tx.update(Restaurant.self, nonna) { $0.rating = 4.5 }
        }
        try store.write(by: "carol") { try $0.delete(Note.self, 7) }
        try store.close()
    }

    private func objects(_ arguments: String...) throws -> [FieldValue] {
        let outcome = try run(arguments + ["--json"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        return try outcome.output.split(separator: "\n").map { try FieldValue(json: String($0)) }
    }

    private func run(_ arguments: [String]) throws -> Program.Outcome {
        let command = arguments[0]
        return try tool.run([command, directory.store.path] + arguments.dropFirst())
    }

    @Test func `shows what a store holds`() throws {
        let info = try #require(try objects("info").first)
        #expect(info["events"] == 3)
        #expect(info["sequence"] == 3)
        #expect(info["entities"] == .map(["Restaurant": 1]))
        #expect(info["checkpointSequence"] == 3)
        #expect(info["segments"] == 1)
        #expect((info["logBytes"]?.integer ?? 0) > 0)
        #expect((info["rawBytes"]?.integer ?? 0) > 0)
        #expect(try run(["info"]).output.contains("Restaurant  1 records"))
    }

    @Test func `lists events and filters them`() throws {
        let all = try objects("log")
        #expect(all.count == 3)
        #expect(all[0]["actor"] == "alice")
        #expect(all[0]["reason"] == "new partner")
        #expect(all[1]["tags"] == .map(["t": "1"]))
        #expect(all[1]["changes"]?[0]?["kind"] == "updated")
        #expect(all[1]["changes"]?[0]?["before"] == .map([:]))
        #expect(all[1]["changes"]?[0]?["after"] == .map(["rating": 4.5]))
        #expect(all[2]["changes"]?[0]?["kind"] == "deleted")
        #expect(try objects("log", "--actor", "bob").count == 1)
        #expect(try objects("log", "--entity", "Note").count == 2)
        #expect(try objects("log", "--id", "7").count == 2)
        #expect(try objects("log", "--from", "2", "--to", "2").count == 1)
        #expect(try objects("log", "--since", "2100-01-01").isEmpty)
        #expect(try objects("log", "--until", "2000-01-01T00:00:00Z").isEmpty)
        #expect(try run(["log"]).output.contains("~ Restaurant 01020304-0506"))
    }

    @Test func `shows what differs between two moments`() throws {
        let outcome = try run(["diff", "1", "--json"])
        #expect(outcome.status == 1)
        let lines = outcome.output.split(separator: "\n")
        let list = try lines.map { try FieldValue(json: String($0)) }
        #expect(list.map { $0["kind"] } == ["deleted", "updated"])
        #expect(list[1]["before"] == nil)
        #expect(list[1]["after"] == .map(["rating": 4.5]))
        #expect(try run(["diff", "-2", "--entity", "Note"]).output.contains("- Note 7"))
        #expect(try run(["diff", "3", "3"]).status == 0)
        #expect(try run(["diff", "4"]).errors.contains("noSuchEvent"))
        #expect(try run(["diff", "1", "--entity", "Nope"]).errors.contains("unknownEntity"))
        #expect(try run(["diff"]).status == 2)
        let copy = directory.url.appending(path: "copy").path
        #expect(try run(["backup", "--into", copy]).status == 0)
        #expect(try run(["diff", "3", "3", "--with", copy]).status == 0)
    }

    @Test func `says which event gave each field its value`() throws {
        let origins = try objects("blame", "Restaurant", "\(nonna)")
        #expect(origins.map { $0["field"] } == ["id", "name", "rating", "cuisine"])
        #expect(origins.map { $0["actor"] } == ["alice", "alice", "bob", "alice"])
        #expect(origins[2]["value"] == 4.5)
        #expect(origins[2]["tags"] == .map(["t": "1"]))
        #expect(try run(["blame", "Note", "7"]).output.contains("alice"))
        #expect(try run(["blame", "Note", "8"]).status == 1)
        #expect(try run(["blame", "Note"]).status == 2)
    }

    @Test func `makes the index of the history, and answers from it`() throws {
        let before = try objects("history", "Restaurant", "\(nonna)")
        let made = try objects("index").first
        #expect(made?["files"] == 1)
        #expect(made?["sequence"] == 3)
        let info = try #require(objects("info").first)
        #expect(info["historySequence"] == 3)
        let after = try objects("history", "Restaurant", "\(nonna)")
        #expect(after == before && !after.isEmpty)
        #expect(try objects("index").first?["files"] == 0)
        #expect(try run(["verify"]).status == 0)
    }

    @Test func `lists a deleteAll for each id that existed`() throws {
        let store = try Store(at: directory.store, entities: Restaurant.self, Note.self)
        try store.write { try $0.insert(Note(id: 8, text: "b")) }
        try store.write { try $0.deleteAll(Note.self) }
        try store.close()
        func sequences(_ words: String...) throws -> [FieldValue?] {
            try run(["log", "--json"] + words).output.split(separator: "\n")
                .map { try FieldValue(json: String($0))["sequence"] }
        }
        #expect(try sequences("--id", "8") == [4, 5])
        #expect(try sequences("--id", "8", "--from", "5") == [5])
        #expect(try sequences("--id", "8", "--entity", "Restaurant").isEmpty)
        // Deleted before the deleteAll.
        #expect(try sequences("--id", "7") == [1, 3])
    }

    @Test func `stops following at a time in the past`() throws {
        let outcome = try run(["log", "--follow", "--until", "2000-01-01T00:00:00Z"])
        #expect(outcome.status == 0)
        #expect(outcome.output.isEmpty)
    }

    @Test func `shows records of the present and of the past`() throws {
        #expect(try objects("show").count == 1)
        #expect(try objects("show", "--at", "1").count == 2)
        let record = try #require(try objects("show", "Note", "7", "--at", "2").first)
        #expect(record["record"]?["id"] == 7)
        #expect(try run(["show", "Note", "7"]).status == 1)
        #expect(try objects("show", "Restaurant", nonna.uuidString).count == 1)
        #expect(try objects("show", "--at", "2000-01-01").isEmpty)
    }

    @Test func `knows no entity of later in a state that is made of the newest one`() throws {
        let url = directory.url.appending(path: "Later.skyros")
        let store = try Store(at: url, entities: Restaurant.self, Note.self)
        for text in 0..<60 { try store.write { try $0.upsert(Note(id: 1, text: "\(text)")) } }
        try store.write { try $0.insert(Restaurant(id: nonna, name: "Nonna", cuisine: "italian")) }
        try store.write { try $0.delete(Note.self, 1) }
        try store.close()
        func show(_ entity: String, at number: String) throws -> Program.Outcome {
            try tool.run(["show", url.path, entity, "--at", number])
        }
        #expect(try show("Restaurant", at: "60").errors.contains("unknownEntity"))
        #expect(try show("Restaurant", at: "-1").output.contains("Nonna"))
        #expect(try show("Note", at: "59").output.contains("58"))
        let deleted = try show("Note", at: "62")
        #expect(deleted.status == 0 && deleted.output.isEmpty)
    }

    @Test func `shows the history of a record`() throws {
        let history = try objects("history", "Restaurant", nonna.uuidString.lowercased())
        #expect(history.map { $0["kind"] } == ["inserted", "updated"])
        #expect(history[1]["after"] == .map(["rating": 4.5]))
        #expect(try run(["history", "Restaurant", "nobody"]).status == 1)
    }

    @Test func `shows the intent of an event`() throws {
        struct Rename: DomainCommand {
            var text: String
        }
        let store = try Store(at: directory.store, entities: Restaurant.self, Note.self)
        try store.write(intent: Rename(text: "c")) { try $0.insert(Note(id: 9, text: "c")) }
        try store.close()
        let intent = try #require(try objects("history", "Note", "9").first?["intent"])
        #expect(try intent == objects("log", "--from", "4").first?["intent"])
        #expect(intent["value"] == .map(["text": "c"]))
        #expect(intent["result"] == nil && intent["ids"] == nil && intent["version"] == nil)
    }

    @Test func `answers SQL about any past state`() throws {
        let rows = try objects("query", "SELECT text FROM Note", "--at", "2")
        #expect(rows == [.map(["text": "a, \"quoted\" text"])])
        for statement in ["DELETE FROM Restaurant", "PRAGMA writable_schema=1"] {
            let outcome = try run(["query", statement])
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("invalidInput: a query may only read"))
        }
        #expect(try run(["query", "SELECT name FROM Restaurant"]).output.contains("Nonna"))
    }

    @Test func `verifies, replays and rebuilds to one digest (F64)`() throws {
        let verified = try #require(try objects("verify").first)
        #expect(verified["ok"] == true)
        #expect(verified["problems"] == .array([]))
        let replayed = try #require(try objects("replay").first)
        #expect(replayed["digest"] == verified["digest"])
        #expect(replayed["events"] == 3)
        #expect(try objects("replay", "--to", "1").first?["sequence"] == 1)
        let rebuilt = try #require(try objects("rebuild").first)
        #expect(rebuilt["digest"] == verified["digest"])
        let file = directory.url.appending(path: "then.sqlite").path
        #expect(try objects("rebuild", "--to", "1", "--into", file).first?["sequence"] == 1)
        let count = try Shell.lines("sqlite3", "-readonly", file, "SELECT count(*) FROM Note")
        #expect(count == ["1"])
        #expect(try run(["rebuild", "--into", file]).status == 1)
        #expect(try run(["verify"]).output.hasPrefix("ok: 3 events"))
    }

    @Test func `reports damage and exits with 1`() throws {
        let segment = directory.store.appending(path: "events/00000000000000000001.open")
        var bytes = try Data(contentsOf: segment)
        bytes[400] ^= 1
        try bytes.write(to: segment)
        let outcome = try run(["verify", "--json"])
        #expect(outcome.status == 1)
        let report = try FieldValue(json: outcome.output)
        #expect(report["ok"] == false)
        #expect(report["problems"]?[0]?.text?.contains("logCorrupt") == true)
    }

    @Test func `exports numbers and URLs to CSV without quotes, and quotes line breaks`() throws {
        struct Price: Entity {
            var id: Int
            var amount: Decimal
            var page: URL?
            var text: String
        }
        let prices = directory.url.appending(path: "prices.skyros")
        let store = try Store(at: prices, entities: Price.self)
        let page = URL(string: "https://example.org/a")
        try store.write {
            try $0.insert(Price(id: 1, amount: 12.5, page: page, text: "two\nlines"))
        }
        try store.close()
        let csv = try tool.run(["export", prices.path, "Price", "--format", "csv"]).output
        #expect(csv == "amount,id,page,text\n12.5,1,https://example.org/a,\"two\nlines\"\n")
    }

    @Test func `exports CSV that tells a missing text from an empty one and runs no formula`()
        throws
    {
        struct Cell: Entity {
            var id: Int
            var text: String?
            var number = -1.5
            var url: URL?
            var time = Date(timeIntervalSince1970: 1_700_000_000.123)
        }
        let cells = directory.url.appending(path: "cells.skyros")
        let store = try Store(at: cells, entities: Cell.self)
        let texts = [nil, "", "=1+1", "+49", "-a", "@b", "\tc", "a=b", "'"]
        for (id, text) in texts.enumerated() {
            try store.write { try $0.insert(Cell(id: id, text: text)) }
        }
        try store.close()
        func column(_ words: String...) throws -> [String] {
            let words = ["export", cells.path, "Cell", "--format", "csv"] + words
            return try tool.run(words).output.split(separator: "\n").dropFirst().map { line in
                let suffix = ",2023-11-14T22:13:20.123Z"
                #expect(line.contains(",-1.5,") && line.contains(suffix), "\(line)")
                return line.split(separator: ",", omittingEmptySubsequences: false)[2].description
            }
        }
        let plain = ["", "\"\"", "=1+1", "+49", "-a", "@b", "\tc", "a=b", "'"]
        #expect(try column("--raw") == plain)
        #expect(try column() == ["", "\"\"", "'=1+1", "'+49", "'-a", "'@b", "'\tc", "a=b", "'"])
    }

    @Test func `exports JSON lines, CSV and SQLite`() throws {
        let lines = try run(["export", "--format", "jsonl", "--at", "1"]).output
        #expect(lines.split(separator: "\n").count == 2)
        let csv = try run(["export", "Note", "--format", "csv", "--at", "1"]).output
        #expect(csv == "id,text\n7,\"a, \"\"quoted\"\" text\"\n")
        let file = directory.url.appending(path: "out.sqlite").path
        #expect(try run(["export", "--format", "sqlite", "--into", file]).status == 0)
        let names = try Shell.lines("sqlite3", "-readonly", file, "SELECT name FROM Restaurant")
        #expect(names == ["Nonna"])
    }

    @Test func `explains its usage, and exits with 2 for wrong arguments`() throws {
        #expect(try tool.run("--help").status == 0)
        #expect(try tool.run("log", "--help").output.contains("--follow"))
        #expect(try tool.run().status == 2)
        #expect(try tool.run("dance").status == 2)
        #expect(try tool.run("log").status == 2)
        #expect(try run(["log", "--wrong"]).status == 2)
        #expect(try run(["log", "--from", "x"]).status == 2)
        #expect(try run(["export"]).status == 2)
        for flag in ["--json=false", "--json=", "--follow=no"] {
            // With --to: a tool that accepted the flag would follow forever.
            let outcome = try run(["log", "--to", "1", flag])
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains("\(flag.prefix { $0 != "=" }) takes no value"))
        }
        #expect(try tool.run("info", directory.url.path).status == 1)
        #expect(
            try tool.run("info", directory.url.appending(path: "no").path).errors
                .contains("notAStore"))
    }

    @Test func `changes no file when it reads`() throws {
        let before = try directory.contents()
        for command in ["info", "log", "show", "verify", "replay"] { _ = try run([command]) }
        _ = try run(["query", "SELECT 1"])
        #expect(try directory.contents() == before)
    }

    @Test func `follows a writer in another process`() throws {
        let store = try Store(at: directory.store, entities: Restaurant.self, Note.self)
        let process = tool.process([
            "log", directory.store.path, "--from", "4", "--follow", "--json",
        ])
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        defer { process.terminate() }
        for id in 100..<110 {
            try store.write(by: "live") { try $0.insert(Note(id: id, text: "n")) }
            let line = try #require(
                String(data: output.fileHandleForReading.availableData, encoding: .utf8))
            #expect(try FieldValue(json: line)["actor"] == "live")
        }
        #expect(try tool.run("info", directory.store.path).status == 0)
        #expect(try tool.run("rebuild", directory.store.path).errors.contains("alreadyOpen"))
    }
}

extension FieldValue {
    fileprivate subscript(_ name: String) -> FieldValue? {
        if case .map(let fields) = self { fields[name] } else { nil }
    }

    fileprivate subscript(_ index: Int) -> FieldValue? {
        if case .array(let elements) = self, index < elements.count { elements[index] } else { nil }
    }
}
