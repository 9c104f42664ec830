import Foundation
import Skyros
import SkyrosDisk
import SkyrosTesting
import TestSupport
import Testing

/// The events that `skyros log` lists.
@Suite struct `A listing of events` {
    private struct Import: DomainCommand {
        var file: String
    }
    private let store: ToolStore
    /// The time of each event.
    private let times: [EventTime]

    init() throws {
        var times: [EventTime] = []
        store = try ToolStore([Counter.self, Note.self]) { store in
            try store.write(
                by: "a", because: "first import",
                metadata: Metadata(correlation: "c1", tags: ["k": "1", "l": "x=y"])
            ) { try $0.insert(Counter(id: "a", value: 1)) }
            try store.write(
                by: "b",
                metadata: Metadata(
                    correlation: "c2", causation: "c1",
                    occurredAt: Date(timeIntervalSince1970: 86_400), tags: ["k": "2"])
            ) { try $0.insert(Note(id: 7, text: "n")) }
            try store.write(by: "a", intent: Import(file: "f")) {
                try $0.update(Counter.self, "a") { $0.value = 2 }
            }
            try store.write { try $0.delete(Note.self, 7) }
            try store.events(1...).forEach { times.append($0.time) }
        }
        self.times = times
    }

    private func sequences(_ words: String...) throws -> [Int] {
        let outcome = try store.process("log", words + ["--json"]).outcome()
        #expect(outcome.status == 0, "\(outcome.errors)")
        return try outcome.output.split(separator: "\n").compactMap {
            guard case .map(let object) = try FieldValue(json: String($0)) else { return nil }
            return object["sequence"]?.integer.map { Int($0) }
        }
    }

    @Test func `is filtered by metadata and intent`() throws {
        #expect(try sequences("--reason", "import") == [1])
        #expect(try sequences("--tag", "k") == [1, 2])
        #expect(try sequences("--tag", "k=2", "--tag", "k") == [2])
        #expect(try sequences("--tag", "l=x=y") == [1])
        #expect(try sequences("--tag", "k=3").isEmpty)
        #expect(try sequences("--correlation", "c1") == [1])
        #expect(try sequences("--causation", "c1") == [2])
        #expect(try sequences("--intent", "Import") == [3])
        #expect(try sequences("--actor", "a", "--entity", "Counter") == [1, 3])
    }

    @Test func `ends at a limit and runs in both directions`() throws {
        #expect(try sequences("--limit", "2") == [1, 2])
        #expect(try sequences("--reverse") == [4, 3, 2, 1])
        #expect(try sequences("--reverse", "--limit", "1", "--actor", "a") == [3])
        #expect(try sequences("--reverse", "--id", "7", "--from", "2") == [4, 2])
        #expect(try sequences("--limit", "0").isEmpty)
        #expect(try sequences("--from", "9").isEmpty)
    }

    @Test func `begins and ends at times, both included`() throws {
        let (second, third) = (times[1].description, times[2].description)
        #expect(try sequences("--since", second, "--until", third) == [2, 3])
        #expect(try sequences("--reverse", "--since", second, "--until", third) == [3, 2])
        let later = EventTime(microseconds: times[1].microseconds + 1)
        #expect(try sequences("--since", later.description).first == 3)
        let day = String(times[3].description.prefix(10))
        let before = String(times[0].description.prefix(10))
        // A date means its end in --until, and its start in --since.
        #expect(try sequences("--until", day, "--since", before) == [1, 2, 3, 4])
        #expect(try sequences("--since", "1 hour ago") == [1, 2, 3, 4])
        #expect(try sequences("--until", "2 weeks ago").isEmpty)
    }

    @Test(.mayHang) func `that follows shows no event before the time at which it begins`() throws {
        let hour: Int64 = 3_600_000_000
        let since = EventTime(microseconds: times[3].microseconds + hour)
        let process = store.process(
            "log", ["--follow", "--limit", "1", "--json", "--since", since.description])
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        // Processes that were started later have ended, so this one most likely waits for events.
        for _ in 1...2 { #expect(try store.run("log").status == 0) }
        let clock = ManualClock(microseconds: times[3].microseconds + hour / 2)
        let disk = try PosixDisk(path: store.directory.store.path, creating: false)
        let writer = try Store.simulated(
            [Counter.self, Note.self], Store.Options(), Environment(disk: disk, clock: clock))
        try writer.write { try $0.insert(Note(id: 8, text: "early")) }
        clock.advance(byMicroseconds: hour)
        try writer.write { try $0.insert(Note(id: 9, text: "late")) }
        try writer.close()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(try FieldValue(json: String(decoding: text, as: UTF8.self))["sequence"] == 6)
    }

    @Test func `reads only the parts of the log that it lists`() throws {
        let archive = try Archive(at: store.directory.store)
        for (index, time) in times.enumerated() {
            #expect(try archive.firstSequence(since: time).rawValue == UInt64(index) + 1)
        }
        #expect(try archive.firstSequence(since: EventTime(microseconds: .max)) == 5)
        #expect(try archive.firstSequence(since: EventTime(microseconds: .min)) == 1)
    }

    @Test func `shows correlation, causation, tags, intent and when it happened`() throws {
        let lines = try store.run("log").output.split(separator: "\n")
        #expect(lines[0].hasSuffix("a  \"first import\"  correlation c1 k=1 l=x=y"))
        let occurredAt = "1970-01-02T00:00:00.000000Z"
        #expect(lines[2].hasSuffix("b  correlation c2 causation c1 occurred \(occurredAt) k=2"))
        let json = try store.run("log", "--json").output.split(separator: "\n")
        #expect(json[1].contains("\"occurredAt\":\"\(occurredAt)\""))
        #expect(!json[0].contains("occurredAt"))
        #expect(lines[4].hasSuffix("a  Import {\"file\":\"f\"}"))
    }

    @Test func `shows the idempotency key of a write`() throws {
        let store = try ToolStore([Note.self]) { store in
            try store.write(once: "req \"1\"", by: "a") { try $0.insert(Note(id: 1, text: "n")) }
            try store.write(by: "a") { try $0.delete(Note.self, 1) }
        }
        let lines = try store.run("log").output.split(separator: "\n")
        #expect(lines[0].hasSuffix("a  once \"req \\\"1\\\"\""))
        #expect(lines[2].hasSuffix("  a"))
        let json = try store.run("log", "--json").output.split(separator: "\n")
        #expect(json[0].contains("\"key\":\"req \\\"1\\\"\""))
        #expect(!json[1].contains("\"key\""))
        let rows = try store.run("query", "SELECT key FROM _events WHERE key IS NOT NULL", "--json")
        #expect(rows.output == "{\"key\":\"req \\\"1\\\"\"}\n")
    }

    @Test func `shows version, result and ids of a command that was performed`() throws {
        struct Add: Command {
            static let commandVersion = 2
            var text: String

            func run(_ tx: inout WriteTransaction) throws -> [String] {
                let id = tx.newID().uuidString.lowercased()
                try tx.insert(Note(id: 1, text: id))
                return [text, id]
            }
        }
        let store = try ToolStore([Note.self]) { try $0.perform(Add(text: "n"), by: "a") }
        let row = try store.run("query", "SELECT result, intent, command FROM _events")
        let line = try #require(try store.run("log").output.split(separator: "\n").first)
        let id = String(try #require(line.split(separator: "\"").last { $0.count == 36 }))
        #expect(line.hasSuffix("a  Add {\"text\":\"n\"} = [\"n\",\"\(id)\"]"))
        let json = try store.run("log", "--json").output
        #expect(
            json.contains(
                "\"intent\":{\"ids\":[\"\(id)\"],\"name\":\"Add\",\"result\":[\"n\",\"\(id)\"],"
                    + "\"value\":{\"text\":\"n\"},\"version\":2}"))
        #expect(row.output.contains("[\"n\",\"\(id)\"]"))
    }

    @Test func `of an unknown entity or record names those that exist`() throws {
        for (words, error) in [
            (
                ["--entity", "Nope"],
                "unknownEntity: the store has no entity Nope at event 4; "
                    + "known entities: Counter, Note"
            ),
            (
                ["--id", "x"],
                "notFound: no event changes a record x; ids at event 4: Counter: a"
            ),
            (
                ["--id", "7", "--entity", "Counter"],
                "notFound: no event changes a record Counter 7; ids at event 4: Counter: a"
            ),
        ] {
            let outcome = try store.process("log", words).outcome()
            #expect(outcome.status == 1 && outcome.output.isEmpty)
            #expect(outcome.errors == "skyros: \(error)\n")
        }
        // The entity exists, but not in this part of the log.
        #expect(try sequences("--entity", "Note", "--to", "1").isEmpty)
    }

    @Test(arguments: [
        ("2026-02-30", "there is no day \"2026-02-30\""), ("2025-02-29", "there is no day"),
        ("2026-13-01", "there is no day"), ("2026-01-00", "there is no day"),
        ("2026-03-01T25:00", "there is no time of day \"25:00\""),
        ("2026-03-01T23:60", "there is no time of day"),
        ("2026-03-01T12:00:60Z", "there is no time of day"),
        ("2026-03-01T12:00+24:00", "there is no time zone \"+24:00\""),
        ("2026-3-1", "--since takes a time"), ("2026-03-01T1:00", "is no time"),
        ("2026-03-01T", "--since takes a time"), ("12:00", "--since takes a time"),
        ("", "--since takes a time"), ("٢٠٢٦-03-01", "--since takes a time"),
        ("2026-03-01 ", "--since takes a time"), ("5", "--since takes a time"),
        ("999999999 weeks ago", "there is no time"), ("999999999 days ago", "there is no time"),
    ])
    func `refuses a time that does not exist`(text: String, error: String) throws {
        let outcome = try store.run("log", "--since", text)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains(error), "\(outcome.errors)")
    }

    @Test(arguments: [
        ["--from", "-1"], ["--from", "+1"], ["--to", "1.5"], ["--limit", "x"], ["--limit", ""],
        ["--actor", "a", "--actor", "b"], ["--follow", "--reverse"], ["--from"], ["more"],
    ])
    func `refuses malformed arguments`(words: [String]) throws {
        let outcome = try store.process("log", words).outcome()
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("usage: skyros log STORE"))
    }
}
