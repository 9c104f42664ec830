import Foundation
import Skyros
import SkyrosTesting
import TestSupport
import Testing

@testable import SkyrosTool

private struct Rename: Skyros.Command {
    var id: Int
    var text: String

    func run(_ tx: inout WriteTransaction) throws {
        try tx.update(Note.self, id) { $0.text = text }
    }
}

@Suite struct `skyros stats and what-if` {
    private let store: ToolStore

    /// Events: 1 to 3 insert notes, 4 renames one, 5 deletes one, 6 deletes all.
    init() throws {
        store = try ToolStore([Note.self]) { store in
            for id in 1...3 {
                try store.write(metadata: Metadata(actor: "ann", correlation: "import")) {
                    try $0.insert(Note(id: id, text: "note"))
                }
            }
            try store.perform(Rename(id: 2, text: "two"), by: "bob")
            try store.write { try $0.delete(Note.self, 1) }
            try store.write(by: "ann") { try $0.deleteAll(Note.self) }
        }
    }

    private func objects(_ outcome: Program.Outcome) throws -> [NamedValues<FieldValue>] {
        try outcome.output.split(separator: "\n")
            .compactMap { try FieldValue(json: String($0)).map }
    }

    private func counts(_ object: NamedValues<FieldValue>) -> [FieldValue?] {
        ["events", "inserted", "updated", "deleted"].map { object[$0] }
    }

    @Test func `adds up events, changes and records`() throws {
        let outcome = try store.run("stats", "--json", "--by", "year")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let objects = try objects(outcome)
        let year = try #require(objects.first)
        #expect(year["year"] != nil)
        #expect(counts(year) == [.integer(6), .integer(3), .integer(1), .integer(3)])
        #expect(year["records"] == .integer(0))
        let actors = objects.filter { $0["actor"] != nil }
        #expect(actors.map { $0["actor"] } == [.text("ann"), .null, .text("bob")])
        #expect(actors.map { $0["events"] } == [.integer(4), .integer(1), .integer(1)])
        let entity = try #require(objects.first { $0["entity"] == .text("Note") })
        #expect(counts(entity) == counts(year))
        let command = try #require(objects.first { $0["command"] != nil })
        #expect(command["command"] == .text("Rename") && command["updated"] == .integer(1))
        let total = try #require(objects.last)
        #expect(counts(total) == counts(year))
        #expect(total["actors"] == .integer(3) && total["openingMilliseconds"] != nil)
        #expect(total["bytes"] == year["bytes"])
    }

    @Test func `prints tables`() throws {
        let outcome = try store.run("stats", "--top", "1")
        #expect(outcome.status == 0, "\(outcome.errors)")
        for part in [
            "day", "records", "ann", "and 2 more, see --top", "Note", "Rename",
            "6, with 7 changes", "growth", "opening",
        ] {
            #expect(outcome.output.contains(part), "\(part)")
        }
        #expect(!outcome.output.contains("bob"))
    }

    @Test func `has nothing to say of an empty store`() throws {
        let empty = try ToolStore([Note.self]) { _ in }
        let outcome = try empty.run("stats")
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("0, with 0 changes"))
    }

    @Test func `knows the records at the end of each day, and the growth`() throws {
        let clock = ManualClock(microseconds: 0)
        let disk = SimulatedDisk()
        let store = try Store(on: disk, entities: Note.self, clock: clock)
        var statistics = LogStatistics(by: .day)
        for day in 0..<40 {
            for id in 0...day % 2 {
                try store.write { try $0.insert(Note(id: day * 10 + id, text: "")) }
            }
            clock.advance(byMicroseconds: 86_400_000_000)
        }
        try store.archive().forEachEvent { statistics.add($0, byteCount: $1) }
        #expect(statistics.periods.count == 40)
        #expect(statistics.periods[1].name == "1970-01-02")
        #expect(statistics.periods.map(\.tally.events).prefix(4) == [1, 2, 1, 2])
        #expect(statistics.daily.events == 1.5)
        #expect(statistics.total.events == 60)
        #expect(statistics.total.bytes == statistics.periods.reduce(0) { $0 + $1.tally.bytes })
        for (period, count) in [("hour", 40), ("month", 2), ("year", 1)] {
            let period = try #require(LogStatistics.Period(rawValue: period))
            var statistics = LogStatistics(by: period)
            try store.archive().forEachEvent { statistics.add($0, byteCount: $1) }
            #expect(statistics.periods.count == count)
        }
    }

    @Test(arguments: [1, 2, 40] as [Int64])
    func `adds up the last day if the clock was set back`(days: Int64) throws {
        var statistics = LogStatistics(by: .day)
        for (number, day) in [(1, 100), (2, 100), (3, 100 - days)] as [(UInt64, Int64)] {
            let event = Event(
                sequence: SequenceNumber(rawValue: number),
                time: EventTime(microseconds: day * 86_400_000_000), metadata: Metadata(),
                intent: nil, changes: [])
            statistics.add(event, byteCount: 7)
        }
        #expect(statistics.daily.events == 1 && statistics.daily.bytes == 7)
    }

    @Test func `adds up what no store has written`() throws {
        var statistics = LogStatistics(by: .day)
        for (number, time) in [(1, Int64.min), (2, -1), (3, 0), (4, .max)] {
            let event = Event(
                sequence: SequenceNumber(rawValue: UInt64(number)),
                time: EventTime(microseconds: time), metadata: Metadata(), intent: nil,
                changes: [.cleared(entity: "Note", count: .max)])
            statistics.add(event, byteCount: 1)
        }
        #expect(statistics.total.deleted == .max && statistics.total.changes == .max)
        #expect(statistics.periods.count == 4)
    }

    @Test(arguments: [["--by", "week"], ["--top", "x"], ["more"]])
    func `refuses other arguments`(arguments: [String]) throws {
        #expect(try store.process("stats", arguments).outcome().status == 2)
    }

    // MARK: what-if

    @Test func `shows the records without an event`() throws {
        let outcome = try store.run("what-if", "--skip", "6", "--json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let objects = try objects(outcome)
        #expect(objects.map { $0["kind"] } == [.text("inserted"), .text("inserted"), nil])
        #expect(objects.compactMap { $0["after"]?.map?["text"] } == [.text("two"), .text("note")])
        #expect(objects.last?["differences"] == .integer(2))
        #expect(objects.last?["skipped"] == .integer(1))
    }

    @Test func `names the events that do not fit`() throws {
        let outcome = try store.run(
            "what-if", "--skip-correlation", "import", "--to", "5", "--entity", "Note")
        #expect(outcome.status == 0)
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.first == "- Note 2")
        #expect(lines.contains("! event 4: there is no Note 2"))
        #expect(lines.contains("! event 5: there is no Note 1"))
        #expect(lines.last?.hasPrefix("without 3 events, 2 records would differ") == true)
        #expect(lines.last?.hasSuffix(" after event 5; 2 other events do not fit") == true)
    }

    @Test func `skips ranges and actors`() throws {
        func skipped(_ arguments: String...) throws -> FieldValue? {
            let outcome = try store.process("what-if", arguments + ["--json"]).outcome()
            return try objects(outcome).last?["skipped"]
        }
        #expect(try skipped("--skip", "1-3", "--skip", "2-4") == .integer(4))
        #expect(try skipped("--skip-actor", "ann", "--skip-actor", "bob") == .integer(5))
        #expect(try skipped("--skip-actor", "nobody") == .integer(0))
        #expect(try skipped("--skip-actor", "ann", "--to", "2") == .integer(2))
        for range in ["0", "7", "5-7"] {
            let outcome = try store.run("what-if", "--skip", range)
            #expect(outcome.status == 1 && outcome.errors.contains("the events are 1 to 6"))
        }
    }

    @Test(arguments: [[], ["--skip", "x"], ["--skip", "3-2"], ["--skip", "1", "2"]])
    func `what-if refuses other arguments`(arguments: [String]) throws {
        #expect(try store.process("what-if", arguments).outcome().status == 2)
    }
}
