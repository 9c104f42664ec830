import Foundation
import Skyros
import TestSupport
import Testing

private struct Person: Entity, Equatable {
    var id: Int
    var name: String
    var zip: String?
    var height: Double?
    var isMember: Bool?
    var born: Date?
}

private struct Event: Entity, Equatable {
    var id: UUID
    var at: Date
    var note: String
}

/// The place of a store that does not exist yet, and files to import.
private struct ImportPlace {
    let directory: TemporaryDirectory
    let tool: Program

    init() throws {
        directory = try TemporaryDirectory()
        tool = try Program("skyros")
    }

    var store: URL { directory.store }

    func write(_ text: String, to name: String) throws -> String {
        try directory.write(Array(text.utf8), to: name)
        return directory.path(name)
    }

    func run(_ words: String...) throws -> Program.Outcome {
        try tool.run(["import", store.path] + words)
    }

    var exists: Bool { FileManager.default.fileExists(atPath: store.path) }
}

@Suite struct `An import of CSV` {
    private let place: ImportPlace

    init() throws {
        place = try ImportPlace()
    }

    @Test func `finds the kinds of the columns`() throws {
        let file = try place.write(
            """
            id,name,zip,height,isMember,born
            1,"Jo, ""the"" \nman",01234,1.8,true,2001-01-01T00:00:00.1Z\r
            2,=1+1,,2,false,1999-12-31T23:59:58.75+01:00
            3,"",99999,,,

            """, to: "people.csv")
        let check = try place.run(file, "--entity", "Person", "--check")
        #expect(check.status == 0)
        #expect(
            check.output == """
                Person: 3 records
                    born  date
                    height  double
                    id  integer
                    isMember  bool

                """)
        #expect(!place.exists)
        let outcome = try place.run(file, "--entity", "Person", "--by", "ann")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.hasPrefix("entity  inserted  replaced  unchanged\nPerson  3 "))
        let store = try Store(at: place.store, entities: Person.self)
        let first = Date(timeIntervalSinceReferenceDate: 0.1)
        let second = Date(timeIntervalSinceReferenceDate: -31_626_001.25)
        #expect(
            try store.all(Person.self) == [
                Person(
                    id: 1, name: "Jo, \"the\" \nman", zip: "01234", height: 1.8, isMember: true,
                    born: first),
                Person(id: 2, name: "=1+1", height: 2, isMember: false, born: second),
                Person(id: 3, name: "", zip: "99999"),
            ])
        let metadata = try #require(try Array(store.events()).first).metadata
        #expect(metadata.actor == "ann")
        #expect(metadata.reason == "import of people.csv")
        #expect(metadata.correlation?.hasPrefix("import-") == true)
    }

    @Test(arguments: [
        ("id,a\n1,x\n2\n", "line 3: it has 1 cells, and the heading has 2"),
        ("id,a\n1,x\n\n2,\"y\n", "line 4: a cell in quotes does not end"),
        ("id,a\n1,\"x\"y\n", "line 2: a cell continues after its closing quote"),
        ("id,a\n1,x\"y\n", "line 2: a quote in a cell that does not begin with one"),
        ("id,a\n1,\"x\ny\"\n2,z,z\n", "line 4: it has 3 cells, and the heading has 2"),
        ("id,a\n1,x\n,y\n", "line 3: the cell of the id, id, is empty"),
        ("id,a\n1,x\n2,y\n1,z\n", "line 4: P 1 is there twice, first in line 2"),
        ("id,id\n1,2\n", "line 1: the heading has the column id twice"),
        ("a,b\n1,2\n", "line 1: there is no column id; name the column of the id with --id"),
        ("", "line 1: there is no heading"),
    ])
    func `names a broken line and imports nothing`(text: String, error: String) throws {
        let file = try place.write(text, to: "broken.csv")
        let outcome = try place.run(file, "--entity", "P")
        #expect(outcome.status == 1)
        #expect(outcome.errors.hasPrefix("skyros: invalidInput: \(error)"))
        #expect(outcome.errors.contains("Nothing was imported"))
        #expect(!place.exists)
    }

    @Test func `names a line that is not UTF-8, and a value of the wrong kind`() throws {
        try place.directory.write(Array("id,a\n1,x\n2,".utf8) + [0xFF, 0x0A], to: "a.csv")
        let encoding = try place.run(place.directory.path("a.csv"), "--entity", "P")
        #expect(encoding.errors.hasPrefix("skyros: invalidInput: line 3: a cell is not UTF-8"))
        let file = try place.write("id,a\n1,7\n2,x\n", to: "b.csv")
        let kind = try place.run(file, "--entity", "P", "--type", "a=integer")
        #expect(kind.errors.contains("invalidInput: line 3: a is \"x\", which is no integer"))
        #expect(!place.exists)
    }

    @Test func `renames columns, and takes kinds and the id from its arguments`() throws {
        let file = try place.write("code;full\n007;Bond\n", to: "agents.csv")
        let outcome = try place.run(
            file, "--entity", "Agent", "--id", "id", "--rename", "code=id", "--rename", "full=name",
            "--separator", ";", "--json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(
            outcome.output.hasPrefix(
                #"{"correlation":"import-"#) && outcome.output.contains(#""inserted":1"#))
        let store = try Store(untypedAt: place.store)
        let record = try #require(try store.record("Agent", RecordID("007")))
        #expect(record["id"] == "007" && record["name"] == "Bond")
    }

    @Test func `replaces no other record unless it is asked to`() throws {
        let old = try place.write("id,name\n1,a\n2,b\n", to: "old.csv")
        #expect(try place.run(old, "--entity", "Person").status == 0)
        let new = try place.write("id,name\n3,c\n2,other\n", to: "new.csv")
        let refused = try place.run(new, "--entity", "Person")
        #expect(refused.status == 1)
        #expect(refused.errors.hasPrefix("skyros: duplicateID: line 3: the store has another"))
        #expect(try Archive(at: place.store).newestSnapshot().count("Person") == 2)
        let replaced = try place.run(new, "--entity", "Person", "--replace")
        #expect(replaced.output.contains("Person  1         1         0"))
        // Nothing is left to do.
        let again = try place.run(new, "--entity", "Person")
        #expect(again.output.contains("Person  0         0         2"))
        #expect(try Archive(at: place.store).sequence == 2)
    }

    @Test func `continues after a crash where it ended`() throws {
        let lines = (0..<30_000).map { "\($0),name \($0)\n" }.joined()
        let file = try place.write("id,name\n" + lines, to: "many.csv")
        let process = place.tool.process(["import", place.store.path, file, "--entity", "Person"])
        (process.standardOutput, process.standardError) = (
            FileHandle.nullDevice, FileHandle.nullDevice
        )
        try process.run()
        while process.isRunning, ((try? Archive(at: place.store).sequence) ?? 0) == 0 {}
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        let before = try Archive(at: place.store).newestSnapshot().count("Person")
        #expect(0 < before && before < 30_000)
        let outcome = try place.run(file, "--entity", "Person", "--json")
        #expect(outcome.output.contains(#""inserted":\#(30_000 - before),"#))
        #expect(outcome.output.contains(#""unchanged":\#(before)"#))
        let store = try Store(at: place.store, entities: Person.self)
        #expect(try store.count(Person.self) == 30_000)
        let correlations = try Set(Array(store.events()).map(\.metadata.correlation))
        #expect(correlations.count == 1)
    }

    @Test(arguments: [
        ["x.csv"], ["x.csv", "y.csv", "--entity", "P"], ["x"], ["x.csv", "--entity", ""],
        ["x.csv", "--entity", "P", "--type", "a=colour"],
        ["x.csv", "--entity", "P", "--type", "a"], ["x.csv", "--entity", "P", "--table", "t"],
        ["x.csv", "--entity", "P", "--separator", "::"],
        ["x.sqlite", "--entity", "P"], ["x.csv", "--entity", "P", "--format", "xml"], [],
    ])
    func `refuses arguments that make no sense`(words: [String]) throws {
        let outcome = try place.tool.run(["import", place.store.path] + words)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("usage: skyros import STORE FILE"))
        #expect(!place.exists)
    }

    @Test func `says that a file cannot be read`() throws {
        for name in ["missing.csv", "missing.sqlite"] {
            let arguments = name.hasSuffix("csv") ? ["--entity", "P"] : []
            let path = place.directory.path(name)
            let outcome = try place.tool.run(["import", place.store.path, path] + arguments)
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains(name))
        }
        #expect(!place.exists)
    }
}

@Suite struct `An import of JSON lines` {
    private let place: ImportPlace

    init() throws {
        place = try ImportPlace()
    }

    @Test func `restores what was exported`() throws {
        let source = place.directory.url.appending(path: "Source.skyros")
        let dates = [0.1, -0.25, 700_000_000.123456, 1e9, -62_000_000_000.5]
        let events = dates.map { seconds in
            Event(id: UUID(), at: Date(timeIntervalSinceReferenceDate: seconds), note: "n")
        }
        let people = (1...3).map { Person(id: $0, name: "\($0)", height: 1.5, isMember: false) }
        let store = try Store(at: source, entities: Event.self, Person.self)
        try store.write { tx in
            try tx.insert(events)
            try tx.insert(people)
        }
        let digest = try store.snapshot.digest()
        try store.close()
        let file = place.directory.path("export.jsonl")
        let export = try place.tool.run(
            "export", source.path, "--format", "jsonl", "--into", file)
        #expect(export.status == 0, "\(export.errors)")
        let outcome = try place.run(file)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let copy = try Store(at: place.store, entities: Event.self, Person.self)
        #expect(try copy.snapshot.digest() == digest)
    }

    @Test func `takes plain objects of one entity`() throws {
        let file = try place.write(
            #"{"id":1,"name":"a"}"# + "\n\n" + #"{"id":2,"name":"b","height":2.5}"#, to: "p.jsonl")
        #expect(try place.run(file, "--entity", "Person").status == 0)
        let store = try Store(at: place.store, entities: Person.self)
        #expect(
            try store.all(Person.self) == [
                Person(id: 1, name: "a"), Person(id: 2, name: "b", height: 2.5),
            ])
    }

    @Test(arguments: [
        ("{\"id\": 1}\n{\"id\": 2,}\n", "line 2: it is no JSON"),
        ("[1]\n", "line 1: it is no JSON object"),
        ("\n{\"name\": \"a\"}\n", "line 2: there is no field id"),
        ("{\"id\": 1}\n{\"id\": 1}", "line 2: P 1 is there twice, first in line 1"),
    ])
    func `names a broken line and imports nothing`(text: String, error: String) throws {
        let file = try place.write(text, to: "broken.jsonl")
        let outcome = try place.run(file, "--entity", "P")
        #expect(outcome.status == 1)
        #expect(outcome.errors.hasPrefix("skyros: invalidInput: \(error)"))
        #expect(!place.exists)
    }

    @Test func `needs an entity for plain objects`() throws {
        let file = try place.write("{\"id\": 1}", to: "a.jsonl")
        let outcome = try place.run(file)
        #expect(outcome.errors.hasPrefix("skyros: invalidInput: line 1: it names no entity"))
    }
}
