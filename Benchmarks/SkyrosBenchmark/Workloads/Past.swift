import BenchmarkModel
import Foundation
import Skyros

/// W10: the history of one record, and its state as of a moment, in a long log.
enum Past {
    static let workload = Workload(
        name: "W10", title: "history and the past of one record",
        sides: [.skyros, .sqliteAudit, .sqliteAuditExclusive],
        fixtures: { [Preparation(.history, $0)] },
        measure: measure)

    /// The version that is searched for.
    private static let version = 10

    private static func measure(_ side: Side, _ bench: Bench) throws -> [Figure] {
        side == .skyros ? try skyros(bench) : try audit(side, bench)
    }

    private static func skyros(_ bench: Bench) throws -> [Figure] {
        let directory = try bench.copy(of: .history, .skyros)
        let peer = try SkyrosPeer(at: directory, PeerOptions(checkpoints: false))
        var moments: [SequenceNumber] = []
        let history = try times(historyVariant) { row in
            let entries = try peer.store.history(of: Order.self, Generator.id(row))
            try BenchmarkError.check(entries.count, Versions.perRow, "versions of row \(row)")
            moments.append(entries[version].sequence)
        }
        var found: [Order?] = []
        let asOf = try times(asOfVariant, of: moments.count) { row in
            let moment = Moment.sequence(moments[row])
            found.append(try peer.store.get(Order.self, Generator.id(row), asOf: moment))
        }
        try check(found)
        let states = try readStates(peer.store, moments)
        // The process ends here, and the directory is removed with it: no checkpoint is needed.
        Unclosed.keep(peer)
        return history + asOf + states
    }

    /// The times of questions about states of the past.
    private static func readStates(
        _ store: Store, _ moments: [SequenceNumber]
    ) throws -> [Figure] {
        #if SKYROS_COMPARE
            return []
        #else
            let states = try times(recordsVariant, of: moments.count) { row in
                let past = try store.past(asOf: .sequence(moments[row]))
                let orders = try past.get(Order.self, ids(from: row))
                try BenchmarkError.check(orders.count { $0 != nil }, recordCount, "records of then")
            }
            let count = try times(countVariant, of: 3) { row in
                let past = try store.past(asOf: .sequence(moments[row]))
                _ = try past.count(Order.self, where: \.status == .placed)
            }
            return try states + count + differences(of: store) + wholeStates(of: store)
        #endif
    }

    private static func audit(_ side: Side, _ bench: Bench) throws -> [Figure] {
        let directory = bench.place(of: .history, side)
        let peer = try AuditedSQLitePeer(
            at: directory, PeerOptions(isExclusive: side.isExclusive))
        let reader = try AuditReader(peer.database)
        var moments: [Int] = []
        let history = try times(historyVariant) { row in
            let entries = try reader.history(of: Generator.id(row))
            try BenchmarkError.check(entries.count, Versions.perRow, "versions of row \(row)")
            moments.append(entries[version].number)
        }
        var found: [Order?] = []
        let asOf = try times(asOfVariant, of: moments.count) { row in
            found.append(try reader.order(Generator.id(row), asOf: moments[row]))
        }
        try check(found)
        let states = try times(recordsVariant, of: moments.count) { row in
            let orders = try ids(from: row).map { try reader.order($0, asOf: moments[row]) }
            try BenchmarkError.check(orders.count { $0 != nil }, recordCount, "records of then")
        }
        let count = try times(countVariant, of: 3) { row in
            _ = try reader.count(.placed, asOf: moments[row])
        }
        let differences = try differences(of: reader)
        reader.finalize()
        try peer.close()
        return history + asOf + states + count + differences
    }

    static let historyVariant = "history of \(Versions.perRow) versions"
    static let asOfVariant = "record as of a moment"
    static let recordsVariant = "\(recordCount) records as of a moment"
    private static let countVariant = "count of a status as of a moment"
    private static let recordCount = 20

    /// The ids that are asked for in one state.
    private static func ids(from row: Int) -> [UUID] {
        (row..<row + recordCount).map { Generator.id($0 % Versions.rowCount) }
    }

    /// The versions that were found of the first rows.
    private static func check(_ found: [Order?]) throws {
        for (row, order) in found.enumerated() {
            var expected = Generator.order(row)
            expected.status = Versions.status(of: row, version: version)
            try BenchmarkError.check(order, expected, "version \(version) of row \(row)")
        }
    }

    /// The median time of a question, in microseconds, asked for row after row until a second has
    /// passed or all rows with many versions have been asked for; and the time of the first one.
    static func times(
        _ variant: String, of rows: Int = Versions.rowCount, _ ask: (Int) throws -> Void
    ) throws -> [Figure] {
        let clock = ContinuousClock()
        let end = clock.now + .seconds(1)
        var times: [Double] = []
        let cost = try Cost.measure {
            while times.count < rows, clock.now < end {
                let time = try clock.measure { try ask(times.count) }
                times.append(time / .microseconds(1))
            }
        }
        let first = times.first ?? 0
        times.sort()
        let median = times.isEmpty ? 0 : times[times.count / 2]
        return [
            Figure(variant, median, .microseconds, cost),
            Figure("\(variant), first", first, .microseconds, cost),
        ]
    }
}
