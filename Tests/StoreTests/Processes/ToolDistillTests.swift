import Foundation
import Skyros
import TestSupport
import Testing

@testable import Ledger
@testable import SkyrosTool

private struct Purse: Entity {
    var id: Int
    var owner: String
    var cents: Int
}

private struct Spend: Skyros.Command {
    var purse: Int
    var cents: Int

    func run(_ tx: inout WriteTransaction) throws {
        try tx.update(Purse.self, purse) { $0.cents -= cents }
    }
}

@Suite struct `skyros distill` {
    private let store: ToolStore

    init() throws {
        store = try ToolStore([Purse.self]) { store in
            try store.write { tx in
                for id in 1...50 { try tx.insert(Purse(id: id, owner: "Eve \(id)", cents: 9)) }
            }
            for id in 1...50 {
                try store.perform(
                    Spend(purse: id, cents: id == 33 ? 90 : 2), by: "ann", because: "for Eve \(id)")
            }
        }
    }

    private static let query = "SELECT id FROM Purse WHERE cents < 0"

    @Test func `writes a store and a test`() throws {
        let path = store.path("bug17")
        let outcome = try store.run(
            "distill", "--violates", Self.query, "--into", path, "--import", "Bank", "--scrub",
            "Purse.owner")
        #expect(outcome.status == 0, "\(outcome.errors)")
        // The value 9 may be the id of a record that the command reads.
        for part in ["ann", "this event broke it", "2 of 50 records", "Bug17Tests.swift"] {
            #expect(outcome.output.contains(part), "\(part): \(outcome.output)")
        }
        let fixture = try Archive(at: URL(filePath: path + "/history.skyros"))
        #expect(fixture.sequence == 2)
        let text = try String(contentsOfFile: path + "/Bug17Tests.swift", encoding: .utf8)
        for part in [
            "@testable import Bank", "@Suite struct `Bug17, from a log` {", "Event 34 of", "ann",
            "entities: [Purse.self]", "Run it now",
            "commands: [Spend.self]", ".starting(after: 1)", Self.query, "answer.rows.isEmpty",
            "missing.isEmpty",
        ] {
            #expect(text.contains(part), "\(part): \(text)")
        }
        #expect(!text.contains("Eve 3"))
    }

    /// The test of the example is compiled, and run with the code of today.
    @Test func `writes the test of the example, which fails with the code of release 1`() throws {
        let query = "SELECT id FROM Account WHERE cents < 0"
        let bank = try ToolStore([Account.self, Posting.self]) { try Release1.writeMonth(to: $0) }
        let path = bank.path("Overdraft")
        let outcome = try bank.run(
            "distill", "--violates", query, "--import", "Ledger", "--scrub", "Account.owner",
            "--into", path)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let example = Repository.root.appending(path: "Tests/ExampleTests/Overdraft")
        // The comments have the time of the event, and ids.
        let texts = try [URL(filePath: path), example].map { directory in
            let file = directory.appending(path: "OverdraftTests.swift")
            return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
                .filter { !$0.hasPrefix("///") }
        }
        #expect(texts[0] == texts[1])
        let archive = try Archive(
            at: URL(filePath: path + "/history.skyros"), entities: [Account.self, Posting.self])
        func isRed(_ command: any Skyros.Command.Type) throws -> Bool {
            let course = try WhatIf(in: archive, commands: [command]).starting(after: 1).run()
            return try !course.query(query).rows.isEmpty
        }
        #expect(try isRed(Release1.Transfer.self))
        #expect(try !isRed(Transfer.self))
    }

    @Test func `writes a test without types`() throws {
        let path = store.path("17 bug")
        let outcome = try store.run(
            "distill", "SELECT min(cents) >= 0 FROM Purse", "--into", path, "--json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let object = try #require(FieldValue(json: outcome.output).map)
        #expect(object["found"] == .bool(true) && object["records"] == .integer(2))
        #expect(object["events"] == .integer(2) && object["test"] == .text("Case17bugTests.swift"))
        let text = try String(contentsOfFile: path + "/Case17bugTests.swift", encoding: .utf8)
        #expect(!text.contains("commands:") && !text.contains("entities:"))
    }

    @Test func `shows no scrubbed value in the test, nor in its name`() throws {
        let original = store.directory.url.appending(path: "Eve 7.skyros")
        try FileManager.default.copyItem(at: store.directory.store, to: original)
        func outcome(into name: String, _ words: String...) throws -> Program.Outcome {
            try Program("skyros").run(
                ["distill", original.path, "--violates", Self.query, "--into", store.path(name)]
                    + words)
        }
        #expect(try outcome(into: "bug17", "--scrub", "Purse.owner").status == 0)
        let path = store.path("bug17/Bug17Tests.swift")
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(!text.contains("Eve 7") && text.contains("Event 34 of the original store breaks"))
        for name in ["Eve 7", "ann-Eve 7"] {
            let refused = try outcome(into: name, "--scrub", "Purse.owner")
            #expect(refused.status == 1 && refused.errors.contains("Eve 7"), "\(refused.errors)")
            #expect(!FileManager.default.fileExists(atPath: store.path(name)))
        }
        // Without --scrub it says which store it was.
        #expect(try outcome(into: "bug18").status == 0)
        let other = store.path("bug18/Bug18Tests.swift")
        let plain = try String(contentsOfFile: other, encoding: .utf8)
        #expect(plain.contains("Event 34 of Eve 7.skyros breaks"))
    }

    @Test func `says that nothing broke`() throws {
        let path = store.path("none")
        let outcome = try store.run("distill", "SELECT count(*) > 0 FROM Purse", "--into", path)
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("nothing was written"))
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `refuses what it cannot do`() throws {
        let path = store.path("none")
        for (words, status) in [
            ([], 2), ([Self.query], 2), (["--into", path], 2),
            ([Self.query, "--violates", Self.query, "--into", path], 2),
            (["--violates", Self.query, "--into", path, "--import", "1 x"], 2),
            (["--violates", Self.query, "--into", path, "--scrub", "Purse"], 2),
            (["--violates", Self.query, "--into", path, "--after", "5", "--to", "3"], 2),
            (["--violates", Self.query, "--into", path, "--keep", "Persue"], 1),
            (["--violates", "SELECT sequence FROM _events", "--into", path], 1),
            (["--violates", "SELECT x FROM Purse", "--into", path], 1),
            (["--violates", Self.query, "--into", store.directory.url.path], 1),
        ] as [([String], Int32)] {
            let outcome = try store.process("distill", words).outcome()
            #expect(outcome.status == status, "\(words) \(outcome.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
