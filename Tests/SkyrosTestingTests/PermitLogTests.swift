import Foundation
import Skyros
import SkyrosTesting
import TestSupport
import Testing

/// A real event log: the receipt phase of a municipality's permit process.
private enum PermitLog {
    static let file = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "shared/data/receipt.csv")

    static var isAvailable: Bool { FileManager.default.fileExists(atPath: file.path) }

    struct Row {
        let number: Int
        let caseID: String
        let activity: String
        let resource: String
        let group: String
        let department: String
        let time: String
    }

    static func rows() throws -> [Row] {
        let lines = try String(contentsOf: file, encoding: .utf8).split(whereSeparator: \.isNewline)
        let names = fields(lines[0])
        func column(_ name: String) throws -> Int { try #require(names.firstIndex(of: name)) }
        let (caseID, activity) = try (column("case:concept:name"), column("concept:name"))
        let (resource, group) = try (column("org:resource"), column("org:group"))
        let (department, time) = try (column("case:department"), column("time:timestamp"))
        return lines.dropFirst().enumerated().map { number, line in
            let cells = fields(line)
            return Row(
                number: number, caseID: cells[caseID], activity: cells[activity],
                resource: cells[resource], group: cells[group], department: cells[department],
                time: cells[time])
        }
    }

    /// One line of the file; quotation marks enclose cells with commas.
    private static func fields(_ line: Substring) -> [String] {
        var fields = [""]
        var isQuoted = false
        for character in line {
            switch character {
            case "\"": isQuoted.toggle()
            case "," where !isQuoted: fields.append("")
            default: fields[fields.count - 1].append(character)
            }
        }
        return fields
    }
}

private struct Case: Entity, Equatable {
    var id: String
    var department: String
    var lastActivity: String
    var activityCount: Int
    static let indexes: [Index<Case>] = [.on(\.department), .on(\.lastActivity, \.activityCount)]
}

private struct Activity: Entity, Equatable {
    var id: Int
    var caseID: String
    var name: String
    var group: String
    static let indexes: [Index<Activity>] = [.on(\.caseID, \.id)]
}

@Suite(.enabled(if: PermitLog.isAvailable, "needs shared/data/receipt.csv"))
struct `A store with a real event log` {
    @Test func `agrees with an independent computation, row by row`() throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "skyros-receipt-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let rows = try PermitLog.rows()
        #expect(rows.count == 8_577)
        let store = try Store(at: directory, entities: Case.self, Activity.self)
        for row in rows { try load(row, into: store) }

        try compareCounts(store, rows)
        try compareCases(store, rows)
        try compareHistories(store, rows)
        let digest = try store.snapshot.digest().description
        try store.close()

        let result = try Replay(of: directory, entities: Case.self, Activity.self)
            .checking("every event adds one activity, by its resource") { state, event in
                try state.count(Activity.self) == Int(event.sequence.rawValue)
                    && event.metadata.actor == rows[Int(event.sequence.rawValue) - 1].resource
            }
            .expecting(digest: digest)
            .run()
        #expect(result.sequence.rawValue == 8_577)
    }

    private func load(_ row: PermitLog.Row, into store: Store) throws {
        let metadata = Metadata(tags: ["time": row.time])
        try store.write(by: row.resource, because: row.activity, metadata: metadata) { tx in
            try tx.insert(
                Activity(id: row.number, caseID: row.caseID, name: row.activity, group: row.group))
            if try tx.exists(Case.self, row.caseID) {
                try tx.update(Case.self, row.caseID) { known in
                    known.lastActivity = row.activity
                    known.activityCount += 1
                }
            } else {
                try tx.insert(
                    Case(
                        id: row.caseID, department: row.department, lastActivity: row.activity,
                        activityCount: 1))
            }
        }
    }

    private func compareCounts(_ store: Store, _ rows: [PermitLog.Row]) throws {
        let cases = Set(rows.map(\.caseID))
        #expect(cases.count == 1_434)
        #expect(try store.count(Case.self) == cases.count)
        #expect(try store.count(Activity.self) == rows.count)
        for (activity, matching) in Dictionary(grouping: rows, by: \.activity) {
            #expect(try store.count(Activity.self, where: \.name == activity) == matching.count)
        }
    }

    private func compareCases(_ store: Store, _ rows: [PermitLog.Row]) throws {
        var last: [String: (activity: String, count: Int)] = [:]
        for row in rows { last[row.caseID] = (row.activity, (last[row.caseID]?.count ?? 0) + 1) }
        for (id, expected) in last {
            let found = try #require(try store.get(Case.self, id))
            #expect(found.lastActivity == expected.activity)
            #expect(found.activityCount == expected.count)
        }
        let ends = Dictionary(grouping: last.values, by: \.activity).mapValues(\.count)
        for (activity, count) in ends {
            #expect(try store.count(Case.self, where: \.lastActivity == activity) == count)
        }
    }

    /// Compares the events of every case, and for some cases `Store.history` and the activities in
    /// the order of the index.
    private func compareHistories(_ store: Store, _ rows: [PermitLog.Row]) throws {
        let byCase = Dictionary(grouping: rows, by: \.caseID)
        var histories: [RecordID: [Int]] = [:]
        try store.events().forEach { event in
            for change in event.changes where change.entity == Case.entityName {
                if let id = change.id {
                    histories[id, default: []].append(Int(event.sequence.rawValue))
                }
            }
        }
        #expect(histories.count == byCase.count)
        for (id, expected) in byCase {
            #expect(histories[RecordID(id)] == expected.map { $0.number + 1 })
        }
        for id in byCase.keys.sorted().enumerated().filter({ $0.offset % 100 == 0 }).map(\.element)
        {
            let expected = try #require(byCase[id])
            let history = try store.history(of: Case.self, id)
            #expect(history.map(\.actor) == expected.map(\.resource))
            #expect(history.map(\.reason) == expected.map(\.activity))
            #expect(history.map { Int($0.sequence.rawValue) - 1 } == expected.map(\.number))
            let activities = try store.all(Activity.self, where: \.caseID == id, sortedBy: \.id)
            #expect(activities.map(\.name) == expected.map(\.activity))
        }
    }

    /// The rows come in any order, as reports of what happened earlier do.
    @Test func `says what a case was on a day, and what was known of it on another`() throws {
        var random = RandomSource(seed: 11)
        let rows = try PermitLog.rows().shuffled(using: &random)
        let seconds = try Dictionary(
            uniqueKeysWithValues: rows.map { ($0.number, try $0.seconds) })
        func date(_ row: PermitLog.Row) -> Date {
            Date(timeIntervalSince1970: seconds[row.number] ?? .nan)
        }
        let store = try Store(inMemory: Activity.self)
        for row in rows {
            let metadata = Metadata(occurredAt: date(row))
            try store.write(by: row.resource, because: row.activity, metadata: metadata) { tx in
                try tx.insert(
                    Activity(
                        id: row.number, caseID: row.caseID, name: row.activity, group: row.group))
            }
        }
        for _ in 0..<12 {
            let (row, known) = (rows[random.below(rows.count)], random.below(rows.count + 1))
            let day = date(row)
            let moment = Moment.sequence(SequenceNumber(rawValue: UInt64(known)))
            let past = try store.snapshot(occurred: day, knownAt: moment)
            #expect(past.misfits.isEmpty)
            let expected = rows.prefix(known).filter { other in
                other.caseID == row.caseID && date(other) <= day
            }
            let found = try past.snapshot.all(
                Activity.self, where: \.caseID == row.caseID, sortedBy: \.id)
            #expect(found.map(\.id) == expected.map(\.number).sorted())
            let single = try store.get(Activity.self, row.number, occurred: day, knownAt: moment)
            #expect((single != nil) == expected.contains { $0.number == row.number })
        }
    }
}

extension PermitLog.Row {
    /// The time of `2011-10-11 13:45:40.276000+02:00`, in seconds since 1970.
    fileprivate var seconds: Double {
        get throws {
            let numbers = time.split { !$0.isNumber }.compactMap { Int($0) }
            try #require(numbers.count == 9 && time.count == 32)
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = .gmt
            let parts = DateComponents(
                year: numbers[0], month: numbers[1], day: numbers[2], hour: numbers[3],
                minute: numbers[4], second: numbers[5])
            let date = try #require(calendar.date(from: parts))
            let zone = Double(numbers[7] * 3_600 + numbers[8] * 60)
            return date.timeIntervalSince1970 + Double(numbers[6]) / 1_000_000
                - (time.contains("+") ? zone : -zone)
        }
    }
}
