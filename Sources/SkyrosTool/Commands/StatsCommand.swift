import Foundation
import Skyros

/// `skyros stats`: who changes what, when, and how fast the store grows.
struct StatsCommand: Command {
    static let name = "stats"
    static let summary = "Add up the events by day, actor, entity and command; show the growth"
    static let usage = "STORE [--by hour|day|month|year] [--top N] [--json]"
    static let details = """
          --by PERIOD  add up by hours, days, months or years, of UTC (default: day)
          --top N      list the last N periods, and the N actors, entities and commands with the
                       most events (default: 20; with --json all)

        Records are those at the end of a period, or now. Bytes are those of the events before they
        are compressed; the growth of the log on disk is estimated from the last 30 days and from
        how well the log is compressed now. The time to open is measured, as by `skyros info`.

          skyros stats Orders.skyros
          skyros stats Orders.skyros --by month --json
        """
    static let options: Set<String> = ["by", "top"]

    private typealias Tally = LogStatistics.Tally

    private let arguments: Arguments
    private let period: LogStatistics.Period
    private let countMax: Int

    init(_ arguments: Arguments) throws {
        try arguments.requireOnlyStore()
        self.arguments = arguments
        let word = arguments.text("by") ?? LogStatistics.Period.day.rawValue
        guard let period = LogStatistics.Period(rawValue: word) else {
            let words = LogStatistics.Period.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError("--by takes \(words), not \"\(word)\"")
        }
        self.period = period
        let limit = try arguments.number("top", "a number of lines").map { Int(clamping: $0) }
        countMax = limit ?? (arguments.isJSON ? .max : 20)
    }

    func run(_ output: Output) throws -> Bool {
        let archive = try Archive(at: arguments.store)
        archive.warnOfLostEvents()
        let bar = ProgressBar(ProgressBar.Step(.searching, 0.7), ProgressBar.Step(.reading, 0.3))
        defer { bar.finish() }
        var statistics = LogStatistics(by: period)
        let last = archive.sequence.rawValue
        try archive.forEachEvent { event, byteCount in
            statistics.add(event, byteCount: byteCount)
            bar.update(.searching, event.sequence.rawValue, of: last)
        }
        let info = try archive.info { bar.update(.reading, $0, of: $1) }
        bar.finish()
        if arguments.isJSON {
            try printJSON(statistics, info, output)
        } else {
            try printText(statistics, info, output)
        }
        return true
    }

    // MARK: What is added up

    /// The last periods, each with the number of records at its end.
    private func periods(
        _ statistics: LogStatistics, _ info: StoreInfo
    ) -> [(name: String, tally: Tally, records: Int)] {
        var records = info.entities.reduce(0) { $0 + $1.value }
        var list: [(String, Tally, Int)] = []
        for (name, tally) in statistics.periods.reversed().prefix(countMax) {
            list.append((name, tally, records))
            records = records.subtractingReportingOverflow(tally.inserted - tally.deleted).0
        }
        return list.reversed()
    }

    /// The names with the most events.
    private func top(_ tallies: NamedValues<Tally>) -> [(key: String, value: Tally)] {
        let sorted = tallies.sorted(byName: \.key).sorted { $0.value.events > $1.value.events }
        return Array(sorted.prefix(countMax))
    }

    /// The bytes that the log on disk grows by a day.
    private func bytesPerDay(_ statistics: LogStatistics, _ info: StoreInfo) -> Int {
        guard info.rawBytes > 0 else { return 0 }
        let share = Double(info.logBytes) / Double(info.rawBytes)
        return Int(statistics.daily.bytes * min(1, share))
    }

    // MARK: JSON

    private func printJSON(
        _ statistics: LogStatistics, _ info: StoreInfo, _ output: Output
    ) throws {
        for (name, tally, records) in periods(statistics, info) {
            var object = Self.json(tally)
            object[period.rawValue] = .text(name)
            object["records"] = .integer(Int128(records))
            try output.json(object)
        }
        for (kind, tallies) in [
            ("actor", statistics.actors), ("entity", statistics.entities),
            ("command", statistics.commands),
        ] {
            for (name, tally) in top(tallies) {
                var object = Self.json(tally)
                let isNobody = kind == "actor" && name == LogStatistics.nobody
                object[kind] = isNobody ? .null : .text(name)
                object["first"] = tally.first.map { .text($0.description) }
                object["last"] = tally.last.map { .text($0.description) }
                if kind == "entity" {
                    object["records"] = .integer(Int128(info.entities[name] ?? 0))
                }
                try output.json(object)
            }
        }
        var object = Self.json(statistics.total)
        object["actors"] = .integer(Int128(statistics.actors.count))
        object["records"] = .integer(Int128(info.entities.reduce(0) { $0 + $1.value }))
        object["logBytes"] = .integer(Int128(info.logBytes))
        object["eventsPerDay"] = .double(statistics.daily.events)
        object["logBytesPerDay"] = .integer(Int128(bytesPerDay(statistics, info)))
        object["openingMilliseconds"] = .integer(Int128(info.openingMilliseconds))
        try output.json(object)
    }

    private static func json(_ tally: Tally) -> NamedValues<FieldValue?> {
        [
            "events": .integer(Int128(tally.events)), "inserted": .integer(Int128(tally.inserted)),
            "updated": .integer(Int128(tally.updated)),
            "deleted": .integer(Int128(tally.deleted)), "bytes": .integer(Int128(tally.bytes)),
        ]
    }

    // MARK: Text

    private static let heading = ["events", "inserted", "updated", "deleted", "bytes"]

    private static func cells(_ tally: Tally) -> [String] {
        [tally.events, tally.inserted, tally.updated, tally.deleted].map { "\($0)" }
            + [Output.bytes(tally.bytes)]
    }

    private func printText(
        _ statistics: LogStatistics, _ info: StoreInfo, _ output: Output
    ) throws {
        let periods = periods(statistics, info)
        try printTable(
            [[period.rawValue] + Self.heading + ["records"]]
                + periods.map { [$0.name] + Self.cells($0.tally) + ["\($0.records)"] },
            omitting: statistics.periods.count - periods.count, output)
        let actors = top(statistics.actors)
        try printTable(
            [["actor"] + Self.heading + ["first", "last"]]
                + actors.map { name, tally in
                    let times = [tally.first, tally.last].map { $0?.description ?? "" }
                    return [name] + Self.cells(tally) + times
                }, omitting: statistics.actors.count - actors.count, output)
        let entities = top(statistics.entities)
        try printTable(
            [["entity"] + Self.heading + ["records"]]
                + entities.map { name, tally in
                    [name] + Self.cells(tally) + ["\(info.entities[name] ?? 0)"]
                }, omitting: statistics.entities.count - entities.count, output)
        let commands = top(statistics.commands)
        try printTable(
            [["command"] + Self.heading] + commands.map { [$0.key] + Self.cells($0.value) },
            omitting: statistics.commands.count - commands.count, output)
        try printGrowth(statistics, info, output)
    }

    private func printTable(
        _ rows: [[String]], omitting omittedCount: Int, _ output: Output
    ) throws {
        guard rows.count > 1 else { return }
        try output.table(rows)
        if omittedCount > 0 { try output.line("and \(omittedCount) more, see --top") }
        try output.line("")
    }

    private func printGrowth(
        _ statistics: LogStatistics, _ info: StoreInfo, _ output: Output
    ) throws {
        let total = statistics.total
        let records = info.entities.reduce(0) { $0 + $1.value }
        let daily = String(format: "%.1f", statistics.daily.events)
        try output.table([
            ["events", "\(total.events), with \(total.changes) changes"],
            ["records", "\(records)"],
            ["log", "\(Output.bytes(info.logBytes)), \(Output.bytes(info.rawBytes)) uncompressed"],
            [
                "growth",
                "\(daily) events and \(Output.bytes(bytesPerDay(statistics, info))) a day",
            ],
            ["opening", "about \(info.openingMilliseconds) ms"],
        ])
    }
}
