import BenchmarkModel
import Foundation
import Skyros

/// W10: the history of one record, and its state as of a moment, in a long log.
enum Past {
    static let workload = Workload(
        name: "W10", title: "history and the past of one record",
        sides: [.skyros, .sqliteAudit],
        fixtures: { [Preparation(.history, $0)] },
        measure: measure)

    /// The version that is searched for.
    private static let version = 10

    private static func measure(_ side: Side, _ bench: Bench) throws -> [Figure] {
        let (history, asOf) =
            side == .skyros ? try skyros(bench) : try audit(bench)
        return [
            Figure("history of \(Versions.perRow) versions", history, .microseconds),
            Figure("state as of a moment", asOf, .microseconds),
        ]
    }

    /// Microseconds for each of both questions.
    private static func skyros(_ bench: Bench) throws -> (Double, Double) {
        let directory = try bench.copy(of: .history, .skyros)
        let peer = try SkyrosPeer(at: directory, PeerOptions(checkpoints: false))
        var moments: [SequenceNumber] = []
        let history = try average(bench) { row in
            let entries = try peer.store.history(of: Order.self, Generator.id(row))
            try BenchmarkError.check(entries.count, Versions.perRow, "versions of row \(row)")
            moments.append(entries[version].sequence)
        }
        let asOf = try average(bench, of: moments.count) { row in
            let state = try peer.store.snapshot(asOf: .sequence(moments[row]))
            try check(state.get(Order.self, Generator.id(row)), row)
        }
        // The process ends here, and the directory goes away with it: no checkpoint is needed.
        Unclosed.keep(peer)
        return (history, asOf)
    }

    private static func audit(_ bench: Bench) throws -> (Double, Double) {
        let peer = try AuditedSQLitePeer(at: bench.place(of: .history, .sqliteAudit))
        let reader = try AuditReader(peer.database)
        var moments: [Int] = []
        let history = try average(bench) { row in
            let entries = try reader.history(of: Generator.id(row))
            try BenchmarkError.check(entries.count, Versions.perRow, "versions of row \(row)")
            moments.append(entries[version].number)
        }
        let asOf = try average(bench, of: moments.count) { row in
            try check(reader.order(Generator.id(row), asOf: moments[row]), row)
        }
        reader.finalize()
        try peer.close()
        return (history, asOf)
    }

    private static func check(_ order: Order?, _ row: Int) throws {
        var expected = Generator.order(row)
        expected.status = Versions.status(of: row, version: version)
        try BenchmarkError.check(order, expected, "version \(version) of row \(row)")
    }

    /// The mean time of a question, in microseconds, asked for row after row until a second has
    /// passed or all rows with many versions have been asked for.
    private static func average(
        _ bench: Bench, of rows: Int = Versions.rowCount, _ ask: (Int) throws -> Void
    ) throws -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        var count = 0
        while count < rows, clock.now - start < .seconds(1) {
            try ask(count)
            count += 1
        }
        return (clock.now - start).microseconds / Double(max(count, 1))
    }
}
