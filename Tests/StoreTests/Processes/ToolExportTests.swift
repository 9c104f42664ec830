import Foundation
import Skyros
import TestSupport
import Testing

/// The output of `skyros show` and `skyros export`, and the arguments that they refuse.
@Suite struct `An export` {
    private let store: ToolStore

    init() throws {
        store = try ToolStore([Counter.self, Note.self, Restaurant.self]) { store in
            try store.write { try $0.insert(Counter(id: "a", value: 1)) }
            try store.write { try $0.insert(Note(id: 7, text: "n")) }
            try store.write { try $0.deleteAll(Note.self) }
        }
    }

    @Test(arguments: [
        ["show", "Nope"], ["show", "Nope", "7"], ["export", "Nope", "--format", "jsonl"],
        ["export", "Nope", "--format", "csv"],
    ])
    func `of an unknown entity lists the known ones`(words: [String]) throws {
        let outcome = try store.process(words[0], Array(words.dropFirst())).outcome()
        #expect(outcome.status == 1)
        #expect(outcome.output.isEmpty)
        #expect(
            outcome.errors
                == "skyros: unknownEntity: the store has no entity Nope at event 3; "
                + "known entities: Counter, Note\n")
        let earlier = try store.process(words[0], words.dropFirst() + ["--at", "1"]).outcome()
        #expect(earlier.errors.hasSuffix("at event 1; known entities: Counter\n"))
        let earliest = try store.process(words[0], words.dropFirst() + ["--at", "0"]).outcome()
        #expect(earliest.errors.hasSuffix("at event 0; known entities: none\n"))
    }

    @Test func `that fails leaves no file behind`() throws {
        let file = store.path("out")
        let outcome = try store.run("export", "Nope", "--format", "jsonl", "--into", file)
        #expect(outcome.status == 1)
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test(.enabled(if: !Sanitizer.isEnabled, "a sanitizer writes larger files"))
    func `to SQLite that fails leaves no file behind`() throws {
        let file = store.path("out.sqlite")
        let process = store.process("export", ["--format", "sqlite", "--into", file])
        process.limitFiles(toBlocks: 2)
        let outcome = try process.outcome()
        #expect(outcome.status == 1)
        #expect(outcome.errors.hasPrefix("skyros: checkpointFailed: "))
        #expect(outcome.errors.contains("out.sqlite"))
        #expect(!FileManager.default.fileExists(atPath: file))
        #expect(!FileManager.default.fileExists(atPath: file + "-journal"))
    }

    @Test func `of an entity whose records are all gone is empty`() throws {
        #expect(try store.run("show", "Note").status == 0)
        #expect(try store.run("show", "Note").output.isEmpty)
        #expect(try store.run("export", "Note", "--format", "jsonl").status == 0)
    }

    @Test func `to SQLite takes no entity`() throws {
        let file = store.path("one.sqlite")
        let outcome = try store.run("export", "Counter", "--format", "sqlite", "--into", file)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("a SQLite file holds all entities"))
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test(arguments: ["jsonl", "csv", "sqlite"])
    func `refuses to overwrite a file`(format: String) throws {
        let file = store.path("there")
        try Data("mine".utf8).write(to: URL(filePath: file))
        let entity = format == "sqlite" ? [] : ["Counter"]
        let outcome = try store.process(
            "export", entity + ["--format", format, "--into", file]
        ).outcome()
        #expect(outcome.status == 1)
        #expect(
            outcome.errors
                == "skyros: invalidInput: \(file) exists already; "
                + "remove it or name another\n")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
    }

    @Test(arguments: ["jsonl", "csv"])
    func `names a directory that is missing`(format: String) throws {
        let file = store.path("missing/out")
        let outcome = try store.run("export", "Counter", "--format", format, "--into", file)
        #expect(outcome.status == 1)
        #expect(
            outcome.errors == "skyros: io: \(file) cannot be created: No such file or directory\n")
    }

    @Test func `to SQLite names a directory that is missing`() throws {
        let file = store.path("missing/out")
        for outcome in try [
            store.run("export", "--format", "sqlite", "--into", file),
            store.run("rebuild", "--into", file),
        ] {
            #expect(outcome.status == 1)
            #expect(outcome.errors.hasPrefix("skyros: checkpointFailed: "))
            #expect(outcome.errors.contains("Check that the directory exists"))
            #expect(!outcome.errors.contains("NSCocoaErrorDomain"))
        }
    }

    @Test func `into a file equals what it prints`() throws {
        for format in ["jsonl", "csv"] {
            let file = store.path("out.\(format)")
            let output = try store.run("export", "Counter", "--format", format).output
            let outcome = try store.run("export", "Counter", "--format", format, "--into", file)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.output.isEmpty)
            #expect(try String(contentsOfFile: file, encoding: .utf8) == output)
            #expect(!output.isEmpty)
        }
    }
}
