import BenchmarkModel
import Foundation
import Skyros

/// W8: the state from the log only.
enum Replaying {
    static let workload = Workload(
        name: "W8", title: "state from the log alone", sides: [.skyros, .floor],
        fixtures: { [Preparation(.history, $0)] },
        measure: measure)

    private static func measure(_ side: Side, _ bench: Bench) throws -> [Figure] {
        let changes = Versions.changeCount(bench.settings)
        let directory = bench.place(of: .history, side)
        if side == .floor {
            let clock = ContinuousClock()
            let start = clock.now
            let floor = try DictionaryFloor(folding: directory.appending(path: "log"))
            let time = clock.now - start
            try check(bench.settings, count: floor.count()) { try floor.order($0) }
            return ["Archive", "Store without checkpoint"].map {
                Figure($0, changes, in: time, .changesPerSecond)
            }
        }
        let archive = try Archive(at: directory, entities: [Order.self])
        var state: Snapshot?
        let time = try ContinuousClock().measure { state = try archive.snapshot() }
        guard let state else { throw BenchmarkError("no snapshot") }
        try check(bench.settings, count: state.count(Order.self)) {
            try state.get(Order.self, $0)
        }
        let copy = try bench.copy(of: .history, side)
        let milliseconds = try Probe.run(.open, side.rawValue, copy.path(percentEncoded: false))
        return [
            Figure("Archive", changes, in: time, .changesPerSecond),
            Figure(
                "Store without checkpoint", changes, in: .seconds(milliseconds / 1_000),
                .changesPerSecond),
        ]
    }

    private static func check(
        _ settings: Settings, count: Int, _ order: (UUID) throws -> Order?
    ) throws {
        try BenchmarkError.check(count, settings.rows, "number of rows")
        for row in 0..<Versions.rowCount {
            let status = Versions.status(of: row, version: Versions.perRow - 1)
            try BenchmarkError.check(
                order(Generator.id(row))?.status, status, "status of row \(row)")
        }
        var expected: [Int: Order.Status] = [:]
        for index in 0..<settings.tailEvents {
            let (row, status) = Versions.update(index, of: settings.rows)
            expected[row] = status
        }
        for row in expected.keys.sorted().prefix(1_000) {
            try BenchmarkError.check(
                order(Generator.id(row))?.status, expected[row], "status of row \(row)")
        }
    }
}
