import BenchmarkModel
import Foundation
import Skyros

/// W8: the state from the log only.
enum Replaying {
    static let workload = Workload(
        name: "W8", title: "state from the log alone", sides: [.skyros, .floor],
        fixtures: { [Preparation(.history, $0)] },
        measure: measure)

    static let archive = "Archive"
    private static let store = "Store without checkpoint"

    private static func measure(_ side: Side, _ bench: Bench) throws -> [Figure] {
        let changes = Versions.changeCount(bench.settings)
        if side == .floor {
            let log = bench.place(of: .history, side).appending(path: "log")
            var floor: MemoryFloor?
            let cost = try Cost.measure {
                floor = try MemoryFloor(
                    folding: log, reserving: bench.settings.rows, isIndexed: false)
            }
            guard let floor else { throw BenchmarkError("no floor") }
            try Checks.holds(.versions, floor, bench.settings)
            return [archive, store].map { Figure($0, changes, in: cost, .changesPerSecond) }
        }
        let reader = try Archive(at: bench.place(of: .history, side), entities: [Order.self])
        var state: Snapshot?
        let cost = try Cost.measure { state = try reader.snapshot() }
        guard let state else { throw BenchmarkError("no snapshot") }
        try Checks.holdsVersions(bench.settings, count: state.count(Order.self)) {
            try state.get(Order.self, $0)
        }
        let copy = try bench.copy(of: .history, side)
        let opening = try Opening.start(side, copy, .versions, bench).cost ?? Cost()
        return [
            Figure(archive, changes, in: cost, .changesPerSecond),
            Figure(store, changes, in: opening, .changesPerSecond),
        ]
    }
}
