import SkyrosSQLite
import TestSupport
import Testing

@testable import Skyros

@Suite struct `A checkpoint that is written again and again` {
    private let directory: CheckpointDirectory
    private typealias Row = CheckpointDirectory.Row

    init() throws {
        directory = try CheckpointDirectory()
    }

    /// A record of a few fields, most often of the same kind as before.
    private func record(_ seed: inout RandomSource) -> [UInt8] {
        let names = ["id", "name", "Name", "count", "price", "note", "_row", "tags", "when"]
        let fields = names.compactMap { name -> (String, [UInt8])? in
            if Int.random(in: 0..<10, using: &seed) < 3 { return nil }
            let all = CheckpointValue.all
            let usual = (name.utf8.count * 7) % all.count
            let isOdd = Int.random(in: 0..<4, using: &seed) == 0
            return (name, isOdd ? all[Int.random(in: all.indices, using: &seed)] : all[usual])
        }
        return CheckpointValue.map(fields)
    }

    private func changes(
        _ entity: String, _ model: inout [String: [Int64: Row]], _ seed: inout RandomSource
    ) -> CheckpointBatch.EntityChanges {
        let isCleared = Int.random(in: 0..<8, using: &seed) == 0
        if isCleared { model[entity] = [:] }
        let deletions = (0..<Int.random(in: 0..<5, using: &seed)).map { _ in
            Int64.random(in: 0..<60, using: &seed)
        }
        for number in deletions { model[entity]?[number] = nil }
        let rows = (0..<Int.random(in: 0..<20, using: &seed)).map { _ in
            let number = Int64.random(in: 0..<60, using: &seed)
            var row = Row(entity, number, record(&seed))
            row.sequence = UInt64.random(in: 1...42, using: &seed)
            return row
        }
        for row in rows { model[entity, default: [:]][row.number] = row }
        return CheckpointBatch.EntityChanges(
            entity: entity, isCleared: isCleared, deletions: deletions
        ) { consume in
            for row in rows { try row.give(to: consume) }
        }
    }

    private func sorted(_ model: [String: [Int64: Row]]) -> [Row] {
        model.sorted { $0.key < $1.key }.flatMap { entity in
            entity.value.sorted { $0.key < $1.key }.map(\.value)
        }
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func `equals a checkpoint that is written in one batch`(seed: UInt64) throws {
        var seed = RandomSource(seed: seed)
        var model: [String: [Int64: Row]] = [:]
        var database = try directory.open()
        for round in 0..<25 {
            let batch = CheckpointBatch(
                ["Order", "order", "Item"].map { changes($0, &model, &seed) })
            let description = try database.write(batch, at: CheckpointDirectory.position)
            let rows = sorted(model)
            #expect(description.digest == StateDigest(rows))
            #expect(
                try database.rows().sorted { ($0.entity, $0.number) < ($1.entity, $1.number) }
                    == rows)
            if round % 5 == 4 {
                try database.close()
                database = try directory.open()
                #expect(try database.description() == description)
            }
        }
        let other = try CheckpointDirectory()
        let fresh = try other.open()
        let description = try fresh.write(sorted(model))
        #expect(try description.digest == database.description()?.digest)
        #expect(try fresh.rows() == sorted(model))
    }

    @Test func `leaves a file as small as its rows after many updates`() throws {
        let database = try directory.open()
        let rows = (0..<500).map { Row("Thing", Int64($0), CheckpointValue.map([])) }
        try database.write(rows)
        let before = try directory.query("PRAGMA page_count")
        for _ in 0..<10 { try database.write(rows) }
        #expect(try directory.query("PRAGMA page_count") == before)
    }

    /// Not by rows that stayed as they were: each changed row costs the page it lies on.
    @Test(arguments: [1_000, 16_000])
    func `writes as many pages as rows have changed`(rowCount: Int64) throws {
        let database = try directory.open()
        func row(_ number: Int64, _ text: String) -> Row {
            let note = CheckpointValue.text(text + String(repeating: "-", count: 200))
            return Row("Thing", number, CheckpointValue.map([("note", note)]))
        }
        try database.write((0..<rowCount).map { row($0, "old") })
        for changedCount in [1, 10, 40] as [Int64] {
            let before = database.connection.pageWriteCount
            let step = rowCount / changedCount
            try database.write((0..<changedCount).map { row($0 * step, "new") })
            let written = database.connection.pageWriteCount - before
            // The file's head, and two tables of what the checkpoint says about itself.
            #expect((changedCount...changedCount + 3).contains(Int64(written)))
        }
    }

    @Test func `creates no table for an entity without rows`() throws {
        let database = try directory.open()
        let changes = CheckpointBatch.EntityChanges(
            entity: "Nothing", isCleared: true, deletions: [1, 2])
        let description = try database.write(
            CheckpointBatch([changes]), at: CheckpointDirectory.position)
        #expect(description.layout.entities.isEmpty)
        #expect(try database.rows().isEmpty)
    }

    @Test func `keeps its old content when a batch fails halfway`() throws {
        struct Refusal: Error {}
        let database = try directory.open()
        let old = [Row("Old", 1, CheckpointValue.map([("a", CheckpointValue.text("x"))]))]
        let description = try database.write(old)
        let changes = ["Old", "New"].map { name in
            CheckpointBatch.EntityChanges(entity: name, isCleared: true) { consume in
                let row = Row(name, 2, CheckpointValue.map([("b", CheckpointValue.text("y"))]))
                try row.give(to: consume)
                if name == "New" { throw Refusal() }
            }
        }
        #expect(throws: Refusal.self) {
            try database.write(CheckpointBatch(changes), at: CheckpointDirectory.position)
        }
        #expect(try database.rows() == old)
        #expect(try directory.open(readOnly: true).description() == description)
        let next = old + [Row("New", 2, CheckpointValue.map([("b", CheckpointValue.bool(true))]))]
        try database.write(next)
        #expect(try database.rows() == next)
    }

    /// What got lost on the way to it would not be missed later.
    @Test(arguments: [["Old": 2], ["Old": 0], [:], ["Old": 1, "New": 1]] as [NamedValues<Int>])
    func `is not committed with another number of rows than there are`(
        rowCounts: NamedValues<Int>
    ) throws {
        let database = try directory.open()
        let old = [Row("Old", 1, CheckpointValue.map([]))]
        let description = try database.write(old)
        func write(_ rowCounts: NamedValues<Int>) throws -> CheckpointDescription {
            try database.write(
                CheckpointBatch([.init(entity: "Old", deletions: [7])], rowCounts: rowCounts),
                at: CheckpointDirectory.position)
        }
        let error = #expect(throws: CheckpointError.self) { try write(rowCounts) }
        guard case .corrupt(let damage) = error else { throw try #require(error) }
        #expect(damage.entity == (rowCounts["New"] == nil ? "Old" : "New"))
        #expect(try database.description() == description)
        #expect(try database.rows() == old)
        #expect(try write(["Old": 1, "Other": 0]) == description)
    }

    @Test func `shows others the old content until the commit`() throws {
        let database = try directory.open()
        let old = [Row("Thing", 1, CheckpointValue.map([]))]
        try database.write(old)
        let reader = try directory.open(readOnly: true)
        let new = Row("Thing", 2, CheckpointValue.map([("new", CheckpointValue.integer(1))]))
        let changes = CheckpointBatch.EntityChanges(entity: "Thing") { consume in
            try new.give(to: consume)
            #expect(try reader.rows() == old)
        }
        try database.write(CheckpointBatch([changes]), at: CheckpointDirectory.position)
        #expect(try reader.rows() == old + [new])
    }

    @Test func `is only delayed by a reader in its way`() throws {
        let database = try directory.open()
        let old = [Row("Thing", 1, CheckpointValue.map([]))]
        let new = [Row("Thing", 2, CheckpointValue.map([]))]
        try database.write(old)
        let reader = try directory.open(readOnly: true)
        try reader.load { _, _ in
            let error = #expect(throws: CheckpointError.self) { try database.write(new) }
            guard case .unwritable(let cause) = error else { return }
            #expect(cause.code == .busy)
        }
        #expect(try database.rows() == old)
        try database.write(new)
        #expect(try reader.rows() == old + new)
    }
}
