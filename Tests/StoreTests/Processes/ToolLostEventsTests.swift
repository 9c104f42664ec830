import Foundation
import Skyros
import TestSupport
import Testing

/// The tool on stores that cannot be read to their end.
@Suite struct `A store whose end is lost` {
    private let directory: TemporaryDirectory
    private let tool: Program

    init() throws {
        directory = try TemporaryDirectory()
        tool = try Program("skyros")
    }

    private var events: URL { directory.store.appending(path: "events") }

    private func write(_ ids: ClosedRange<Int>) throws {
        let store = try Store(at: directory.store, entities: Note.self)
        for id in ids { try store.write { try $0.insert(Note(id: id, text: "n\(id)")) } }
        try store.close()
    }

    private func run(_ command: String, _ arguments: String...) throws -> Program.Outcome {
        try tool.run([command, directory.store.path] + arguments)
    }

    @Test func `is reported by every command that shows its newest state, and saved`() throws {
        try write(1...3)
        let older = directory.url.appending(path: "older")
        try FileManager.default.copyItem(at: events, to: older)
        try write(4...5)
        try FileManager.default.removeItem(at: events)
        try FileManager.default.moveItem(at: older, to: events)
        for arguments in [["show"], ["query", "SELECT id FROM Note"]] {
            let outcome = try tool.run(
                [arguments[0], directory.store.path] + arguments.dropFirst())
            #expect(outcome.status == 1, "\(arguments)")
            #expect(outcome.errors.contains("logBehindCheckpoint: the checkpoint holds event 5"))
        }
        let then = directory.url.appending(path: "then.sqlite").path
        for arguments in [
            ["replay"], ["log"], ["history", "Note", "1"], ["schema"], ["rebuild", "--into", then],
        ] {
            let outcome = try tool.run(
                [arguments[0], directory.store.path] + arguments.dropFirst())
            #expect(outcome.status == 0, "\(arguments)")
            #expect(
                outcome.errors.contains(
                    "warning: the log ends at event 3, and the checkpoint holds event 5"))
        }
        #expect(try run("log", "--to", "2").errors.isEmpty)
        #expect(try run("rebuild").errors.contains("logBehindCheckpoint"))
        #expect(try run("show", "--at", "2").errors.isEmpty)
        #expect(try run("info").output.contains("events 4 to 5, which only the checkpoint holds"))
        let info = try FieldValue(json: try run("info", "--json").output)
        #expect(info["lostEvents"] == ["from": 4, "to": 5])
        let copy = directory.url.appending(path: "Copy.skyros").path
        let salvaged = try FieldValue(json: run("salvage", "--into", copy, "--json").output)
        #expect(salvaged["isComplete"] == false && salvaged["lostEvents"] == ["from": 4, "to": 5])
        let adopted = directory.url.appending(path: "Adopted.skyros").path
        let outcome = try run("salvage", "--into", adopted, "--from-checkpoint")
        #expect(outcome.status == 0)
        #expect(outcome.output.hasPrefix("saved: the records as of event 5, without their history"))
        let log = try tool.run("log", adopted, "--json").output
        #expect(log.contains(#""+adopted":{"chain":"#))
        #expect(try tool.run("show", adopted).output.split(separator: "\n").count == 5)
        #expect(try tool.run("verify", adopted).status == 0)
        let wrong = try run("salvage", "--into", "x", "--from-checkpoint", "--after-gap", "y")
        #expect(wrong.status == 2)
    }

    @Test func `by damage can be read as of any event before it`() throws {
        try write(1...9)
        let file = events.appending(path: "00000000000000000001.open")
        var bytes = try Data(contentsOf: file)
        let place = try #require(bytes.range(of: Data("n7".utf8)))
        bytes[place.lowerBound] ^= 1
        try bytes.write(to: file)
        #expect(try run("show").status == 1)
        #expect(try run("show", "--at", "7").errors.contains("logCorrupt"))
        let shown = try run("show", "--at", "6", "Note")
        #expect(shown.status == 0 && shown.output.split(separator: "\n").count == 6)
        #expect(try run("query", "SELECT count(*) FROM Note", "--at", "2").output.contains("2"))
        #expect(try run("replay", "--to", "6").status == 0)
        let archive = try Archive(at: directory.store, reading: .upToDamage)
        let last = try #require(try archive.event(6)).time.date
        let before = try Archive.reading(
            asOf: .date(last.addingTimeInterval(-60)), at: directory.store)
        #expect(try before.snapshot(asOf: .sequence(6)).count("Note") == 6)
        for moment in [Moment.date(last), .date(.now), .sequence(7), nil] {
            #expect(throws: StoreError(.logCorrupt, "")) {
                try Archive.reading(asOf: moment, at: directory.store)
            }
        }
    }

    @Test func `to a newer version is not called damaged`() throws {
        try write(1...2)
        try Data([1]).write(to: events.appending(path: "00000000000000000009.floor.age"))
        let outcome = try run("verify")
        #expect(outcome.status == 1)
        #expect(outcome.output.hasPrefix("problem: unsupportedFormat: events/0000"))
        #expect(outcome.output.hasSuffix("not verified: this version cannot read the log\n"))
        let other = directory.url.appending(path: "Copy.skyros").path
        #expect(try run("salvage", "--into", other).errors.contains("unsupportedFormat"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: events.path).count == 2)
    }
}
