import Foundation
import Skyros
import TestSupport
import Testing

@testable import SkyrosTool

@Suite struct `skyros sql` {
    private let store: ToolStore

    /// Three events; the last one takes away the only order.
    init() throws {
        store = try ToolStore([Note.self, Order.self]) { store in
            try store.write(by: "ann") { try $0.insert(Order(id: 1)) }
            try store.write(by: "bob") { try $0.insert(Note(id: 1, text: "first")) }
            try store.write(by: "bob") { tx in
                try tx.update(Note.self, 1) { $0.text = "second" }
                try tx.deleteAll(Order.self)
            }
        }
    }

    /// A shell that is asked again and again.
    private struct OpenShell {
        private let process: Process
        private let input = Pipe()
        private let output = Pipe()

        init(_ process: Process) throws {
            self.process = process
            (process.standardInput, process.standardOutput) = (input, output)
            try process.run()
        }

        func ask(_ text: String) throws -> String {
            try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
            return String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        }

        /// Ends the shell, and returns its exit code.
        func end() throws -> Int32 {
            try input.fileHandleForWriting.close()
            process.waitUntilExit()
            return process.terminationStatus
        }
    }

    private struct Order: Entity {
        var id: Int
        var total = 5
    }

    private struct Late: Entity {
        var id: Int
    }

    private func run(_ text: String, _ arguments: String...) throws -> Program.Outcome {
        let process = store.process("sql", arguments)
        let input = Pipe()
        process.standardInput = input
        try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        try input.fileHandleForWriting.close()
        return try process.outcome()
    }

    private func lines(_ text: String) throws -> [String] {
        let outcome = try run(text)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome.output.split(separator: "\n").map(String.init)
    }

    @Test func `answers statements at any moment`() throws {
        #expect(
            try lines(
                """
                SELECT text FROM Note;
                PRAGMA skyros_time = 2;
                SELECT text
                  FROM Note -- one; of two
                  ;
                pragma SKYROS_TIME = '-2'; SELECT 1;
                """
            ).filter { !$0.contains("after event") } == [
                "text", "second", "text", "first", "1", "1",
            ])
    }

    @Test func `moves to events, times and now`() throws {
        let moments = try lines(
            """
            PRAGMA skyros_time;
            PRAGMA skyros_time = 1;
            PRAGMA skyros_time=3
            ;
            PRAGMA skyros_time = "-1";
            PRAGMA skyros_time = 0;
            PRAGMA skyros_time = '2000-01-01';
            PRAGMA skyros_time = '1 second ago';
            PRAGMA skyros_time = NOW;
            """)
        let places = moments.map { $0.split(separator: " of ").first.map(String.init) }
        #expect(
            places.prefix(6) == [
                "now, after event 3", "after event 1", "after event 3", "after event 2",
                "before the first event", "before the first event",
            ])
        #expect(places.last == "now, after event 3")
        let json = try run("PRAGMA skyros_time = 1;", "--json")
        let object = try #require(FieldValue(json: json.output).map)
        #expect(object["sequence"] == .integer(1) && object["now"] == .bool(false))
    }

    @Test func `has the same tables at every moment`() throws {
        let lines = try lines(
            """
            PRAGMA skyros_time = 0;
            SELECT count(*) AS n FROM Note;
            SELECT count(*) AS n FROM "Order";
            SELECT count(*) AS n FROM _events;
            PRAGMA skyros_time = 1;
            SELECT total FROM "Order";
            SELECT actor FROM _events;
            .tables
            .schema
            """)
        #expect(lines.filter { $0 == "0" }.count == 3)
        #expect(
            lines.suffix(8)
                == [
                    "5", "actor", "ann", "Order", "Note", "_events", "_changes", "Order(id, total)",
                    "Note(id, text)",
                ].suffix(8))
    }

    @Test func `sees what is written meanwhile`() throws {
        let shell = try OpenShell(store.process("sql", []))
        let question = "SELECT count(*) AS n FROM Note;\n"
        #expect(try shell.ask(question) == "n\n1\n")
        let writer = try Store(at: store.directory.store, entities: Note.self, Order.self)
        try writer.write { try $0.insert(Note(id: 2, text: "third")) }
        #expect(try shell.ask(question) == "n\n2\n")
        #expect(try shell.ask("PRAGMA skyros_time = 3;\n").hasPrefix("after event 3"))
        try writer.write { try $0.insert(Note(id: 3, text: "fourth")) }
        #expect(try shell.ask(question) == "n\n1\n")
        #expect(try shell.ask("PRAGMA skyros_time = 5;\n").hasPrefix("after event 5"))
        #expect(try shell.ask(question) == "n\n3\n")
        #expect(try shell.end() == 0)
        try writer.close()
    }

    @Test func `sees what is left if its moment was pruned meanwhile`() throws {
        let shell = try OpenShell(store.process("sql", []))
        let question = "SELECT count(*) AS n FROM Note;\n"
        #expect(try shell.ask(question) == "n\n1\n")
        var options = Store.Options()
        options.segmentBytesMax = 2_000
        let writer = try Store(
            at: store.directory.store, entities: Note.self, Order.self, Late.self,
            options: options)
        try writer.write { try $0.insert(Late(id: 1)) }
        for id in 2...100 { try writer.write { try $0.insert(Note(id: id, text: "more")) } }
        _ = try #require(try writer.prune(before: .distantFuture))
        #expect(writer.firstSequence > 5)
        #expect(try shell.ask(question) == "n\n100\n")
        // Of pruned events, too.
        #expect(try shell.ask("SELECT count(*) AS n FROM Late;\n") == "n\n1\n")
        try writer.write { try $0.insert(Note(id: 101, text: "last")) }
        #expect(try shell.ask(question) == "n\n101\n")
        #expect(try shell.ask("PRAGMA skyros_time = now;\n").hasPrefix("now, after event 104 "))
        #expect(try shell.end() == 0)
        try writer.close()
    }

    @Test(
        arguments: [
            "SELECT * FROM Nothing;", "DELETE FROM Note;", "SELECT x; SELECT 2;", ".nothing",
            "PRAGMA skyros_time = 4;", "PRAGMA skyros_time = 'soon';", "SELECT",
        ])
    func `ends with the first error of a file`(text: String) throws {
        let outcome = try run("\(text)\nSELECT 7 AS seven;\n")
        #expect(outcome.status == 1)
        #expect(outcome.output.isEmpty && !outcome.errors.isEmpty)
    }

    @Test func `knows entities that are new, also after a moment of the past`() throws {
        let shell = try OpenShell(store.process("sql", []))
        #expect(try shell.ask("PRAGMA skyros_time = 1;\n").hasPrefix("after event 1"))
        let writer = try Store(
            at: store.directory.store, entities: Note.self, Order.self, Late.self)
        try writer.write { try $0.insert(Late(id: 1)) }
        try writer.close()
        #expect(try shell.ask("PRAGMA skyros_time = 4;\n").hasPrefix("after event 4"))
        #expect(try shell.ask("SELECT count(*) AS n FROM Late;\n") == "n\n1\n")
        #expect(try shell.ask("PRAGMA skyros_time = now;\n").hasPrefix("now, after event 4"))
        #expect(try shell.ask("SELECT count(*) AS n FROM Late;\n") == "n\n1\n")
        #expect(try shell.end() == 0)
    }

    @Test func `takes statements apart`() throws {
        func statements(_ lines: String...) -> [String] {
            var reader = StatementReader()
            return lines.flatMap { reader.add($0) } + [reader.rest]
        }
        #expect(statements("a; b;c") == ["a;", "b;", "c"])
        #expect(statements("a", "b", "; c") == ["a\nb\n;", "c"])
        #expect(statements("';' \";\" `;` [;];") == ["';' \";\" `;` [;];", ""])
        #expect(statements("a 'it''s;'", "';") == ["a 'it''s;'\n';"])
        #expect(statements("-- x; y", "/* ; */a--;", ";") == ["a--;\n;", ""])
        #expect(statements("a /* ;", "*/ b; ; ;") == ["a /* ;\n*/ b;", ""])
        #expect(statements("a - b / c * d;") == ["a - b / c * d;", ""])
        #expect(statements("") == [""])
    }

    @Test func `obeys nothing in a comment`() throws {
        #expect(try lines("/*\n.quit\n*/\nSELECT 1 AS one;") == ["one", "1"])
        #expect(try lines("-- a\n.quit\nSELECT 1 AS one;") == [])
        #expect(try lines("/* a") == [])
    }

    @Test func `ends with its input`() throws {
        #expect(try lines("") == [])
        #expect(try lines("\n \n") == [])
        #expect(try lines("SELECT 1 AS one") == ["one", "1"])
        #expect(try lines("SELECT 1 AS one;\n.quit \nSELECT 2;") == ["one", "1"])
        #expect(try lines("SELECT 1 AS one;;\n;\n-- done\n/* SELECT 2; */") == ["one", "1"])
        #expect(
            try lines("-- a; b\n/* c\n; */ PRAGMA skyros_time = 0; -- d").count == 1)
        #expect(try store.run("sql", "SELECT 1").status == 2)
    }
}
